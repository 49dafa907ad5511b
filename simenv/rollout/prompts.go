package rollout

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyformat"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Prompts are the templates of a data bundle, by name: "MULTI_STEP_AGENT_USER_EN" and so on. A rollout in English needs, with the
// suffix _EN, MULTI_STEP_AGENT_SYSTEM and MULTI_STEP_AGENT_USER ({functions}, {history}), or MULTI_TURN_AGENT_SYSTEM,
// MULTI_TURN_AGENT_USER (the same two), TRAVEL_PROMPT, BASE_PROMPT, USER_SIMULATOR_TRAVEL and USER_SIMULATOR_BASE ({instruction}).
type Prompts map[string]string

// ReadPrompts reads a bundle's prompts.json, an object from name to text.
func ReadPrompts(data []byte) (Prompts, error) {
	v, err := pyjson.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("reading prompts: %w", err)
	}
	file, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil, fmt.Errorf("reading prompts: want an object from name to text, have %s", pyvalue.TypeName(v))
	}
	prompts := Prompts{}
	for name, text := range file.All() {
		s, ok := text.(pyvalue.Str)
		if !ok {
			return nil, fmt.Errorf("reading prompts: %s must be a text, is %s", pyvalue.String(name), pyvalue.TypeName(text))
		}
		prompts[pyvalue.String(name)] = string(s)
	}
	return prompts, nil
}

// text returns a prompt in a language.
func (p Prompts) text(name, language string) (string, error) {
	name += "_" + strings.ToUpper(language)
	text, found := p[name]
	if !found {
		return "", fmt.Errorf("the prompts lack %s", name)
	}
	return text, nil
}

// template returns a prompt in a language, in which a rollout fills in the fields.
func (p Prompts) template(name, language string, fields ...string) (pyformat.Template, error) {
	text, err := p.text(name, language)
	if err != nil {
		return pyformat.Template{}, err
	}
	t, err := pyformat.Parse(text, fields...)
	if err != nil {
		return t, fmt.Errorf("the prompt %s_%s: %w", name, strings.ToUpper(language), err)
	}
	return t, nil
}

// agentPrompt is what every request to the agent is made of.
type agentPrompt struct {
	system    string
	user      pyformat.Template
	functions string
}

// agentPrompt picks the templates for a sample. The kind is MULTI_STEP or MULTI_TURN.
func (p Prompts) agentPrompt(kind string, s *Sample) (agentPrompt, error) {
	a := agentPrompt{functions: "[]"}
	if s.Functions != nil && pyvalue.Truth(s.Functions) {
		a.functions = pyvalue.String(s.Functions)
	}
	var err error
	if a.system, err = p.text(kind+"_AGENT_SYSTEM", s.Language); err != nil {
		return a, err
	}
	a.user, err = p.template(kind+"_AGENT_USER", s.Language, "functions", "history")
	return a, err
}

// messages is the request when the transcript has come so far.
func (a agentPrompt) messages(transcript string) []Message {
	user := a.user.Fill(map[string]string{"functions": a.functions, "history": transcript})
	return []Message{{"system", a.system}, {"user", user}}
}
