package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/exodeck/exodeck/proxy"
)

// listener is an open address, with the one upstream that it serves; "" for all.
type listener struct {
	net.Listener
	upstream string
}

// address is where to listen, as a flag says it.
type address struct {
	flag, value string
	upstream    string // that --listen-for names
}

// parseListenFor reads NAME=ADDRESS.
func parseListenFor(s string) (address, error) {
	name, value, ok := strings.Cut(s, "=")
	if !ok || name == "" {
		return address{}, fmt.Errorf("--listen-for %q is not of the form name=address; write it like gpu=127.0.0.1:52417", s)
	}
	return address{"--listen-for", value, name}, nil
}

// check refuses what is no address, and what other machines would reach unless that is meant.
func (a address) check(allowRemote bool) error {
	host, port, err := net.SplitHostPort(a.value)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	switch {
	case err != nil:
		example := defaultListen
		if a.flag != "--listen" {
			example = "127.0.0.1:52417" // beside it
		}
		return fmt.Errorf("%s %q is no address and port; write it like %s", a.flag, a.value, example)
	case isLoopback(host) || allowRemote:
		return nil
	case a.flag == "--admin":
		return fmt.Errorf("--admin %s would let other machines read the metrics; add --allow-remote if that is meant", a.value)
	}
	return fmt.Errorf("%s %s would let other machines use exo through this one and be recorded; add --allow-remote if that is meant", a.flag, a.value)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// listen opens addresses, all or none.
func listen(addresses []address) (listeners []listener, err error) {
	for _, a := range addresses {
		ln, err := net.Listen("tcp", a.value)
		if err != nil {
			closeAll(listeners)
			return nil, listenError(a, err)
		}
		listeners = append(listeners, listener{ln, a.upstream})
	}
	return listeners, nil
}

func closeAll(listeners []listener) {
	for _, l := range listeners {
		_ = l.Close() // serving may have closed it
	}
}

// serveAll serves all listeners until ctx is done or one of them fails.
func serveAll(ctx context.Context, server *proxy.Server, listeners []listener) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, l := range listeners {
		g.Go(func() error {
			if l.upstream != "" {
				return server.ServeNamed(ctx, l, l.upstream)
			}
			return server.Serve(ctx, l)
		})
	}
	return g.Wait()
}

func listenError(a address, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		free := address{a.flag, "127.0.0.1:0", a.upstream}
		return fmt.Errorf("%s is taken: another exodeck may be recording there; stop it, or choose another port with %s", a.value, free)
	}
	return fmt.Errorf("%w; choose another address with %s", err, a.flag)
}

// String is the flag as it is written.
func (a address) String() string {
	if a.upstream == "" {
		return a.flag + " " + a.value
	}
	return a.flag + " " + a.upstream + "=" + a.value
}
