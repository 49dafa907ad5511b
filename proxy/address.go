package proxy

import (
	"net"
	"net/url"
	"strings"
)

// LeadsTo reports whether an upstream is what listens at an address. A proxy in front of itself makes one request as many as it has
// file descriptors.
func LeadsTo(upstream *url.URL, address string) bool {
	return SameAddress(net.JoinHostPort(upstream.Hostname(), portOf(upstream)), address)
}

// SameAddress reports whether two addresses, each HOST:PORT, name one port of this machine, in whatever way. It asks no name server.
func SameAddress(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB {
		return false
	}
	return strings.EqualFold(hostA, hostB) || isLocal(hostA) && isLocal(hostB)
}

// isLocal reports whether a host is this machine, as a client names it or as a listener does that takes every address.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}
