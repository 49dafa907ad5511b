package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/exodeck/exodeck/proxy/tape"
)

// judged is what a run file says of one sample.
type judged struct {
	sample  string
	api     tape.API // "" for any
	verdict string   // failed, passed or missing
}

// readVerdicts returns a function that tells the exchanges of samples with a verdict in a run file. The exchanges carry the name of their sample as a label. Of a sample that was asked
// several times all are taken when one has the verdict.
func readVerdicts(path, verdict string) (func(*tape.Exchange) bool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the run file: %w", err)
	}
	all, err := parseVerdicts(data)
	if err != nil {
		return nil, fmt.Errorf("reading the run file %s: %w", path, err)
	}
	chosen := map[judged]bool{}
	for _, j := range all {
		if j.verdict == verdict {
			chosen[j] = true
		}
	}
	if len(chosen) == 0 {
		return nil, &exitError{exitMissing, fmt.Errorf("the run file %s has no sample that %s", path, map[string]string{"failed": "failed", "passed": "passed", "missing": "is missing"}[verdict])}
	}
	return func(x *tape.Exchange) bool {
		sample := x.Labels["sample"]
		return sample != "" && (chosen[judged{sample, x.Facts.API, verdict}] || chosen[judged{sample, "", verdict}])
	}, nil
}

// parseVerdicts reads run files of all suites: "results" of exo's scenarios, "samples" of ACEBench, alone or under "runs".
func parseVerdicts(data []byte) ([]judged, error) {
	type sample struct {
		ID     string
		Valid  bool
		Status string
	}
	type result struct {
		Name   string
		API    tape.API
		Passed bool
	}
	var file struct {
		Results *[]result
		Exodeck struct{ Missing []result }
		Samples *[]sample
		Runs    []struct{ Result struct{ Samples []sample } }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	var all []judged
	outcome := func(passed bool) string {
		if passed {
			return "passed"
		}
		return "failed"
	}
	if file.Results != nil {
		for _, r := range *file.Results {
			all = append(all, judged{r.Name, r.API, outcome(r.Passed)})
		}
		for _, r := range file.Exodeck.Missing {
			all = append(all, judged{r.Name, r.API, "missing"})
		}
		return all, nil
	}
	var samples []sample
	if file.Samples != nil {
		samples = *file.Samples
	}
	for _, run := range file.Runs {
		samples = append(samples, run.Result.Samples...)
	}
	if file.Samples == nil && file.Runs == nil {
		return nil, fmt.Errorf(`it has neither "results" nor "samples"; name a file that --out of exodeck score wrote`)
	}
	for _, s := range samples {
		verdict := outcome(s.Valid)
		if s.Status != "" && s.Status != "ok" {
			verdict = "missing"
		}
		all = append(all, judged{s.ID, "", verdict})
	}
	return all, nil
}
