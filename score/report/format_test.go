package report

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/google/go-cmp/cmp"
)

func TestVectorFormat(t *testing.T) {
	counts := map[string]int{}
	shared.Lines(t, "golden/exo/eval_golden/format.jsonl", func(line int, r struct {
		Kind, Terminal, JSON, Text string
		Value                      json.RawMessage
		Passed, Total              int
		Items                      json.RawMessage
		InputJSON                  string `json:"input_json"`
		Arguments                  string
	}) {
		counts[r.Kind]++
		switch r.Kind {
		case "latency":
			var text string
			if err := json.Unmarshal(r.Value, &text); err != nil {
				t.Fatal(err)
			}
			ms, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if got := wholeMS(ms); got != r.Terminal {
				t.Errorf("line %d: %s on the terminal is %q, want %q", line, text, got, r.Terminal)
			}
			if got := pyvalue.Repr(pyvalue.Float(tenths(ms))); got != r.JSON {
				t.Errorf("line %d: %s in JSON is %q, want %q", line, text, got, r.JSON)
			}
		case "percent":
			if got := percent(score.Tally{Passed: r.Passed, Total: r.Total}); got != r.Text {
				t.Errorf("line %d: %d of %d is %q, want %q", line, r.Passed, r.Total, got, r.Text)
			}
		}
	})
	want := map[string]int{"latency": 152, "percent": 22, "repr_list": 30, "claude_input_to_arguments": 20, "json_number": 17}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("rows seen (-want +got):\n%s", diff)
	}
}

func TestAverageKeepsTies(t *testing.T) {
	var verdicts []score.Verdict
	for range 10 {
		verdicts = append(verdicts, score.Verdict{Status: score.OK, LatencyMS: 0.1})
	}
	// Added up one by one, ten times 0.1 is 0.9999999999999999.
	if got := averageMS(verdicts); got != 0.1 {
		t.Errorf("the mean of ten times 0.1 is %v", got)
	}
	verdicts = append(verdicts, score.Verdict{Status: score.Missing})
	if got := averageMS(verdicts); got != 0.1 {
		t.Errorf("a missing answer counts into the mean: %v", got)
	}
	if got := averageMS(nil); got != 0 {
		t.Errorf("the mean of nothing is %v", got)
	}
}

func TestTenths(t *testing.T) {
	for _, tt := range []struct{ ms, want float64 }{
		{0, 0}, {12.5, 12.5}, {0.25, 0.2}, {0.35, 0.3}, {0.45, 0.5}, {99.95, 100}, {math.Inf(1), math.Inf(1)},
	} {
		if got := tenths(tt.ms); got != tt.want {
			t.Errorf("tenths(%v) = %v, want %v", tt.ms, got, tt.want)
		}
	}
	if !math.IsNaN(tenths(math.NaN())) {
		t.Error("tenths(NaN) is a number")
	}
	if _, err := pyjson.Encode(pyvalue.Float(tenths(1e300)), pyjson.Default); err != nil {
		t.Error(err)
	}
}
