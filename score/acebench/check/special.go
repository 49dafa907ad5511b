package check

import (
	"strings"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Sentences are what an answer of each special category must hold, in both languages, since the Chinese prompt asks for them in English
// too.
var Sentences = map[dataset.Category]string{
	dataset.Incomplete: "Missing necessary parameters",
	dataset.ErrorParam: "There is incorrect value",
	dataset.Irrelevant: "the limitations of the function",
}

// Special judges the text of an answer to a special sample. Strict rules judge it as evalscope does.
func Special(r rules.Rules, c dataset.Category, truth pyvalue.Value, text string) (Verdict, error) {
	s := special{official: r == rules.Official, text: text}
	switch name := string(c); {
	case strings.Contains(name, "incomplete"):
		return s.each(truth, s.incomplete)
	case strings.Contains(name, "error"):
		return s.each(truth, s.wrongValue)
	case strings.Contains(name, "irrelevant"):
		return s.irrelevant(), nil
	case s.official:
		return pass, nil
	}
	return Wrong(UnknownCategory, "Unknown special ACEBench category: "+string(c)), nil
}

type special struct {
	official bool
	text     string
}

// each judges every entry of the ground truth; the last failure counts.
func (s special) each(truth pyvalue.Value, judge func(name string, values pyvalue.Value) (Verdict, error)) (Verdict, error) {
	entries, ok := truth.(*pyvalue.Dict)
	if !ok {
		if s.official {
			_, err := asDict(truth, "items")
			return Verdict{}, err
		}
		entries = pyvalue.DictOf("", pyvalue.NewList(truth))
	}
	result := pass
	for name, values := range entries.All() {
		v, err := judge(pyvalue.String(name), values)
		if err != nil {
			return Verdict{}, err
		}
		if !v.Valid {
			result = v
		}
	}
	return result, nil
}

func (s special) incomplete(name string, values pyvalue.Value) (Verdict, error) {
	wrong := func(kind string, values pyvalue.Value) Verdict {
		if s.official {
			return Wrong(kind, "The user's instruction is missing necessary parameters ("+pyvalue.String(values)+") for the ("+name+
				"), but the model failed to correctly point it out")
		}
		return Wrong(kind, "missing parameters ("+pyvalue.String(values)+") of ("+name+") not pointed out")
	}
	if !strings.Contains(s.text, Sentences[dataset.Incomplete]) {
		return wrong(ErrorDetection, values), nil
	}
	if !strings.Contains(s.text, name) {
		return wrong(ErrorCorrection, values), nil
	}
	missed, err := s.missed(values)
	if err != nil || missed == nil {
		return pass, err
	}
	if s.official {
		return wrong(ErrorCorrection, missed), nil
	}
	return wrong(ErrorCorrection, values), nil
}

func (s special) wrongValue(name string, values pyvalue.Value) (Verdict, error) {
	wrong := func(kind string) Verdict {
		if s.official {
			return Wrong(kind, "The user's instruction contains incorrect values ("+pyvalue.String(values)+") of the parameters ("+name+
				"), but the model failed to correctly point it out")
		}
		return Wrong(kind, "incorrect values ("+pyvalue.String(values)+") of ("+name+") not pointed out")
	}
	if !strings.Contains(s.text, Sentences[dataset.ErrorParam]) {
		return wrong(ErrorDetection), nil
	}
	missed, err := s.missed(values)
	if err != nil || missed == nil {
		return pass, err
	}
	return wrong(ErrorCorrection), nil
}

// missed returns the last value that the text does not hold, nil when it holds all. The official scorer takes texts only.
func (s special) missed(values pyvalue.Value) (pyvalue.Value, error) {
	all, err := pyvalue.Elements(values)
	if err != nil {
		return nil, err
	}
	var missed pyvalue.Value
	for _, v := range all {
		if s.official {
			in, err := pyvalue.Contains(pyvalue.Str(s.text), v)
			if err != nil {
				return nil, err
			}
			if !in {
				missed = v
			}
			continue
		}
		if !strings.Contains(s.text, pyvalue.String(v)) {
			missed = v
		}
	}
	return missed, nil
}

func (s special) irrelevant() Verdict {
	if strings.Contains(s.text, Sentences[dataset.Irrelevant]) {
		return pass
	}
	if s.official {
		return Wrong(ErrorDetection, "The model cannot solve this problem, due to the limitations of the function")
	}
	return Wrong(ErrorDetection, "request outside the function scope not pointed out")
}
