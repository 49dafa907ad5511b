package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func noEnv(string) string { return "" }

// TestSimenvCallReference pipes the recorded calls of the reference through the command. Comparing by repr tells 1 from 1.0 and True.
func TestSimenvCallReference(t *testing.T) {
	in := shared.Read(t, "golden/simenv/calls.jsonl")
	var out, stderr bytes.Buffer
	args := []string{"exodeck", "simenv", "call", "--data", shared.Dir(t, "data", "acebench")}
	if status := run(t.Context(), args, env{bytes.NewReader(in), &out, &stderr, noEnv}); status != 0 {
		t.Fatalf("exit status %d: %s", status, stderr.String())
	}
	want, got := bytes.Split(bytes.TrimSpace(in), []byte("\n")), bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(want) != len(got) {
		t.Fatalf("%d lines in, %d lines out", len(want), len(got))
	}
	for i := range want {
		for _, key := range []string{"id", "observations", "rendered", "states_after", "load_error"} {
			if w, g := fieldRepr(t, want[i], key), fieldRepr(t, got[i], key); w != g {
				t.Fatalf("line %d, %s:\nwant %s\n got %s", i+1, key, w, g)
			}
		}
	}
}

// fieldRepr prints one field of a line, "" when it is not there.
func fieldRepr(t *testing.T, line []byte, key string) string {
	t.Helper()
	v, err := pyjson.Decode(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if field, ok := v.(*pyvalue.Dict).GetStr(key); ok {
		return pyvalue.Repr(field)
	}
	return ""
}

// TestSimenvCallConversation: each line is answered before the next is written.
func TestSimenvCallConversation(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	status := make(chan int, 1)
	go func() {
		status <- run(t.Context(), []string{"exodeck", "simenv", "call"}, env{in, out, io.Discard, noEnv})
		out.Close()
	}()
	r := bufio.NewReader(answers)
	for _, tt := range []struct{ line, want string }{
		{`{"id": "a", "language": "en", "involved_classes": ["BaseApi"], "calls": [{"name": "turn_on_wifi"}]}`, "Wi-Fi has been turned on"},
		{`{"id": "b", "language": "zh", "involved_classes": ["BaseApi"], "calls": [{"name": "turn_on_wifi"}]}`, "wifi已经打开"},
		{`{"id": "c", "language": "en", "involved_classes": ["NoApi"]}`, `"load_error": "ValueError: Unknown ACEBench scenario class: NoApi"`},
		{`{"id": "d"`, `{"line":4,"error":`},
	} {
		if _, err := io.WriteString(ask, tt.line+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(answer, tt.want) {
			t.Errorf("%s\nis answered by %s\nwhich lacks %s", tt.line, answer, tt.want)
		}
	}
	ask.Close()
	if got := <-status; got != exitCannotRun {
		t.Errorf("exit status %d after a bad line, want %d", got, exitCannotRun)
	}
}

// TestSimenvCallInterrupted: an interrupt ends the command although it waits for a line that never comes.
func TestSimenvCallInterrupted(t *testing.T) {
	in, ask := io.Pipe()
	defer ask.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, []string{"exodeck", "simenv", "call"}, env{in, io.Discard, io.Discard, noEnv})
	}()
	interrupt()
	select {
	case got := <-status:
		if got != exitInterrupted {
			t.Errorf("exit status %d, want %d", got, exitInterrupted)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the command still waits for a line")
	}
}
