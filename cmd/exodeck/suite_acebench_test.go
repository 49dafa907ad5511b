package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score"
)

// TestACEBenchFileDespitePipe: the run file is there, whole, although nobody reads what is printed: score acebench --out FILE | head.
func TestACEBenchFileDespitePipe(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run.json")
	for _, format := range scoreFormats {
		t.Run(format, func(t *testing.T) {
			var stderr bytes.Buffer
			status := run(t.Context(), []string{"exodeck", "score", "acebench", "--tape", "../../fixtures/cassettes/acebench_mini.cassette.jsonl", "--out", out, "--format", format}, env{
				stdin: strings.NewReader(""), stdout: closedPipe{}, stderr: &stderr, getenv: func(string) string { return "" },
			})
			if status == 0 || !strings.Contains(stderr.String(), "broken pipe") {
				t.Errorf("status %d, stderr %s", status, stderr.String())
			}
			data, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if outcomes, err := score.ParseOutcomes(data); err != nil || len(outcomes) != 17 {
				t.Errorf("error %v, outcomes %v", err, outcomes)
			}
			if err := os.Remove(out); err != nil {
				t.Fatal(err)
			}
		})
	}
}
