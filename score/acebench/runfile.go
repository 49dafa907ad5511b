package acebench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// Schema is the version of the run file. Fields may be added to it without a new version; none changes its meaning.
const Schema = 1

// A RunFile is the outcome of one scoring as JSON. The same recording, rules and data give the same bytes on every machine.
type RunFile struct {
	Schema      int    `json:"schema"`
	Exodeck     string `json:"exodeck"` // the version that scored
	Suite       string `json:"suite"`
	Rules       string `json:"rules"`
	Recording   string `json:"recording"`    // digest of what was recorded, "" when nothing was
	RulesDigest string `json:"rules_digest"` // digest of the rule set
	Data        string `json:"data"`         // digest of the data set's files
	Verdicts    string `json:"verdicts"`     // digest of the samples below

	Language   dataset.Language                        `json:"language"`
	Missing    MissingPolicy                           `json:"missing"`
	Errors     ErrorPolicy                             `json:"errors"`
	Counts     Counts                                  `json:"counts"`
	Categories map[dataset.Category]aggregate.Category `json:"categories"`
	Groups     map[string]aggregate.Score              `json:"groups,omitempty"`  // not under the official rules
	Overall    *aggregate.Score                        `json:"overall,omitempty"` // not under the official rules
	Row        aggregate.Row                           `json:"row,omitempty"`     // under the official rules: the result sheet
	Samples    []Result                                `json:"samples"`
}

// Counts tells how many samples there are of each outcome.
type Counts struct {
	Samples     int `json:"samples"`
	Right       int `json:"right"`
	Wrong       int `json:"wrong"`
	Missing     int `json:"missing"`
	ScorerError int `json:"scorer_error"`
	Diverged    int `json:"diverged"`
	Ambiguous   int `json:"ambiguous"`
	Unasked     int `json:"unasked"` // of those that are wrong
}

// RunFile returns the report as a run file. The recording is named by its digest.
func (r *Report) RunFile(version, recording string) (*RunFile, error) {
	f := &RunFile{
		Schema: Schema, Exodeck: version, Suite: "acebench",
		Rules: r.Rules.String(), Recording: recording, RulesDigest: r.Rules.Digest(), Data: r.Data,
		Language: r.Language, Missing: r.missing, Errors: r.errors, Counts: r.Counts(),
		Categories: r.Scores.Categories, Groups: r.Scores.Groups, Overall: r.Scores.Overall,
		Samples: r.Results,
	}
	if r.Table != nil {
		f.Categories, f.Groups, f.Overall = officialCategories(r.Table), nil, nil
		f.Row = r.Table.Row
	}
	digest, err := r.Digest()
	f.Verdicts = digest
	return f, err
}

// Digest identifies the verdicts: the SHA-256 over the results as lines of JSON.
func (r *Report) Digest() (string, error) {
	h := sha256.New()
	for i := range r.Results {
		line, err := encode(r.Results[i], "")
		if err != nil {
			return "", fmt.Errorf("digesting the verdict on %s: %w", r.Results[i].ID, err)
		}
		h.Write(line)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// officialCategories brings the official figures into the common form.
func officialCategories(t *aggregate.Table) map[dataset.Category]aggregate.Category {
	all := make(map[dataset.Category]aggregate.Category, len(t.Categories))
	for c, got := range t.Categories {
		all[c] = aggregate.Category{Accuracy: got.Accuracy, ProcessAcc: got.ProcessAccuracy, Num: got.Total}
	}
	return all
}

// Encode returns the run file as indented JSON with a newline at its end.
func (f *RunFile) Encode() ([]byte, error) { return encode(f, " ") }

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}
