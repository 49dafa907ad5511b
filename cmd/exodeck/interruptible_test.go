package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestParseInterrupted interrupts a command that waits for its standard input.
func TestParseInterrupted(t *testing.T) {
	stdin, typed := io.Pipe()
	defer typed.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		io.WriteString(typed, "{")
		interrupt()
	}()
	var stderr strings.Builder
	e := testEnv(t.TempDir(), &stderr)
	e.stdin = stdin
	if status := run(ctx, []string{"exodeck", "parse", "--api", "openai"}, e); status != exitInterrupted {
		t.Errorf("exit status %d: %s", status, stderr.String())
	}
}
