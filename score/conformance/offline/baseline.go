package offline

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
)

// Baseline is a list of problems that are known, so that only new ones fail. A problem is known by its code, the API, the mode of the
// answer and what was asked; so it is known in a new recording of the same questions, too.
type Baseline struct {
	known map[knownProblem]bool
}

// knownProblem is an entry of a baseline.
type knownProblem struct {
	Code   string   `json:"code"`
	API    tape.API `json:"api"`
	Stream bool     `json:"stream"`
	// Question is a digest of what was asked, in whatever API.
	Question string `json:"question"`
}

// baselineFile is the form of a baseline on disk.
type baselineFile struct {
	Version  int            `json:"baseline"`
	Problems []knownProblem `json:"problems"`
}

// writesBaseline says how to come by a baseline.
const writesBaseline = "score conformance --write-baseline FILE writes one"

// ParseBaseline reads a baseline.
func ParseBaseline(data []byte) (*Baseline, error) {
	var f baselineFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("reading the baseline: %w; %s", err, writesBaseline)
	}
	if f.Version != 1 {
		return nil, errors.New(`reading the baseline: it does not begin with {"baseline":1; ` + writesBaseline)
	}
	b := &Baseline{known: make(map[knownProblem]bool)}
	for _, p := range f.Problems {
		b.known[p] = true
	}
	return b, nil
}

// Len returns how many problems are known.
func (b *Baseline) Len() int { return len(b.known) }

// Encode writes the baseline, in an order that is always the same.
func (b *Baseline) Encode() ([]byte, error) {
	f := baselineFile{Version: 1, Problems: []knownProblem{}}
	for p := range b.known {
		f.Problems = append(f.Problems, p)
	}
	rank := make(map[string]int)
	for i, c := range conformance.Codes {
		rank[c.Name] = i
	}
	slices.SortFunc(f.Problems, func(x, y knownProblem) int {
		return cmp.Or(rank[x.Code]-rank[y.Code], cmp.Compare(x.Code, y.Code), cmp.Compare(x.API, y.API), cmp.Compare(x.Question, y.Question), compareBool(x.Stream, y.Stream))
	})
	data, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the baseline: %w", err)
	}
	return append(data, '\n'), nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// add puts all problems of a report into the baseline.
func (b *Baseline) add(r *conformance.Report, asked string) {
	if b.known == nil {
		b.known = make(map[knownProblem]bool)
	}
	for _, p := range r.Problems {
		b.known[knownProblem{p.Code, r.API, r.Stream, asked}] = true
	}
}

// mark marks the problems of a report that the baseline has. A nil baseline has none.
func (b *Baseline) mark(r *conformance.Report, asked string) {
	if b == nil {
		return
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		p.Known = b.known[knownProblem{p.Code, r.API, r.Stream, asked}]
	}
}

// questionName is how a baseline names what an exchange asks, see [conformance.Asked].
func questionName(sum [32]byte) string { return hex.EncodeToString(sum[:8]) }
