// Package prompt writes the prompts that ACEBench's normal and special samples are asked with, and finds the sample a recorded
// prompt belongs to.
//
// evalscope and the official runner send the same two messages: a system message with the schemas of the functions as Python prints
// them, and a user message with the conversation. No tools are declared; the answer is text.
package prompt

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyformat"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Builder writes the prompts of one language.
type Builder struct {
	normal, preference, special, user pyformat.Template
}

// New prepares the templates of a language. It fails when one is missing, or asks for something that a prompt does not have.
func New(templates dataset.Templates, language dataset.Language) (*Builder, error) {
	b := &Builder{}
	for _, t := range []struct {
		into   *pyformat.Template
		name   string
		fields []string
	}{
		{&b.normal, "SYSTEM_PROMPT_FOR_NORMAL_DATA_", []string{"time", "function"}},
		{&b.preference, "SYSTEM_PROMPT_FOR_PREFERENCE_DATA_", []string{"profile", "function"}},
		{&b.special, "SYSTEM_PROMPT_FOR_SPECIAL_DATA_", []string{"time", "function"}},
		{&b.user, "USER_PROMPT_", []string{"question"}},
	} {
		name := t.name + strings.ToUpper(string(language))
		text, ok := templates[name]
		if !ok {
			return nil, fmt.Errorf("the data set has no prompt template %s", name)
		}
		parsed, err := pyformat.Parse(text, t.fields...)
		if err != nil {
			return nil, fmt.Errorf("prompt template %s: %w", name, err)
		}
		*t.into = parsed
	}
	return b, nil
}

// Build returns the system and the user message for a normal or special sample.
func (b *Builder) Build(s *dataset.Sample) (system, user string) {
	fields := map[string]string{
		"time":     s.Time,
		"profile":  s.Profile,
		"function": pyvalue.Repr(s.Function),
		"question": s.Question,
	}
	t := b.normal
	switch {
	case s.Category.Family() == dataset.Special:
		t = b.special
	case strings.Contains(string(s.Category), "preference"):
		t = b.preference
	}
	return t.Fill(fields), b.user.Fill(fields)
}
