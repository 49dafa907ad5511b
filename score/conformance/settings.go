package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/jsonvalue"
)

// silent are settings that do not change what is said, but how it is sent, kept or paid for; and those that count in another form: the limit
// of tokens, and what [choice] and the stop texts have.
var silent = []string{
	"stream_options", "logprobs", "top_logprobs", "include", "user", "metadata", "store", "service_tier", "use_prefix_cache", "safety_identifier",
	"prompt_cache_key", "keep_alive", "background",
	"max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict",
	"tool_choice", "parallel_tool_calls", "stop", "stop_sequences",
}

// containers are settings that hold others.
var containers = []string{"options", "text", "output_config", "reasoning", "thinking"}

// sameSetting has the settings that one API calls otherwise than Chat Completions does.
var sameSetting = map[string]string{
	"repeat_penalty": "repetition_penalty", "repeat_last_n": "repetition_context_size", "think": "enable_thinking",
	"reasoning.effort": "reasoning_effort", "output_config.effort": "reasoning_effort", "text.verbosity": "verbosity",
	"format": "response_format", "output_format": "response_format", "text.format": "response_format", "output_config.format": "response_format",
}

// neutral has the values, as [jsonvalue.Of] writes them, with which a setting is as good as not there.
var neutral = map[string]string{"frequency_penalty": "0", "presence_penalty": "0", "repetition_penalty": "1e0", "n": "1e0"}

// drawing are settings that say among which tokens is drawn: at temperature 0 none of them counts, for the likeliest token is always taken.
var drawing = []string{"top_p", "top_k", "min_p"}

// setting is one in the form that all APIs share.
type setting struct{ name, value string }

// settings returns all that a request says beside its messages and tools and that can change the answer, in a form and an order that are the
// same through all APIs. What an API has alone counts, too: nobody can tell that it is the same without.
func (a *asked) settings() []string {
	var all []setting
	for _, list := range [][]wire.Field{a.Options, a.Unknown} {
		for _, f := range list {
			all = append(all, spread(f)...)
		}
	}
	greedy := slices.Contains(all, setting{"temperature", "0"})
	all = slices.DeleteFunc(all, func(s setting) bool {
		return slices.Contains(silent, s.name) || neutral[s.name] == s.value || greedy && slices.Contains(drawing, s.name) ||
			s.value == "null" || s.value == "{}" || s.value == "[]" || s.value == ""
	})
	var lines []string
	for _, s := range all {
		lines = append(lines, s.name+" "+s.value)
	}
	if a.choice != (choice{}) {
		lines = append(lines, fmt.Sprintf("choice %+v", a.choice))
	}
	for _, s := range a.stopTexts {
		lines = append(lines, "stop "+s)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// spread returns the settings that a member of a request has.
func spread(f wire.Field) []setting {
	var members map[string]json.RawMessage
	if !slices.Contains(containers, f.Name) || json.Unmarshal(f.Value, &members) != nil {
		return []setting{settingOf(f.Name, f.Value)}
	}
	var all []setting
	for name, value := range members {
		if f.Name != "options" {
			name = f.Name + "." + name
		}
		all = append(all, settingOf(name, jsontext.Value(value)))
	}
	return all
}

// settingOf gives a setting the name and the value that all APIs share.
func settingOf(name string, value jsontext.Value) setting {
	if same, ok := sameSetting[name]; ok {
		name = same
	}
	s := setting{name, jsonvalue.Of(value)}
	switch name {
	case "response_format":
		s.value = form(value)
	case "thinking.type":
		switch s.value {
		case `"enabled"`:
			s = setting{"enable_thinking", "true"}
		case `"disabled"`:
			s = setting{"enable_thinking", "false"}
		}
	case "enable_thinking":
		if strings.HasPrefix(s.value, `"`) { // Ollama's think may say how much
			s.name = "reasoning_effort"
		}
	}
	return s
}

// form returns what a setting for the form of the answer asks for; "" for text.
func form(v jsontext.Value) string {
	var o struct{ Type string }
	switch {
	case asksForJSON(v):
		return "json " + jsonvalue.Of(formOf(v))
	case json.Unmarshal(v, &o) == nil && o.Type == "text" || string(v) == `""`:
		return ""
	}
	return jsonvalue.Of(v)
}
