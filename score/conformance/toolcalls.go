package conformance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/markup"
)

// toolNames looks whether the tools that are called were offered.
func (j *trial) toolNames() {
	for i := range j.a.ToolCalls {
		name := j.a.ToolCalls[i].Name
		if markers := markup.Markers(name); len(markers) > 0 {
			j.add("leaked-markup-in-name", j.call(i), fmt.Sprintf("%q has %q in it", name, markers[0].Text))
			if j.cleaned(name) != "" {
				continue
			}
		}
		if j.q == nil || len(j.q.Tools) == 0 || j.tool(name) != nil {
			continue // without tools no call was allowed, which is told as such
		}
		detail := fmt.Sprintf("%q was not offered", name)
		for _, t := range j.q.Tools {
			if strings.EqualFold(t.Name, name) {
				detail += fmt.Sprintf(", %q was", t.Name)
			}
		}
		j.add("unknown-tool", j.call(i), detail)
	}
}

// cleaned returns the offered tool that a name with markup means; "" for none.
func (j *trial) cleaned(name string) string {
	markers := markup.Markers(name)
	if len(markers) == 0 {
		return ""
	}
	for _, candidate := range []string{name[:markers[0].Offset], markup.Strip(name)} {
		if candidate = strings.TrimSpace(candidate); j.tool(candidate) != nil {
			return candidate
		}
	}
	return ""
}

// toolIDs looks at the ids of calls, and at calls that are made twice.
func (j *trial) toolIDs() {
	earlier := make(map[string]bool)
	if j.q != nil {
		for i := range j.q.Messages {
			for _, c := range j.q.Messages[i].ToolCalls() {
				earlier[c.ID] = true
			}
		}
	}
	ids, same := make(map[string]int), make(map[string]int)
	for i := range j.a.ToolCalls {
		c := &j.a.ToolCalls[i]
		if c.ID == "" {
			legacy := j.a.FinishReason != nil && *j.a.FinishReason == "function_call" // such calls have no id
			if hasIDs(j.a.API) && !legacy {
				j.add("missing-call-id", j.call(i), fmt.Sprintf("the call of %s has no id", c.Name))
			}
		} else {
			if first, ok := ids[c.ID]; ok {
				j.add("duplicate-call-id", j.call(i), fmt.Sprintf("%q is the id of call %d, too", c.ID, first))
			} else if earlier[c.ID] {
				j.add("call-id-reused", j.call(i), fmt.Sprintf("%q is the id of an earlier call of the conversation", c.ID))
			}
			ids[c.ID] = i + 1
		}
		if len(j.a.ToolCalls) == 1 {
			return
		}
		key := c.Name + "\x00" + canonical(j.report.ToolCalls[i].Arguments)
		if first, ok := same[key]; ok {
			j.add("duplicate-call", j.call(i), fmt.Sprintf("it is call %d once more", first))
		} else {
			same[key] = i + 1
		}
	}
}

// canonical returns JSON with its names sorted and its blanks removed.
func canonical(raw []byte) string {
	v := jsontext.Value(raw).Clone()
	err := v.Canonicalize(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if err != nil {
		return string(raw)
	}
	return string(v)
}

// shapeCodes says which problem arguments of a shape are.
var shapeCodes = map[shape]struct{ code, detail string }{
	isEmpty:         {"arguments-empty", "they are empty"},
	isTruncated:     {"arguments-truncated", "they break off"},
	isConcatenated:  {"arguments-concatenated", "more follows after their end"},
	isDoubleEncoded: {"arguments-double-encoded", "they are a string that holds an object"},
	isNoObject:      {"arguments-not-object", "they are JSON, but no object"},
	isNoJSON:        {"arguments-not-json", "they are not JSON"},
}

// toolArguments looks at the arguments of calls, and checks them against the schemas of the tools.
func (j *trial) toolArguments() {
	for i := range j.a.ToolCalls {
		c, args := &j.a.ToolCalls[i], &j.args[i]
		if args.shape == isText {
			continue
		}
		if args.wrongEncoding {
			j.add("arguments-wrong-encoding", j.call(i), fmt.Sprintf("arguments of %s came as %s", c.Name, c.Sent))
		}
		if s, bad := shapeCodes[args.shape]; bad && !j.excused(i) {
			j.add(s.code, j.call(i), fmt.Sprintf("arguments of %s: %s: %s", c.Name, s.detail, quoted(c.RawArguments)))
		}
		if args.object != nil {
			j.leakedArguments(i)
			j.checkSchema(i)
		}
	}
}

// excused reports whether the shape of a call's arguments is normal, or follows from a problem that was told.
func (j *trial) excused(i int) bool {
	switch j.args[i].shape {
	case isEmpty:
		return !hasIDs(j.a.API) || j.claudeStream()
	case isTruncated:
		return j.has("truncated-stream")
	case isConcatenated:
		return j.has("index-reused")
	}
	return false
}

// claudeStream reports whether the answer is a stream in which no text at all means empty arguments.
func (j *trial) claudeStream() bool { return j.a.API == "claude" && j.a.Stream }

// leakedArguments looks for markup in arguments: in keys, and in values unless the request has it.
func (j *trial) leakedArguments(i int) {
	raw := string(j.args[i].object)
	if len(markup.Markers(raw)) == 0 && !strings.Contains(raw, `\u`) && !strings.Contains(raw, "<") {
		return
	}
	var value any
	if json.Unmarshal(j.args[i].object, &value) == nil {
		j.leakedValue(i, value, "")
	}
}

func (j *trial) leakedValue(i int, value any, path string) {
	tell := func(path, text string, m markup.Marker) {
		w := j.call(i)
		w.Argument = path
		j.add("leaked-markup-in-arguments", w, fmt.Sprintf("%q in the arguments of %s: %q", m.Text, j.a.ToolCalls[i].Name, shorten(text)))
	}
	switch v := value.(type) {
	case string:
		for _, m := range markup.Markers(v) {
			if !j.q.says(m.Text) {
				tell(path, v, m)
				return
			}
		}
	case []any:
		for k, item := range v {
			j.leakedValue(i, item, fmt.Sprintf("%s/%d", path, k))
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			below := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
			if markers := markup.Markers(key + ">"); len(markers) > 0 { // a key may end inside of a tag
				tell(below, key, markers[0])
			}
			j.leakedValue(i, v[key], below)
		}
	}
}

// checkSchema checks the arguments of a call against the schema of its tool.
func (j *trial) checkSchema(i int) {
	name := j.a.ToolCalls[i].Name
	t := j.tool(name)
	if t == nil {
		t = j.tool(j.cleaned(name))
	}
	if t == nil || len(t.schema) == 0 || t.schema.Kind() == 'n' {
		return
	}
	s, err := j.judge.schemas.Compile(t.schema)
	if err != nil {
		return // told of the request
	}
	violations, err := s.Check(j.args[i].object)
	if err != nil {
		return // arguments that are JSON can be checked
	}
	for _, v := range violations {
		w := j.call(i)
		w.Argument = v.Path
		detail := fmt.Sprintf("arguments of %s: %s", name, v.Detail)
		if v.Path != "" {
			detail = fmt.Sprintf("arguments of %s at %s: %s", name, v.Path, v.Detail)
		}
		j.add(violationCodes[string(v.Kind)], w, detail)
	}
}

// violationCodes says which problem each kind of violation of a schema is.
var violationCodes = map[string]string{
	"missing": "missing-required", "type": "type-mismatch", "enum": "enum-violation", "extra": "extra-property", "constraint": "constraint-violation",
}

// toolChoice looks whether calls were made as the request demands.
func (j *trial) toolChoice() {
	if j.q == nil {
		return
	}
	calls := j.a.ToolCalls
	choice := j.q.choice
	switch {
	case len(calls) > 0 && choice.forbidden:
		j.add("call-when-forbidden", j.call(0), "calls were forbidden by tool_choice")
	case len(calls) > 0 && len(j.q.Tools) == 0:
		j.add("call-when-forbidden", j.call(0), "no tools were offered")
	case choice.required && len(calls) == 0 && j.ended() && j.a.Finish != wire.FinishLength:
		j.add("tool-choice-ignored", j.end(), "a call was demanded, and there is none")
	case choice.name != "":
		for i := range calls {
			if name := calls[i].Name; name != choice.name && j.cleaned(name) != choice.name {
				j.add("tool-choice-ignored", j.call(i), fmt.Sprintf("%s was demanded, and %s is called", choice.name, name))
			}
		}
	}
	if choice.single && len(calls) > 1 {
		j.add("parallel-when-forbidden", j.call(1), fmt.Sprintf("%d calls", len(calls)))
	}
}
