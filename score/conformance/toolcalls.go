package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/jsonvalue"
	"github.com/exodeck/exodeck/score/conformance/markup"
	"github.com/exodeck/exodeck/score/conformance/quote"
)

// toolNames looks whether the tools that are called were offered.
func (j *trial) toolNames() {
	for i := range j.a.ToolCalls {
		name := j.a.ToolCalls[i].Name
		if markers := markup.Markers(name); len(markers) > 0 {
			j.add("leaked-markup-in-name", j.named(i), fmt.Sprintf("%q has %q in it", name, markers[0].Text))
			if j.cleaned(name) != "" {
				continue
			}
		}
		if j.q == nil || j.q.elsewhere || !j.q.offers() || j.tool(name) != nil {
			continue // without tools no call was allowed, which is told as such
		}
		detail := fmt.Sprintf("%q was not offered", name)
		for _, t := range j.q.Tools {
			if strings.EqualFold(t.Name, name) {
				detail += fmt.Sprintf(", %q was", t.Name)
			}
		}
		if bare, _ := j.bare(name); bare != "" {
			detail += fmt.Sprintf(", %q was", bare)
		}
		j.add("unknown-tool", j.named(i), detail)
	}
}

// cleaned returns the offered tool that a name with markup means; "" for none.
func (j *trial) cleaned(name string) string {
	for _, candidate := range withoutMarkup(name) {
		if j.tool(candidate) != nil {
			return candidate
		}
	}
	return ""
}

// withoutMarkup returns what a name with markup may mean: what stands before it, and all that is no markup. It returns nil without markup.
func withoutMarkup(name string) []string {
	markers := markup.Markers(name)
	if len(markers) == 0 {
		return nil
	}
	return []string{strings.TrimSpace(name[:markers[0].Offset]), strings.TrimSpace(markup.Strip(name))}
}

// namespaces are what the prompts of some models put before the names of all tools, so that a parser has to take it off: functions of
// harmony and Kimi, default_api of Gemini.
var namespaces = []string{"functions", "function", "tools", "default_api"}

// bare returns the offered tool that a name means without blanks around it, a namespace before it and a number behind it, as in
// functions.get_tide:0; "" for none. known says that the namespace is one of [namespaces], if there is one.
func (j *trial) bare(name string) (tool string, known bool) {
	trimmed := strings.TrimSpace(name)
	candidates := []string{trimmed}
	if i := strings.LastIndexByte(trimmed, ':'); i >= 0 && i+1 < len(trimmed) && strings.Trim(trimmed[i+1:], "0123456789") == "" {
		candidates = append(candidates, trimmed[:i])
	}
	for _, c := range candidates {
		if c != name && j.tool(c) != nil {
			return c, true
		}
		for i := range len(c) {
			if strings.IndexByte(".:/", c[i]) >= 0 && j.tool(c[i+1:]) != nil {
				return c[i+1:], slices.Contains(namespaces, c[:i])
			}
		}
	}
	return "", false
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
			legacy := j.a.FinishReason != nil && *j.a.FinishReason == "function_call" || j.q != nil && j.q.legacy // such calls have no id
			if hasIDs(j.a.API) && !legacy {
				j.add("missing-call-id", j.named(i), fmt.Sprintf("the call of %s has no id", c.Name))
			}
		} else {
			if first, ok := ids[c.ID]; ok {
				j.add("duplicate-call-id", j.identified(i), fmt.Sprintf("%q is the id of call %d, too", c.ID, first))
			} else if earlier[c.ID] {
				j.add("call-id-reused", j.identified(i), fmt.Sprintf("%q is the id of an earlier call of the conversation", c.ID))
			}
			ids[c.ID] = i + 1
		}
		if len(j.a.ToolCalls) == 1 {
			return
		}
		key := c.Name + "\x00" + jsonvalue.Of(j.report.ToolCalls[i].Arguments)
		if first, ok := same[key]; ok {
			j.add("duplicate-call", j.named(i), fmt.Sprintf("it is call %d once more", first))
		} else {
			same[key] = i + 1
		}
	}
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
		if args.wrongEncoding {
			j.add("arguments-wrong-encoding", j.call(i), fmt.Sprintf("arguments of %s came as %s", c.Name, c.Sent))
		}
		if s, bad := shapeCodes[args.shape]; bad && !j.excused(i) {
			j.add(s.code, j.call(i), fmt.Sprintf("arguments of %s: %s: %s", c.Name, s.detail, quote.Text(string(c.RawArguments))))
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
		j.add("leaked-markup-in-arguments", w, fmt.Sprintf("%q in the arguments of %s: %q", m.Text, j.a.ToolCalls[i].Name, quote.Short(text)))
	}
	switch v := value.(type) {
	case string:
		for _, m := range append(markup.Markers(v), loneEnds(v)...) {
			if m.Text != "<s>" && !shows(j.q.has, m) { // which begins answers, and may begin a value of HTML
				tell(path, v, m)
				return
			}
		}
	case []any:
		for k, item := range v {
			j.leakedValue(i, item, fmt.Sprintf("%s/%d", path, k))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
			if markers := append(markup.Markers(key+">"), loneEnds(key+">")...); len(markers) > 0 { // a key may end inside of a tag
				tell(below, key, markers[0])
			}
			j.leakedValue(i, v[key], below)
		}
	}
}

// loneEnds returns the tag that ends an argument or a call of Qwen-Coder where it ends a text in which none begins. Elsewhere it may be of XML
// that is meant.
func loneEnds(text string) []markup.Marker {
	at := loneEnd.FindStringSubmatchIndex(text)
	if at == nil || strings.Contains(text, "<parameter") || strings.Contains(text, "<function") {
		return nil
	}
	return []markup.Marker{{Text: text[at[2]:at[3]], Offset: at[2]}}
}

var loneEnd = regexp.MustCompile(`(</(?:parameter|function)>)(?:\s*</function>)?[\s>]*$`)

// excusesNoCall reports whether a call that was demanded is not due: the answer was cut off, refused or put off, or a tool of the server was
// used, which any call may be that is not demanded by another name.
func (j *trial) excusesNoCall() bool {
	return RanOut(j.a) || j.a.Finish == wire.FinishContentFilter || strings.TrimSpace(j.a.Refusal) != "" ||
		j.a.FinishReason != nil && slices.Contains(quietReasons, *j.a.FinishReason) || j.usesServerTool(j.q.choice.name)
}

// usesServerTool reports whether the answer has a call that is no function of the client's: web_search_call, mcp_call, local_shell_call,
// mcp_approval_request … (Responses), server_tool_use, mcp_tool_use (Claude). It is of the tool with a name, unless that is "".
func (j *trial) usesServerTool(name string) bool {
	return slices.ContainsFunc(j.a.Unknown, func(e wire.Evidence) bool {
		var part struct{ Type, Name string }
		return json.Unmarshal(e.Data, &part) == nil && (name == "" || part.Name == name) &&
			(strings.HasSuffix(part.Type, "_call") || strings.HasSuffix(part.Type, "_tool_use") || part.Type == "mcp_approval_request")
	})
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
		j.add("call-when-forbidden", j.named(0), "calls were forbidden by tool_choice")
	case len(calls) > 0 && !j.q.offers() && !j.q.elsewhere:
		j.add("call-when-forbidden", j.named(0), "no tools were offered")
	case choice.required && len(calls) == 0 && j.ended() && !j.excusesNoCall():
		j.add("tool-choice-ignored", j.end(), "a call was demanded, and there is none")
	case choice.name != "" && !j.usesServerTool(choice.name):
		for i := range calls {
			if name := calls[i].Name; !j.meansAny(name, choice.name) {
				j.add("tool-choice-ignored", j.named(i), fmt.Sprintf("%s was demanded, and %s is called", choice.name, name))
			}
		}
	case j.q.allowed != nil:
		for i := range calls {
			if name := calls[i].Name; !j.meansAny(name, j.q.allowed...) && j.tool(name) != nil {
				j.add("tool-choice-ignored", j.named(i), fmt.Sprintf("%s is called, and is none of the tools that were allowed", name))
			}
		}
	}
	if choice.single && len(calls) > 1 {
		j.add("parallel-when-forbidden", j.named(1), fmt.Sprintf("%d calls", len(calls)))
	}
}

// meansAny reports whether a name means one of some tools, also with markup or a namespace around it.
func (j *trial) meansAny(name string, tools ...string) bool {
	bare, _ := j.bare(name)
	unmarked, _ := j.unmarked(name)
	return slices.ContainsFunc([]string{name, bare, unmarked}, func(n string) bool { return n != "" && slices.Contains(tools, n) })
}
