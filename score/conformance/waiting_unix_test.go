//go:build unix

package conformance

import (
	"context"
	"os/signal"
	"syscall"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

// TestStopped: what ends a context by a signal is what an exchange says of a run that was stopped.
func TestStopped(t *testing.T) {
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGUSR1)
	defer stop()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	for _, tt := range []struct {
		cause string
		want  bool
	}{
		{context.Cause(ctx).Error(), true},
		{context.Canceled.Error(), false},
		{context.DeadlineExceeded.Error(), false},
		{"", false},
	} {
		j := &trial{Exchange: &reading.Exchange{Exchange: &tape.Exchange{Cause: tt.cause}}}
		if got := j.stopped(); got != tt.want {
			t.Errorf("%q means that the client was stopped: %v", tt.cause, got)
		}
	}
}
