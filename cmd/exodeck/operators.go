package main

import (
	"context"
	"log/slog"
	"net"

	"github.com/exodeck/exodeck/proxy/admin"
	"github.com/exodeck/exodeck/proxy/tape"
)

// operators is the listener for those who keep the recorder running. It lives until the last exchange has ended.
type operators struct {
	address string // where it listens; "" when there is none
	metrics *admin.Metrics
	stop    func()
}

func startOperators(ctx context.Context, at string, recorder *tape.Recorder, log *slog.Logger) (operators, error) {
	ln, err := net.Listen("tcp", at)
	if err != nil {
		return operators{}, listenError(address{"--admin", at, ""}, err)
	}
	metrics := admin.NewMetrics(recorder)
	server := admin.New(metrics, recorder)
	server.Log = log
	server.Name, _, _ = net.SplitHostPort(at)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(ctx, ln); err != nil {
			log.Error("health and metrics are gone, recording goes on", "error", err)
		}
	}()
	stop := func() {
		cancel()
		<-done
	}
	return operators{ln.Addr().String(), metrics, stop}, nil
}
