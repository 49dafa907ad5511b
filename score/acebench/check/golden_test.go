package check_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// An outcome is what a reference program made of an input, as the vectors write it.
type outcome struct {
	Raises    string  `json:"raises"`
	Valid     bool    `json:"valid"`
	ErrorType string  `json:"error_type"`
	Error     string  `json:"error"`
	Prefix    *string `json:"error_prefix"`
}

// compare reports where a verdict differs from the vector. Messages of the Python parser and messages with sets in them are not
// compared, nor the text of an exception.
func (want outcome) compare(t *testing.T, id string, r rules.Rules, got check.Verdict, err error) {
	t.Helper()
	if want.Raises != "" {
		var raised *pyvalue.Exception
		name, _, _ := strings.Cut(want.Raises, ":")
		if !errors.As(err, &raised) || raised.Type != name {
			t.Errorf("%s %s: got %+v, %v, want %s", id, r, got, err, want.Raises)
		}
		return
	}
	if err != nil {
		t.Errorf("%s %s: error %v, want %+v", id, r, err, want)
		return
	}
	if got.Valid != want.Valid || got.Type != want.ErrorType {
		t.Errorf("%s %s: got valid=%v type %q (%s), want valid=%v type %q (%s)", id, r, got.Valid, got.Type, got.Error, want.Valid, want.ErrorType, want.Error)
		return
	}
	if got.Type == check.WrongFormat || strings.Contains(got.Error, "<class 'set'>") {
		return
	}
	same := got.Error == want.Error
	if want.Prefix != nil {
		same = strings.HasPrefix(got.Error, *want.Prefix)
		want.Error = *want.Prefix
	}
	if !same {
		t.Errorf("%s %s: error text\n got %s\nwant %s", id, r, got.Error, want.Error)
	}
}

func value(t *testing.T, raw json.RawMessage) pyvalue.Value {
	t.Helper()
	if raw == nil {
		return pyvalue.None{}
	}
	v, err := pyjson.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// data opens the official data beside the vectors.
func data(t *testing.T) map[dataset.Language]*dataset.Set {
	t.Helper()
	d, err := dataset.Open(shared.Dir(t, "data", "acebench"))
	if err != nil {
		t.Fatal(err)
	}
	sets := map[dataset.Language]*dataset.Set{}
	for _, l := range dataset.Languages() {
		if sets[l], err = d.Load(l); err != nil {
			t.Fatal(err)
		}
	}
	return sets
}

func TestEndStateVectors(t *testing.T) {
	type row struct {
		ID    string `json:"id"`
		Input struct {
			Lang     dataset.Language `json:"lang"`
			Sample   string           `json:"sample"`
			Truth    json.RawMessage  `json:"ground_truth"`
			Mutation string           `json:"mutation"`
			Result   json.RawMessage  `json:"result"`
		} `json:"input"`
		Evalscope outcome  `json:"evalscope"`
		Official  *outcome `json:"official"`
	}
	sets := data(t)
	shared.Lines(t, "golden/acebench/agent_state.jsonl", func(_ int, r row) {
		truth := value(t, r.Input.Truth)
		if r.Input.Mutation != "inline" {
			truth = sets[r.Input.Lang].Sample(r.Input.Sample).GroundTruth
		}
		result := value(t, r.Input.Result)
		got, err := check.EndState(rules.Evalscope, result, truth)
		r.Evalscope.compare(t, r.ID, rules.Evalscope, got, err)
		if r.Official != nil {
			got, err := check.EndState(rules.Official, result, truth)
			r.Official.compare(t, r.ID, rules.Official, got, err)
		}
	})
}

func TestMilestoneVectors(t *testing.T) {
	type row struct {
		ID    string `json:"id"`
		Input struct {
			Lang      dataset.Language `json:"lang"`
			Sample    string           `json:"sample"`
			MileStone json.RawMessage  `json:"mile_stone"`
			Mutation  string           `json:"mutation"`
			Process   json.RawMessage  `json:"process"`
		} `json:"input"`
		Evalscope struct {
			Process float64 `json:"process_acc"`
		} `json:"evalscope"`
		Official *struct {
			Raises  string  `json:"raises"`
			Process float64 `json:"process_accuracy"`
		} `json:"official"`
	}
	sets := data(t)
	shared.Lines(t, "golden/acebench/milestones.jsonl", func(_ int, r row) {
		stones := value(t, r.Input.MileStone)
		if r.Input.Mutation != "inline" {
			stones = sets[r.Input.Lang].Sample(r.Input.Sample).MileStone
		}
		process := value(t, r.Input.Process)
		got, err := check.Milestones(rules.Evalscope, process, stones)
		if err != nil || got.Share != r.Evalscope.Process {
			t.Errorf("%s: %v, %v, want %v", r.ID, got, err, r.Evalscope.Process)
		}
		if r.Official == nil {
			return
		}
		got, err = check.Milestones(rules.Official, process, stones)
		if r.Official.Raises != "" {
			if err == nil || err.Error() != r.Official.Raises {
				t.Errorf("%s: official %v, %v, want %s", r.ID, got, err, r.Official.Raises)
			}
			return
		}
		if err != nil || got.Share != r.Official.Process {
			t.Errorf("%s: official %v, %v, want %v", r.ID, got, err, r.Official.Process)
		}
	})
}

// judge decodes an answer and checks it, as a scorer does.
func judge(r rules.Rules, c dataset.Category, functions, truth pyvalue.Value, raw string) (check.Verdict, error) {
	if c.Family() == dataset.Special {
		return check.Special(r, c, truth, raw)
	}
	calls, err := decode.Calls(r, c.Dialogues(), raw)
	var format *decode.FormatError
	if errors.As(err, &format) {
		return check.Wrong(check.WrongFormat, format.Error()), nil
	}
	if err != nil {
		return check.Verdict{}, err
	}
	return check.NewKey(r, c, functions, truth).Check(calls)
}

func TestCheckVectors(t *testing.T) {
	type row struct {
		ID    string `json:"id"`
		Input struct {
			Lang     dataset.Language `json:"lang"`
			Sample   string           `json:"sample"`
			Category dataset.Category `json:"category"`
			Raw      json.RawMessage  `json:"raw"`
		} `json:"input"`
		Evalscope outcome `json:"evalscope"`
		Official  outcome `json:"official"`
	}
	sets := data(t)
	shared.Lines(t, "golden/acebench/check.jsonl", func(_ int, r row) {
		s := sets[r.Input.Lang].Sample(r.Input.Sample)
		raw, _ := value(t, r.Input.Raw).(pyvalue.Str)
		got, err := judge(rules.Evalscope, r.Input.Category, s.Function, s.GroundTruth, string(raw))
		r.Evalscope.compare(t, r.ID, rules.Evalscope, got, err)
		got, err = judge(rules.Official, r.Input.Category, s.Function, s.GroundTruth, string(raw))
		r.Official.compare(t, r.ID, rules.Official, got, err)
	})
}

func TestSynthVectors(t *testing.T) {
	type row struct {
		ID    string `json:"id"`
		Input struct {
			Category  dataset.Category `json:"category"`
			Functions json.RawMessage  `json:"functions"`
			Truth     json.RawMessage  `json:"ground_truth"`
			Raw       json.RawMessage  `json:"raw"`
		} `json:"input"`
		Evalscope outcome `json:"evalscope"`
		Official  outcome `json:"official"`
	}
	shared.Lines(t, "golden/acebench/check_synth.jsonl", func(_ int, r row) {
		functions, truth := value(t, r.Input.Functions), value(t, r.Input.Truth)
		raw, _ := value(t, r.Input.Raw).(pyvalue.Str)
		got, err := judge(rules.Evalscope, r.Input.Category, functions, truth, string(raw))
		r.Evalscope.compare(t, r.ID, rules.Evalscope, got, err)
		got, err = judge(rules.Official, r.Input.Category, functions, truth, string(raw))
		r.Official.compare(t, r.ID, rules.Official, got, err)
	})
}
