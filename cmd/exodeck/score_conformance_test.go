package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/conformance/offline"
)

// closedPipe is a standard output that nobody reads any more.
type closedPipe struct{}

var errPipe = errors.New("broken pipe")

func (closedPipe) Write([]byte) (int, error) { return 0, errPipe }

// TestConformanceFilesDespitePipe: what score conformance is to keep in files is there, whole, although nobody reads what it prints:
// score conformance --write-baseline FILE | head.
func TestConformanceFilesDespitePipe(t *testing.T) {
	dir := t.TempDir()
	recording := filepath.Join(dir, "rec.jsonl")
	const exchange = `{"seq":1,"session":"s1","started":"2026-03-04T05:06:07Z","request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"Hi"}]}},"response":{"status":500,"body":{"error":"no"}},"ended":"complete"}` + "\n"
	if err := os.WriteFile(recording, []byte(exchange), 0o600); err != nil {
		t.Fatal(err)
	}
	baseline, out := filepath.Join(dir, "known.json"), filepath.Join(dir, "out.json")
	for _, format := range scoreFormats {
		t.Run(format, func(t *testing.T) {
			var stderr bytes.Buffer
			status := run(t.Context(), []string{"exodeck", "score", "conformance", "--tape", recording, "--write-baseline", baseline, "--out", out, "--format", format}, env{
				stdin: strings.NewReader(""), stdout: closedPipe{}, stderr: &stderr, getenv: func(string) string { return "" },
			})
			if status == 0 || !strings.Contains(stderr.String(), "broken pipe") {
				t.Errorf("status %d, stderr %s", status, stderr.String())
			}
			data, err := os.ReadFile(baseline)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := offline.ParseBaseline(data); err != nil || !bytes.Contains(data, []byte(`"http-error"`)) {
				t.Errorf("error %v, baseline %s", err, data)
			}
			if data, err := os.ReadFile(out); err != nil || !bytes.Contains(data, []byte(`"summary":{"http-error":1`)) {
				t.Errorf("error %v, result %s", err, data)
			}
			for _, path := range []string{baseline, out} {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
