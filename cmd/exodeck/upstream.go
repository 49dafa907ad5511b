package main

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/urfave/cli/v2"
)

const (
	defaultTape   = "exodeck.tape"
	defaultListen = "127.0.0.1:52416"
	defaultHost   = "localhost"
	defaultPort   = "52415" // exo's
)

func tapeFlag() cli.Flag {
	return &cli.StringFlag{Name: "tape", Value: defaultTape, Usage: "the tape, a `FILE`"}
}

// exoHost and exoPort are the upstream that the environment names.
func exoHost(getenv func(string) string) string {
	if v := getenv("EXO_HOST"); v != "" {
		return v
	}
	return defaultHost
}

func exoPort(getenv func(string) string) string {
	if v := getenv("EXO_PORT"); v != "" {
		return v
	}
	return defaultPort
}

// defaultUpstream is the base URL of the exo that the environment names.
func defaultUpstream(getenv func(string) string) string {
	return "http://" + net.JoinHostPort(exoHost(getenv), exoPort(getenv))
}

// parseUpstream reads a base URL. "host:port" alone is taken for http.
func parseUpstream(s string) (*url.URL, error) {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		// The error of net/url quotes the whole text, which may hold a password.
		return nil, fmt.Errorf("--upstream is no URL; write it like http://localhost:52415")
	}
	return u, nil
}
