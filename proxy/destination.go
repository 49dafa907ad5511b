package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// Named is one of several upstreams. Requests reach it with /NAME in front of their path, which is taken off before they are sent
// and recorded, or unchanged through a listener of its own ([Server.ServeNamed]).
type Named struct {
	// Name is made of letters, digits, "-", "_" and ".", and is no path that exo itself serves.
	Name    string
	URL     *url.URL
	Session record.Session
}

// destination is where requests go and where they are recorded.
type destination struct {
	name     string   // "" unless it is a named one
	upstream *url.URL // nil when each request says it itself
	recorder *record.Transport
}

// origin is the upstream of a request as it is shown.
func (d *destination) origin(r *http.Request) string {
	if d.upstream == nil {
		return r.URL.Scheme + "://" + r.URL.Host
	}
	return d.upstream.String()
}

func (s *Server) setDestinations(cfg Config) error {
	if cfg.Upstream == nil && len(cfg.Named) == 0 && cfg.Forward == nil {
		return errors.New("a proxy needs an upstream, such as http://localhost:52415")
	}
	destined := func(name string, u *url.URL, session record.Session) (*destination, error) {
		if session == nil {
			return nil, errors.New("a proxy needs a session to record to")
		}
		d := &destination{name: name, upstream: u, recorder: &record.Transport{
			Base:     s.sender,
			Session:  session,
			Redactor: cfg.Redactor,
			Labels:   cfg.Labels,
			Strict:   cfg.Strict,
			OnEnd:    cfg.OnEnd,
		}}
		if u == nil {
			return d, nil
		}
		d.recorder.Upstream, d.recorder.BasePath = u.String(), basePath(u)
		return d, CheckUpstream(u)
	}
	var err error
	if cfg.Upstream != nil {
		if s.main, err = destined("", cfg.Upstream, cfg.Session); err != nil {
			return err
		}
	}
	for _, n := range cfg.Named {
		if err := CheckName(n.Name); err != nil {
			return err
		}
		if n.URL == nil {
			return fmt.Errorf("the upstream %s has no URL; write it like %s=http://localhost:52415", n.Name, n.Name)
		}
		if slices.ContainsFunc(s.named, func(d *destination) bool { return d.name == n.Name }) {
			return fmt.Errorf("two upstreams are called %s; give each a name of its own", n.Name)
		}
		d, err := destined(n.Name, n.URL, n.Session)
		if err != nil {
			return err
		}
		s.named = append(s.named, d)
	}
	if cfg.Forward != nil {
		if len(cfg.Forward.Hosts) == 0 {
			return errors.New("a forward proxy needs hosts that it may forward to")
		}
		s.hosts = cfg.Forward.Hosts
		s.forward, err = destined("", nil, cfg.Forward.Session)
	}
	return err
}

// CheckUpstream says what is wrong with the base URL of an upstream. The error quotes neither user information nor a query: they may
// be credentials.
func CheckUpstream(u *url.URL) error {
	shown := (&url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the upstream %q is no http or https URL; write it like http://localhost:52415", shown)
	case u.Host == "":
		return fmt.Errorf("the upstream %q names no host; write it like http://localhost:52415", shown)
	case u.User != nil:
		return fmt.Errorf("the upstream %q carries a user name: let the clients send an Authorization header, it is passed on", shown)
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("the upstream %q has a query or a fragment; give scheme, host, port and at most a path", shown)
	}
	return nil
}

func basePath(u *url.URL) string { return strings.TrimSuffix(u.EscapedPath(), "/") }

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// CheckName says what is wrong with the name of an upstream: it must be one segment of a path, and none that exo itself serves.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("%q is no name for an upstream; use letters, digits, and any of - _ . behind the first", name)
	}
	if tape.FamilyOf(http.MethodGet, "/"+name) == tape.Control || slices.Contains([]string{"v1", "api", "bench", "chat"}, name) {
		return fmt.Errorf("an upstream cannot be called %s: exo itself serves paths that begin with /%s; choose another name", name, name)
	}
	return nil
}
