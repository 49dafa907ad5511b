package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestUnread: a command whose output nobody reads any more ends quietly, as one that SIGPIPE ends; where its result is in a file too, by its
// verdict.
func TestUnread(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no SIGPIPE")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "run.json")
	exo, ace := "../../fixtures/cassettes/exo_fail.cassette.jsonl", "../../fixtures/cassettes/acebench_mini.cassette.jsonl"
	tests := []struct {
		name   string
		args   string
		status int
	}{
		{"tape ls", "tape ls --tape " + exo, 141},
		{"tape grep", "tape grep --tape " + exo + " tide", 141},
		{"score exo", "score exo --tape " + exo, 141},
		{"score exo, json", "score exo --format json --tape " + exo, 141},
		{"score exo, kept", "score exo --tape " + exo + " --out " + out, 1},
		{"score exo, kept, github", "score exo --format github --tape " + exo + " --out " + out, 1},
		{"score conformance", "score conformance --tape " + exo, 141},
		{"score conformance, kept", "score conformance --tape " + exo + " --out " + out, 0},
		{"score conformance, baseline", "score conformance --tape " + exo + " --write-baseline " + out, 0},
		{"score acebench", "score acebench --tape " + ace, 141},
		{"score acebench, kept", "score acebench --tape " + ace + " --out " + out, 0},
		{"conformance codes", "conformance codes", 141},
		{"cassette export", "cassette export --tape " + exo, 141},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			r.Close()
			var stderr bytes.Buffer
			status := run(t.Context(), append([]string{"exodeck"}, strings.Fields(tt.args)...), env{
				stdin: strings.NewReader(""), stdout: w, stderr: &stderr, getenv: func(string) string { return "" },
			})
			if status != tt.status || strings.Contains(stderr.String(), "pipe") {
				t.Errorf("status %d, want %d; stderr:\n%s", status, tt.status, stderr.String())
			}
			if _, err := os.Stat(out); strings.Contains(tt.args, out) && err != nil {
				t.Error(err)
			}
			if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		})
	}
}

// TestBothUnread: that nobody reads any more hides nothing else that went wrong.
func TestBothUnread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	_, unread := w.WriteString("x")
	if !isUnread(unread) && runtime.GOOS != "windows" {
		t.Fatalf("%v means that nobody reads", unread)
	}
	unrecorded := &exitError{exitCannotRun, errors.New("2 exchanges went unrecorded")}
	for _, err := range []error{both(unread, unrecorded), both(unrecorded, unread)} {
		var stderr bytes.Buffer
		status := env{stderr: &stderr}.exitStatus(err)
		if status != exitCannotRun || !strings.Contains(stderr.String(), "went unrecorded") {
			t.Errorf("status %d, stderr %q", status, stderr.String())
		}
	}
	for _, err := range []error{
		context.Canceled,
		&net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}, // a server that closed
		nil,
	} {
		if isUnread(err) {
			t.Errorf("%v is something else", err)
		}
	}
}
