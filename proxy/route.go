package proxy

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// refusal is why a request is answered by the proxy itself. What it says is shown to the client, in the shape of the API it asked.
type refusal struct {
	status int
	kind   string // of the error, as APIs name them
	reason string
}

func forbidden(format string, args ...any) *refusal {
	return &refusal{http.StatusForbidden, "forbidden", fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, "invalid_request_error", fmt.Sprintf(format, args...)}
}

// onlyKey is the key of the one upstream that a listener serves, in the context of its requests.
type onlyKey struct{}

// route tells where a request goes, and returns the request as it is meant for there. What net/http lets pass and RFC 9112 does not
// is refused here, so that no two readers of a request can take it for different things. A refused request is returned as it came.
func (s *Server) route(r *http.Request) (*destination, *http.Request, *refusal) {
	switch {
	case r.ProtoMajor != 1: // net/http lets the preface of HTTP/2 through
		return nil, r, &refusal{http.StatusHTTPVersionNotSupported, "invalid_request_error", "exodeck speaks HTTP/1.1 and HTTP/1.0"}
	case r.Method == http.MethodConnect:
		return nil, r, s.refuseTunnel(r)
	case strings.Contains(r.RequestURI, "#"):
		return nil, r, badRequest("the request target has a fragment, which clients keep to themselves")
	case strings.HasPrefix(r.RequestURI, "/"), r.RequestURI == "*" && r.Method == http.MethodOptions:
		return s.routeOrigin(r)
	case (r.URL.Scheme != "http" && r.URL.Scheme != "https") || r.URL.Host == "" || r.URL.Opaque != "":
		return nil, r, badRequest("the request target is neither a path nor an http or https URL")
	case r.URL.User != nil: // RFC 9110, 4.2.4
		return nil, r, badRequest("the request target carries a user name; send an Authorization header instead")
	case ownAddress(r):
		return s.routeOrigin(originForm(r))
	}
	return s.routeForward(r)
}

// routeOrigin finds the upstream of a request whose target is a path.
func (s *Server) routeOrigin(r *http.Request) (*destination, *http.Request, *refusal) {
	if only, ok := r.Context().Value(onlyKey{}).(*destination); ok && only != nil {
		return only, r, nil
	}
	for _, d := range s.named {
		if under, ok := withoutPrefix(r, "/"+d.name); ok {
			return d, under, nil
		}
	}
	switch {
	case s.main != nil:
		return s.main, r, nil
	case len(s.named) == 0:
		return nil, r, forbidden("this exodeck is a forward proxy and stands in front of no upstream: set HTTP_PROXY to its address, or start it with --upstream URL to use it as a base URL")
	}
	names := make([]string, len(s.named))
	for i, d := range s.named {
		names[i] = "/" + d.name
	}
	return nil, r, &refusal{http.StatusNotFound, "not_found_error",
		"no upstream serves this path: use " + strings.Join(names, " or ") + " as the beginning of the base URL's path, or start exodeck with an --upstream without a name"}
}

// routeForward lets a request in absolute form pass when its host is allowed.
func (s *Server) routeForward(r *http.Request) (*destination, *http.Request, *refusal) {
	if s.forward == nil {
		return nil, r, forbidden("exodeck records in front of one upstream and forwards to no other host: set the client's base URL to exodeck's address instead of using it as a proxy, or start it with --forward --allow-host %s", r.URL.Host)
	}
	if !s.allowed(r.URL) {
		return nil, r, forbidden("exodeck forwards to no host that it was not told of: start it with --allow-host %s to record this", r.URL.Host)
	}
	return s.forward, r, nil
}

func (s *Server) allowed(u *url.URL) bool {
	return slices.ContainsFunc(s.hosts, func(h Host) bool { return h.allows(u) })
}

// refuseTunnel words why CONNECT is refused, and what to do instead.
func (s *Server) refuseTunnel(r *http.Request) *refusal {
	if s.forward == nil {
		return forbidden("exodeck records in front of one upstream and opens no tunnels: set the client's base URL to exodeck's address instead of using it as a proxy")
	}
	if r.URL.Host == "" {
		return badRequest("the target of CONNECT is a host and a port")
	}
	const tunnel = "exodeck opens no tunnels, since nothing in them could be recorded: "
	u := &url.URL{Scheme: "https", Host: r.URL.Host}
	if s.allowed(u) {
		return forbidden(tunnel+"let the client ask for an http:// URL, or start exodeck with --upstream https://%s and use its address as base URL", r.URL.Host)
	}
	return forbidden(tunnel+"let the client ask for an http:// URL and start exodeck with --allow-host %s", u.Hostname())
}

// ownAddress reports whether a request in absolute form names this very server: such requests are to be accepted (RFC 9112, 3.2.2).
func ownAddress(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || r.URL.Scheme != "http" {
		return false
	}
	host, port, err := net.SplitHostPort(local.String())
	if err != nil || portOf(r.URL) != port {
		return false
	}
	asked := canonicalHost(r.URL.Hostname())
	ip := net.ParseIP(host)
	return asked == host || ip != nil && ip.IsLoopback() && asked == "localhost"
}

// originForm returns a request in absolute form as one whose target is a path.
func originForm(r *http.Request) *http.Request {
	out, u := new(http.Request), *r.URL
	*out = *r
	u.Scheme, u.Host = "", ""
	out.URL = &u
	out.RequestURI = pathOf(r.RequestURI)
	if u.Path == "" {
		u.Path = "/"
	}
	return out
}

// pathOf is path and query of a request target, as they were sent.
func pathOf(target string) string {
	if strings.HasPrefix(target, "/") {
		return target
	}
	_, rest, _ := strings.Cut(target, "://")
	i := strings.IndexAny(rest, "/?")
	switch {
	case i < 0:
		return "/"
	case rest[i] == '?':
		return "/" + rest[i:]
	}
	return rest[i:]
}

// withoutPrefix returns a request without the first segment of its path, if that is the given one, letter by letter.
func withoutPrefix(r *http.Request, prefix string) (*http.Request, bool) {
	rest, ok := strings.CutPrefix(r.RequestURI, prefix)
	if !ok || rest != "" && rest[0] != '/' && rest[0] != '?' {
		return nil, false
	}
	out, u := new(http.Request), *r.URL
	*out = *r
	u.Path = strings.TrimPrefix(u.Path, prefix)
	if u.RawPath != "" {
		u.RawPath = strings.TrimPrefix(u.RawPath, prefix)
	}
	if u.Path == "" {
		u.Path = "/"
		rest = "/" + rest
	}
	out.URL, out.RequestURI = &u, rest
	return out, true
}
