package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/scenario/cluster"
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

// TestNothingAsked: a recording whose run could ask nothing leaves nothing to score, whatever the run failed at and although the run itself
// exited with 4. A tape that cannot be read is what cannot run offline.
func TestNothingAsked(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		status int
	}{
		{"the run was interrupted while it waited", fmt.Errorf("waiting for a placement of m: %w", cluster.ErrRecordingEnds), 3},
		{"it waited for its instance in vain", &cluster.StartError{Err: cluster.ErrRecordingEnds}, 3},
		{"there was no place", cluster.ErrNoPlacement, 3},
		{"exo refused", &cluster.HTTPError{Method: "POST", Path: "/instance", Status: 422}, 3},
		{"the tape is damaged", fmt.Errorf("GET /models: %w", &tape.Error{Op: "reading a body from", Path: "a.tape", Err: tape.ErrDamaged}), 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := scoreExoConfig{Tape: "a.tape"}.nothingAsked(tt.err)
			if status := statusOf(err); status != tt.status || err.Error() != "scoring a.tape: "+tt.err.Error() {
				t.Errorf("status %d, want %d; error %v", status, tt.status, err)
			}
		})
	}
}
