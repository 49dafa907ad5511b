package proxy

import (
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

// outgoing returns the request to send to a destination: the same request target, host and end-to-end headers.
func outgoing(to *destination, r *http.Request) *http.Request {
	out := new(http.Request)
	*out = *r
	out.URL = target(to.upstream, r)
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
	if to.upstream == nil {
		delete(out.Header, "Proxy-Authorization") // meant for this proxy
	}
	return out
}

// target joins the upstream's base path with the path and query of the request target just as they were sent. Without an upstream, the
// target names scheme and host itself.
func target(upstream *url.URL, r *http.Request) *url.URL {
	if upstream == nil {
		upstream = &url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host}
		if r.Method == http.MethodOptions && pathOf(r.RequestURI) == "/" && r.URL.Path == "" {
			upstream.Path = "*" // RFC 9112, 3.2.4
			return upstream
		}
	}
	if r.RequestURI == "*" {
		return &url.URL{Scheme: upstream.Scheme, Host: upstream.Host, Path: "*"} // the server itself, which no path is a part of
	}
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
	if sent, _, _ := strings.Cut(pathOf(r.RequestURI), "?"); u.EscapedPath() != base+sent {
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

// framing are fields that say where a message ends or who it is for; in a trailer section they could only mislead (RFC 9110, 6.5.1).
var framing = []string{"Content-Length", "Host", "Trailer"}

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
