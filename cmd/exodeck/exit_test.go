package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestBoth: of two ends of a command the graver decides the exit status, and what either has to say is said.
func TestBoth(t *testing.T) {
	var (
		unrecorded  = &exitError{exitCannotRun, errors.New("2 exchanges went unrecorded")}
		interrupted = &exitError{exitInterrupted, nil}
		wrapped     = &exitError{7, nil}
		failed      = &exitError{1, nil}
	)
	tests := []struct {
		name   string
		a, b   error
		status int
		stderr string
	}{
		{"all is well", nil, nil, 0, ""},
		{"a wrapped command failed", wrapped, nil, 7, ""},
		{"and something went unrecorded", wrapped, unrecorded, 4, "exodeck: 2 exchanges went unrecorded\n"},
		{"only that", nil, unrecorded, 4, "exodeck: 2 exchanges went unrecorded\n"},
		{"interrupted", interrupted, unrecorded, 130, "exodeck: 2 exchanges went unrecorded\n"},
		{"a check failed", failed, unrecorded, 4, "exodeck: 2 exchanges went unrecorded\n"},
		{"canceled inside", fmt.Errorf("asking: %w", context.Canceled), unrecorded, 130,
			"exodeck: interrupted\n2 exchanges went unrecorded\n"},
		{"canceled, and not cleaned up", fmt.Errorf("running: %w", errors.Join(context.Canceled, errors.New("i1 is still there"))), nil, 130,
			"exodeck: interrupted\ni1 is still there\n"},
		{"any other error", errors.New("no"), nil, 4, "exodeck: no\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stderr bytes.Buffer
			status := env{stderr: &stderr}.exitStatus(both(tt.a, tt.b))
			if status != tt.status || stderr.String() != tt.stderr {
				t.Errorf("exit status %d, want %d; stderr %q, want %q", status, tt.status, stderr.String(), tt.stderr)
			}
		})
	}
}
