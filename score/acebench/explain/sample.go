package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Sample is a sample of the data set as people read it. Values are written as Python does.
type Sample struct {
	ID       string           `json:"id"`
	Language dataset.Language `json:"language"`
	Category dataset.Category `json:"category"`
	Place    string           `json:"place"` // file and line

	Question  string   `json:"question"`
	Time      string   `json:"time,omitempty"`
	Profile   string   `json:"profile,omitempty"`
	Functions []string `json:"functions"` // signatures, name(required: type, optional: type = default, other?: type)

	// Expected is what a right answer is: of a normal sample each alternative as an answer, of a special one the ground truth, of an agent
	// the end state of each class.
	Expected []string `json:"expected"`

	Classes    []string   `json:"classes,omitempty"`    // agents: the simulated classes
	Config     string     `json:"config,omitempty"`     // agents: what they start from
	Milestones [][]string `json:"milestones,omitempty"` // agents: alternatives
}

// Describe returns a sample as people read it.
func Describe(s *dataset.Sample) Sample {
	d := Sample{
		ID: s.ID, Language: s.Language, Category: s.Category, Place: fmt.Sprintf("%s:%d", s.File, s.Line),
		Question: s.Question, Time: s.Time, Profile: s.Profile, Classes: s.InvolvedClasses,
	}
	for _, f := range elements(s.Function) {
		d.Functions = append(d.Functions, signature(f))
	}
	switch s.Category.Family() {
	case dataset.Special:
		d.Expected = []string{pyvalue.String(s.GroundTruth)}
	case dataset.Agent:
		for _, class := range dataset.Alternatives(s.GroundTruth) {
			d.Expected = append(d.Expected, pyvalue.Repr(class))
		}
		d.Config = pyvalue.Repr(s.InitialConfig)
		d.Milestones = check.MilestoneTexts(s.MileStone)
	default:
		for _, truth := range dataset.Alternatives(s.GroundTruth) {
			d.Expected = append(d.Expected, dataset.AnswerOf(s.Expected(truth), pyvalue.Repr))
		}
	}
	return d
}

// signature returns the description of a function as a line: name(required: type, optional: type = default, other?: type). A parameter
// that may be left out and has no default is marked with a question mark. What is no description is returned as Python prints it.
func signature(function pyvalue.Value) string {
	f, ok := function.(*pyvalue.Dict)
	if !ok {
		return pyvalue.Repr(function)
	}
	name, ok := f.GetStr("name")
	if !ok {
		return pyvalue.Repr(function)
	}
	if _, ok := f.GetStr("parameters"); !ok {
		// Some functions of the benchmark that are only there to be passed over declare them under another name.
		f = pyvalue.DictOf("parameters", object(f, "arguments"))
	}
	required := dataset.Required(f)
	var params []string
	for key, detail := range dataset.Properties(f).All() {
		param := pyvalue.String(key)
		d, _ := detail.(*pyvalue.Dict)
		if d == nil {
			d = pyvalue.NewDict()
		}
		fallback, hasFallback := d.GetStr("default")
		if !slices.Contains(required, param) && !hasFallback {
			param += "?"
		}
		param += ": " + typeOf(d)
		if hasFallback {
			param += " = " + pyvalue.Repr(fallback)
		}
		params = append(params, param)
	}
	return pyvalue.String(name) + "(" + strings.Join(params, ", ") + ")"
}

// typeOf is the declared type of a parameter, with that of its items, or the values that it may have.
func typeOf(detail *pyvalue.Dict) string {
	declared := "any"
	if t, ok := detail.GetStr("type"); ok {
		declared = pyvalue.String(t)
	}
	if items, ok := detail.GetStr("items"); ok {
		if d, ok := items.(*pyvalue.Dict); ok {
			declared += "[" + typeOf(d) + "]"
		}
	}
	if choices, ok := detail.GetStr("enum"); ok {
		var shown []string
		for _, v := range elements(choices) {
			shown = append(shown, pyvalue.Repr(v))
		}
		declared += " " + strings.Join(shown, "|")
	}
	return declared
}

// object returns an object inside another, empty when it is not there.
func object(in *pyvalue.Dict, name string) *pyvalue.Dict {
	v, _ := in.GetStr(name)
	if d, ok := v.(*pyvalue.Dict); ok {
		return d
	}
	return pyvalue.NewDict()
}

// elements returns the elements of a list, none of what is no list.
func elements(v pyvalue.Value) []pyvalue.Value {
	if list, ok := v.(*pyvalue.List); ok {
		return list.Items
	}
	return nil
}
