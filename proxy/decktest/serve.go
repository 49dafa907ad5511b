package decktest

import (
	"context"
	"net"
	"sync"
	"testing"
)

// Server serves a listener until its context is done: that of package proxy does, and that of package replay/server.
type Server interface {
	Serve(context.Context, net.Listener) error
}

// Serve starts a server on a free port of the loopback interface. It returns the base URL, and what stops the server as the first signal
// does, which the end of the test does too. A server that does not end well fails the test.
func Serve(t testing.TB, s Server) (base string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	t.Cleanup(stop)
	return "http://" + ln.Addr().String(), stop
}
