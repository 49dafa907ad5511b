package proxy

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
)

// Forward says where a [Server] forwards requests in absolute form, as clients send them that have been told of an HTTP proxy
// (HTTP_PROXY). The upstream of such an exchange is the scheme and host that its request names.
type Forward struct {
	// Hosts are the only ones that are ever forwarded to.
	Hosts []Host
	// Session takes the exchanges.
	Session record.Session
}

// Host names hosts that may be forwarded to: one name or address, at one port or at all.
type Host struct {
	Name string // in lower case, without brackets and without a dot at the end
	Port string // "" for every port
}

// ParseHost reads HOST or HOST:PORT. An IPv6 address with a port stands in brackets.
func ParseHost(s string) (Host, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = s, ""
		if inner, ok := strings.CutPrefix(s, "["); ok {
			host = strings.TrimSuffix(inner, "]")
		}
	} else if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return Host{}, fmt.Errorf("%q is no port in %q; write HOST or HOST:PORT, such as exo.local:52415", port, s)
	}
	name := canonicalHost(host)
	if _, err := netip.ParseAddr(host); err != nil && (name == "" || strings.HasSuffix(name, ".") || strings.ContainsAny(name, ":/@*?#[]% ")) {
		return Host{}, fmt.Errorf("%q names no host; write HOST or HOST:PORT, such as exo.local:52415", s)
	}
	return Host{Name: name, Port: port}, nil
}

// String returns HOST or HOST:PORT.
func (h Host) String() string {
	if h.Port == "" {
		return h.Name
	}
	return net.JoinHostPort(h.Name, h.Port)
}

// allows reports whether h names the host of u.
func (h Host) allows(u *url.URL) bool {
	return canonicalHost(u.Hostname()) == h.Name && (h.Port == "" || portOf(u) == h.Port)
}

func canonicalHost(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// portOf is the port of a URL, which its scheme may imply.
func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
