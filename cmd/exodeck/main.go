// Command exodeck records what passes between clients and exo, and scores the recordings offline.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	outlivePipes()
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	status := run(ctx, os.Args, env{
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		getenv: os.Getenv,
	})
	stop()
	os.Exit(status)
}
