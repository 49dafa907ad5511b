package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// endSignals are the signals that end a command in good order. A terminal that is closed sends SIGHUP; under nohup it stays ignored.
func endSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// outlivePipes keeps the process alive when nobody reads its output any more: writing fails instead, which ends most commands at once, by
// [exitUnread] and after they have cleaned up. Others have something to finish: Ctrl-C in "exodeck record 2>&1 | tee log" ends tee too, and
// exchanges are in flight, or a model runs on a cluster.
func outlivePipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// onSecondSignal calls stop when another signal comes while what is in flight when serving ends is finished. The function it returns
// ends the waiting for one and reports whether one came.
func onSecondSignal(serving context.Context, stop func()) (release func() (came bool)) {
	again := make(chan os.Signal, 2)
	done := make(chan struct{})
	finished := make(chan bool, 1)
	go func() {
		came := false
		defer func() { finished <- came }()
		select {
		case <-serving.Done():
		case <-done:
			return
		}
		signal.Notify(again, endSignals()...)
		defer signal.Stop(again)
		select {
		case <-again:
			came = true
			stop()
		case <-done:
		}
	}()
	return func() bool {
		close(done)
		return <-finished
	}
}
