package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func questionFile(language Language, c Category) string {
	return fmt.Sprintf("data_all/data_%s/data_%s.json", language, c)
}

func answerFile(language Language, c Category) string {
	return fmt.Sprintf("data_all/data_%s/possible_answer/data_%s.json", language, c)
}

// loadCategory reads the two files of a category as the official repository keeps them: JSON Lines, the same ids in the same order.
func (d *Dataset) loadCategory(language Language, c Category) part {
	p := part{category: c, files: map[string]string{}}
	questions := d.records(&p, questionFile(language, c))
	answers := d.records(&p, answerFile(language, c))
	if len(p.problems) > 0 && (questions == nil || answers == nil) {
		return p
	}
	answerOf := map[string]record{}
	for _, a := range answers {
		if _, twice := answerOf[a.id]; twice {
			p.problems = append(p.problems, Problem{a.file, a.line, fmt.Sprintf("the id %s has an answer already", a.id)})
			continue
		}
		answerOf[a.id] = a
	}
	asked := map[string]bool{}
	for _, q := range questions {
		a, ok := answerOf[q.id]
		if !ok {
			p.problems = append(p.problems, Problem{q.file, q.line, fmt.Sprintf("the id %s has no answer in %s", q.id, answerFile(language, c))})
			continue
		}
		asked[q.id] = true
		q.fields = join2(q.fields, a.fields)
		s, err := q.sample(language, c)
		if err != nil {
			p.problems = append(p.problems, Problem{q.file, q.line, err.Error()})
			continue
		}
		p.samples = append(p.samples, s)
	}
	for _, a := range answers {
		if !asked[a.id] && answerOf[a.id].line == a.line {
			p.problems = append(p.problems, Problem{a.file, a.line, fmt.Sprintf("the id %s has no question in %s", a.id, questionFile(language, c))})
		}
	}
	return p
}

// join2 adds the answer's fields to the question's. The question's come first and win.
func join2(question, answer map[string]pyvalue.Value) map[string]pyvalue.Value {
	all := maps.Clone(answer)
	maps.Copy(all, question)
	return all
}

// records reads a file of JSON Lines whose lines are objects with an id.
func (d *Dataset) records(p *part, name string) []record {
	data, sum, err := d.read(name)
	if err != nil {
		text := err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			text = fmt.Sprintf("the file is missing: without it category %s cannot be scored", p.category)
		}
		p.problems = append(p.problems, Problem{File: name, Text: text})
		return nil
	}
	p.files[name] = sum
	all := []record{}
	eachLine(data, func(line int, text []byte) {
		r, err := readRecord(text)
		if err != nil {
			p.problems = append(p.problems, Problem{name, line, err.Error()})
			return
		}
		r.file, r.line = name, line
		all = append(all, r)
	})
	return all
}

// A record is one line of a data file.
type record struct {
	file   string
	line   int
	id     string
	fields map[string]pyvalue.Value
}

func readRecord(text []byte) (record, error) {
	v, err := pyjson.Decode(text)
	if err != nil {
		return record{}, fmt.Errorf("not JSON: %w", err)
	}
	object, ok := v.(*pyvalue.Dict)
	if !ok {
		return record{}, fmt.Errorf("the line is not an object but %s", pyvalue.TypeName(v))
	}
	r := record{fields: make(map[string]pyvalue.Value, object.Len())}
	for key, value := range object.All() {
		r.fields[string(key.(pyvalue.Str))] = value // keys of JSON objects are text
	}
	id, ok := r.fields["id"].(pyvalue.Str)
	if !ok || id == "" {
		return record{}, errors.New(`the record has no "id"`)
	}
	r.id = string(id)
	return r, nil
}

// sample makes a sample of a record that holds question and answer.
func (r record) sample(language Language, c Category) (*Sample, error) {
	s := &Sample{ID: r.id, Language: language, Category: c, File: r.file, Line: r.line}
	question, ok := r.fields["question"].(pyvalue.Str)
	if !ok {
		return nil, errors.New(`the record has no "question"`)
	}
	s.Question = string(question)
	s.Time, s.Profile = r.text("time"), r.text("profile")
	if s.Function = r.fields["function"]; s.Function == nil {
		return nil, errors.New(`the record has no "function"`)
	}
	if _, ok := s.Function.(*pyvalue.List); !ok {
		return nil, fmt.Errorf(`"function" is not a list but %s`, pyvalue.TypeName(s.Function))
	}
	if s.GroundTruth = r.fields["ground_truth"]; s.GroundTruth == nil {
		return nil, errors.New(`the record has no "ground_truth"`)
	}
	if c.Family() != Agent {
		return s, nil
	}
	s.MileStone = r.or("mile_stone", pyvalue.NewList())
	s.InitialConfig = r.or("initial_config", pyvalue.NewDict())
	classes, ok := r.or("involved_classes", pyvalue.NewList()).(*pyvalue.List)
	if !ok {
		return nil, errors.New(`"involved_classes" is not a list`)
	}
	for _, class := range classes.Items {
		s.InvolvedClasses = append(s.InvolvedClasses, pyvalue.String(class))
	}
	return s, nil
}

func (r record) or(name string, missing pyvalue.Value) pyvalue.Value {
	if v := r.fields[name]; v != nil {
		return v
	}
	return missing
}

// text returns a field as Python would print it into a prompt.
func (r record) text(name string) string {
	if v := r.fields[name]; v != nil {
		return pyvalue.String(v)
	}
	return ""
}
