package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy"
)

const (
	defaultTape   = "exodeck.tape"
	defaultListen = "127.0.0.1:52416"
	defaultHost   = "localhost"
	defaultPort   = "52415" // exo's
)

// tapeFlag names the tape of a command that records or changes it.
func tapeFlag() cli.Flag {
	return &cli.StringFlag{Name: "tape", Value: defaultTape, Usage: "the tape, a `FILE`"}
}

// recordingFlag names the tape of a command that only reads it, which takes a cassette too.
func recordingFlag() cli.Flag {
	return &cli.StringFlag{Name: "tape", Value: defaultTape, Usage: "the tape or cassette, a `FILE`"}
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

// exoURL is the base URL of the exo at host and port.
func exoURL(host, port string) (string, error) {
	if host == "" || strings.ContainsAny(host, "/@?# ") {
		// Not quoted: it may hold a password.
		return "", fmt.Errorf("--host is no host; write a name or an address, such as %s, and the port behind --port", defaultHost)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("--port %q is no port; write a number, such as %s", port, defaultPort)
	}
	return "http://" + net.JoinHostPort(host, port), nil
}

// reach makes sure that somebody listens behind a base URL that was checked, so that a run does not fail once a question. flags are those
// that name another server.
func reach(ctx context.Context, base, flags string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), u.Scheme)
	}
	dialer := net.Dialer{Timeout: 10 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("no server can be reached at %s: %w; start it, or name another with %s", u.Redacted(), err, flags)
	}
	return conn.Close()
}

// tellAbsent says which upstreams nobody answers for yet. They may be started later.
func tellAbsent(ctx context.Context, all []upstream, log *slog.Logger) {
	for _, u := range all {
		if err := reach(ctx, u.url.String(), "--upstream"); err != nil && ctx.Err() == nil {
			log.Warn(err.Error())
		}
	}
}

// upstream is what a flag --upstream says.
type upstream struct {
	name string // "" for the one that takes what no other does
	url  *url.URL
}

// String returns the URL, with its name in front when it has one.
func (u upstream) String() string {
	if u.name == "" {
		return u.url.Redacted()
	}
	return u.name + "=" + u.url.Redacted()
}

// parseUpstreams reads upstreams, each a URL or NAME=URL.
func parseUpstreams(list []string) ([]upstream, error) {
	var all []upstream
	for _, s := range list {
		name, address, named := strings.Cut(s, "=")
		if !named || strings.ContainsAny(name, ":/") {
			name, address = "", s
		}
		u, err := parseUpstream(address)
		if err != nil {
			return nil, err
		}
		if err := checkUpstreamName(name, all); err != nil {
			return nil, err
		}
		all = append(all, upstream{name, u})
	}
	return all, nil
}

func checkUpstreamName(name string, others []upstream) error {
	taken := slices.ContainsFunc(others, func(u upstream) bool { return u.name == name })
	switch {
	case taken && name == "":
		return errors.New("two upstreams have no name; write all but one as NAME=URL, such as gpu=http://localhost:52415")
	case taken:
		return fmt.Errorf("two upstreams are called %s; give each a name of its own", name)
	case name == forwardName:
		return fmt.Errorf("an upstream cannot be called %s, which is the label of forwarded exchanges; choose another name", name)
	case name == "":
		return nil
	}
	return proxy.CheckName(name)
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
	return u, proxy.CheckUpstream(u)
}
