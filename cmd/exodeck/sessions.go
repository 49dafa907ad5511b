package main

import (
	"context"
	"maps"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/tape"
)

// forwardName is the label of the session of forwarded exchanges.
const forwardName = "forward"

// startSessions starts a session for each way through the proxy and returns the proxy's configuration. Where there are several, a
// label says whose session it is.
func startSessions(ctx context.Context, cfg recordConfig, d *deck) (proxy.Config, error) {
	config := proxy.Config{Redactor: d.redactor, Labels: cfg.labels, Strict: cfg.Strict}
	start := func(name, url string) (*tape.SessionRecorder, error) {
		labels := maps.Clone(cfg.labels)
		if name != "" {
			labels["upstream"] = name
		}
		return d.start(ctx, tape.Session{Upstream: url, Version: version(), Labels: labels})
	}
	for _, u := range cfg.upstreams {
		session, err := start(u.name, u.url.String())
		if err != nil {
			return config, err
		}
		if u.name == "" {
			config.Upstream, config.Session = u.url, session
		} else {
			config.Named = append(config.Named, proxy.Named{Name: u.name, URL: u.url, Session: session})
		}
	}
	if cfg.Forward {
		session, err := start(forwardName, "")
		if err != nil {
			return config, err
		}
		config.Forward = &proxy.Forward{Hosts: cfg.hosts, Session: session}
	}
	return config, nil
}
