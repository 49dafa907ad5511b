package offline_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/offline"
	"github.com/exodeck/exodeck/score/acebench/recorded"
)

// TestResults scores predictions of evalscope: one answer in one language, and a line that is none.
func TestResults(t *testing.T) {
	dir := t.TempDir()
	const lines = `{"model_output": {"choices": [{"message": {"content": "[]"}}]}, "metadata": {"id": "normal_atom_bool_0", "language": "zh"}}` + "\n{}\n"
	if err := os.WriteFile(filepath.Join(dir, "acebench_normal_atom_bool.jsonl"), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	atoms := []dataset.Category{"normal_atom_bool"}
	s, err := offline.Scoring{Categories: atoms}.Results(dir, dataset.Mini())
	if err != nil {
		t.Fatal(err)
	}
	c := s.Runs[0].File.Counts
	if s.Set.Language != dataset.Chinese || len(s.Runs) != 1 || c.Samples != len(s.Set.Samples) || c.Wrong != 1 || c.Missing != c.Samples-1 {
		t.Errorf("language %s, counts %+v", s.Set.Language, c)
	}
	if !slices.ContainsFunc(s.Remarks, func(r string) bool { return strings.HasPrefix(r, "left out: ") && strings.Contains(r, ":2") }) {
		t.Errorf("nothing is said of the second line: %q", s.Remarks)
	}

	_, err = offline.Scoring{Choice: recorded.Choice{Language: dataset.English}, Categories: atoms}.Results(dir, dataset.Mini())
	if err == nil || !strings.HasSuffix(err.Error(), "are to questions in zh: leave out --language en") {
		t.Errorf("of another language: error %v", err)
	}
	if _, err = (offline.Scoring{}).Results(filepath.Join(dir, "gone"), dataset.Mini()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no folder: error %v", err)
	}
}
