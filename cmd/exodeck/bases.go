package main

import (
	"fmt"
	"io"
	"net"
	"strings"
)

// baseURL is an environment variable that points a kind of client at the proxy.
type baseURL struct{ client, name, value string }

// way is a way through the proxy: to one upstream, or forward to allowed hosts.
type way struct {
	title string // where it leads
	bases []baseURL
}

// waysThrough lists the ways through a proxy that listens at the given addresses, those of upstreams first.
func waysThrough(cfg recordConfig, listeners []listener) []way {
	var ways []way
	for _, u := range cfg.upstreams {
		w := way{title: u.String()}
		prefix := ""
		if u.name != "" {
			prefix = "/" + u.name
		}
		w.bases = baseURLs(listeners[0].Addr().String(), prefix)
		for _, l := range listeners {
			if l.upstream != "" && l.upstream == u.name {
				w.bases = baseURLs(l.Addr().String(), "")
			}
		}
		ways = append(ways, w)
	}
	if cfg.Forward {
		names := make([]string, len(cfg.hosts))
		for i, h := range cfg.hosts {
			names[i] = h.String()
		}
		root, _, _ := rootURL(listeners[0].Addr().String())
		ways = append(ways, way{"forward to " + strings.Join(names, ", "), []baseURL{
			{"HTTP clients", "HTTP_PROXY", root},
			{"", "http_proxy", root},
		}})
	}
	return ways
}

// commandBases are the variables for a wrapped command: those of the first upstream, and those for forwarding.
func commandBases(cfg recordConfig, ways []way) []baseURL {
	bases := ways[0].bases
	if cfg.Forward && len(ways) > 1 {
		bases = append(bases[:len(bases):len(bases)], ways[len(ways)-1].bases...)
	}
	return bases
}

// printBases shows what to point each kind of client at.
func printBases(w io.Writer, cfg recordConfig, ways []way, admin string) {
	titles := make([]string, len(ways))
	for i, way := range ways {
		titles[i] = way.title
	}
	fmt.Fprintf(w, "recording %s to %s\n\n", strings.Join(titles, ", "), cfg.Tape)
	for _, way := range ways {
		if len(ways) > 1 {
			fmt.Fprintf(w, "  %s\n", way.title)
		}
		for _, line := range way.bases {
			fmt.Fprintf(w, "  %-21s export %s=%s\n", line.client, line.name, line.value)
		}
		if len(ways) > 1 {
			fmt.Fprintln(w)
		}
	}
	if admin != "" {
		root, _, _ := rootURL(admin)
		fmt.Fprintf(w, "  %-21s %s/healthz and %s/metrics\n", "operators", root, root)
	}
	fmt.Fprintf(w, "\nCtrl-C finishes what is in flight and closes the tape; a second one stops at once.\n")
}

// rootURL is the URL of a listener with its parts, for clients on this machine.
func rootURL(address string) (root, host, port string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", "", "" // a listener's address always splits
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port), host, port
}

// baseURLs are the variables for an upstream that a listener serves below a path prefix, "" for none.
func baseURLs(address, prefix string) []baseURL {
	root, host, port := rootURL(address)
	bases := []baseURL{
		{"OpenAI SDKs", "OPENAI_BASE_URL", root + prefix + "/v1"},
		{"Anthropic SDKs", "ANTHROPIC_BASE_URL", root + prefix},
		{"Ollama", "OLLAMA_HOST", root + prefix + "/ollama"},
	}
	if prefix == "" { // host and port hold no path
		bases = append(bases, baseURL{"exo's own tools", "EXO_HOST", host}, baseURL{"", "EXO_PORT", port})
	}
	return bases
}
