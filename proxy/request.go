package proxy

import (
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

// misdirected says why a request is not one for a reverse proxy, "" when it is. A request in absolute form is accepted when it
// names this very server, as RFC 9112 (3.2.2) asks.
func misdirected(r *http.Request) string {
	if r.Method == http.MethodConnect {
		return "exodeck records in front of one upstream and opens no tunnels: set the client's base URL to exodeck's address instead of using it as a proxy"
	}
	if r.URL.Host != "" && !ownAddress(r) {
		return "exodeck records in front of one upstream and forwards to no other host: set the client's base URL to exodeck's address instead of using it as a proxy"
	}
	return ""
}

func ownAddress(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	host, port, err := net.SplitHostPort(local.String())
	if err != nil {
		return false
	}
	asked, askedPort, err := net.SplitHostPort(r.URL.Host)
	if err != nil || askedPort != port {
		return false
	}
	ip := net.ParseIP(host)
	return asked == host || ip != nil && ip.IsLoopback() && asked == "localhost"
}

// outgoing returns the request to send to the upstream: the same request target, host and end-to-end headers.
func outgoing(upstream *url.URL, r *http.Request) *http.Request {
	out := new(http.Request)
	*out = *r
	out.URL = target(upstream, r)
	out.RequestURI = ""
	out.Close = false
	out.Header = r.Header.Clone()
	upgrade := ""
	if headerHas(r.Header, "Connection", "upgrade") {
		upgrade = r.Header.Get("Upgrade")
	}
	trailers := headerHas(r.Header, "Te", "trailers")
	removeHopByHop(out.Header)
	if strings.EqualFold(upgrade, "websocket") {
		out.Header.Set("Connection", "Upgrade")
		out.Header.Set("Upgrade", upgrade)
	}
	if trailers {
		out.Header.Set("Te", "trailers")
	}
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = nil // none was sent: keep net/http from adding its own
	}
	return out
}

// target joins the upstream's base path with the request target just as it was sent.
func target(upstream *url.URL, r *http.Request) *url.URL {
	base := basePath(upstream)
	u := &url.URL{
		Scheme:     upstream.Scheme,
		Host:       upstream.Host,
		Path:       strings.TrimSuffix(upstream.Path, "/") + r.URL.Path,
		RawQuery:   r.URL.RawQuery,
		ForceQuery: r.URL.ForceQuery,
	}
	if base != "" || r.URL.RawPath != "" {
		u.RawPath = base + r.URL.EscapedPath()
	}
	if sent, _, _ := strings.Cut(r.RequestURI, "?"); strings.HasPrefix(sent, "/") && u.EscapedPath() != base+sent {
		u.RawPath = base + sent
		if u.EscapedPath() != u.RawPath && !strings.HasPrefix(u.RawPath, "//") {
			// An unusual spelling of the path that net/url would mend; opaque is the way to send it as it came.
			u.Opaque = u.RawPath
		}
	}
	return u
}

// hopByHop are the headers that concern one connection only (RFC 9110, 7.6.1).
var hopByHop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade"}

// removeHopByHop takes off what must not be passed on, including what the Connection header names.
func removeHopByHop(h http.Header) {
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			if name = textproto.TrimString(name); name != "" {
				h.Del(name)
			}
		}
	}
	for _, name := range hopByHop {
		delete(h, name)
	}
}

func headerHas(h http.Header, name, token string) bool {
	return slices.ContainsFunc(h[name], func(line string) bool {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(textproto.TrimString(part), token) {
				return true
			}
		}
		return false
	})
}
