package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Result is what a run file says of a sample in one word.
type Result string

const (
	Passed   Result = "passed"
	Failed   Result = "failed"
	NoAnswer Result = "missing" // it could not be judged
)

// ParseResult reads the name of a result.
func ParseResult(s string) (Result, error) {
	if r := Result(s); slices.Contains([]Result{Failed, Passed, NoAnswer}, r) {
		return r, nil
	}
	return "", fmt.Errorf("a result is failed, passed or missing, not %q", s)
}

// Outcome is what a run file says of one sample. Of a sample that was asked several times there are several.
type Outcome struct {
	Sample string
	API    tape.API // "" for any
	Result Result
}

// ErrNotRunFile means that JSON is no run file of any suite.
var ErrNotRunFile = errors.New(`it has neither "results" nor "samples"; name a file that --out of exodeck score wrote`)

// ParseOutcomes reads what run files of all suites have in common: the outcomes of their samples. They stand under "results" in the file of
// exo's scenarios, under "samples" in that of ACEBench, and there under "runs" when it has several.
func ParseOutcomes(data []byte) ([]Outcome, error) {
	type result struct {
		Name   string
		API    tape.API
		Passed bool
	}
	type sample struct {
		ID     string
		Valid  bool
		Status Status
	}
	var file struct {
		Results *[]result
		Exodeck json.RawMessage // an object in the file of exo's scenarios, the version in that of ACEBench
		Samples *[]sample
		Runs    []struct{ Result struct{ Samples []sample } }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	of := map[bool]Result{true: Passed, false: Failed}
	var all []Outcome
	if file.Results != nil {
		for _, r := range *file.Results {
			all = append(all, Outcome{r.Name, r.API, of[r.Passed]})
		}
		var exodeck struct{ Missing []result }
		if len(file.Exodeck) > 0 {
			if err := json.Unmarshal(file.Exodeck, &exodeck); err != nil {
				return nil, fmt.Errorf("its key exodeck: %w", err)
			}
		}
		for _, r := range exodeck.Missing {
			all = append(all, Outcome{r.Name, r.API, NoAnswer})
		}
		return all, nil
	}
	var samples []sample
	switch {
	case file.Samples != nil:
		samples = *file.Samples
	case file.Runs == nil:
		return nil, ErrNotRunFile
	}
	for _, run := range file.Runs {
		samples = append(samples, run.Result.Samples...)
	}
	for _, s := range samples {
		o := Outcome{s.ID, "", of[s.Valid]}
		if s.Status != "" && s.Status != OK {
			o.Result = NoAnswer
		}
		all = append(all, o)
	}
	return all, nil
}
