package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/markup"
)

// leakedText looks for model markup in the text.
func (j *trial) leakedText() {
	j.text = markup.OutsideCode(j.a.Text)
	for _, m := range markup.Markers(j.text) {
		if j.q.says(m.Text) {
			continue
		}
		j.leaked = append(j.leaked, m)
	}
	if len(j.leaked) > 0 {
		m := j.leaked[0]
		j.add("leaked-markup-in-content", j.textAt(m.Offset), fmt.Sprintf("%q in %s", m.Text, quoted([]byte(j.a.Text[around(j.a.Text, m.Offset):]))))
	}
}

// around is where to begin showing a text, so that the place at offset is seen.
func around(text string, offset int) int {
	if offset < 40 {
		return 0
	}
	from := offset - 20
	for from > 0 && text[from]&0xC0 == 0x80 {
		from--
	}
	return from
}

// callInText looks for calls in the text, and in the reasoning when there is no other answer.
func (j *trial) callInText() {
	if len(j.a.ToolCalls) > 0 || j.q == nil || len(j.q.tools) == 0 {
		return
	}
	for _, c := range j.offeredCalls(j.a.Text) {
		if !j.inCode(c) && !j.q.says(strings.TrimSpace(j.a.Text[c.Start:c.End])) {
			j.meant = append(j.meant, c)
		}
	}
	if len(j.meant) > 0 {
		c := j.meant[0]
		j.add("call-in-content", j.textAt(c.Start), fmt.Sprintf("a call of %s (%s) with %s", c.Name, c.Family, shorten(c.Arguments)))
		return
	}
	if strings.TrimSpace(j.a.Text) == "" && strings.TrimSpace(j.a.Refusal) == "" {
		if j.thought = j.offeredCalls(j.a.Reasoning); len(j.thought) > 0 {
			c := j.thought[0]
			j.add("call-in-reasoning", j.reasoningAt(c.Start), fmt.Sprintf("a call of %s (%s) with %s", c.Name, c.Family, shorten(c.Arguments)))
		}
	}
}

// inCode reports whether a call is only quoted. Gemma's fence of code is a call, though.
func (j *trial) inCode(c markup.Call) bool {
	return strings.TrimSpace(j.text[c.Start:c.End]) == "" && !strings.HasPrefix(j.a.Text[c.Start:], "```tool_code")
}

// offeredCalls returns the calls in a text to tools that were offered.
func (j *trial) offeredCalls(text string) []markup.Call {
	if j.q == nil || text == "" {
		return nil
	}
	calls := markup.Calls(text, j.q.parameterType)
	return slices.DeleteFunc(calls, func(c markup.Call) bool { return j.tool(c.Name) == nil })
}

// budget looks whether the token limit was reached before there was an answer, and whether the answer says so.
func (j *trial) budget() {
	u := j.a.Usage
	spent := j.q != nil && j.q.limit != nil && u != nil && u.Output != nil && *u.Output >= *j.q.limit
	told := j.a.Finish == wire.FinishLength
	if !spent && !told {
		return
	}
	cut := slices.ContainsFunc(j.args, func(a arguments) bool { return a.shape == isTruncated })
	usable := len(j.a.ToolCalls) > 0 || len(j.meant) > 0 || len(j.leaked) == 0 && j.visible()
	if usable && !cut {
		return
	}
	detail := "the token limit was reached before there was an answer"
	if cut {
		detail = "the token limit was reached inside of a call"
	}
	if spent {
		detail += fmt.Sprintf(": %d of %d tokens", *u.Output, *j.q.limit)
	}
	j.add("budget-exhausted", j.end(), detail)
	if !told && j.a.FinishReason != nil {
		j.add("finish-reason-mismatch", j.reason(), fmt.Sprintf("%q although the token limit was reached", *j.a.FinishReason))
	}
}

// visible reports whether the answer has something to show.
func (j *trial) visible() bool {
	return strings.TrimSpace(j.a.Text) != "" || strings.TrimSpace(j.a.Refusal) != "" ||
		slices.ContainsFunc(j.a.Blocks, func(b wire.Block) bool { return b.Kind == wire.BlockOther })
}

// quietReasons are finish reasons with which an answer may well be empty.
var quietReasons = []string{"load", "unload", "pause_turn", "cancelled", "in_progress", "queued"}

// emptiness looks whether there is an answer at all.
func (j *trial) emptiness() {
	if len(j.a.ToolCalls) > 0 || j.visible() || j.a.FinishReason == nil || j.has("budget-exhausted", "truncated-stream") {
		return
	}
	if j.a.Finish == wire.FinishContentFilter || slices.Contains(quietReasons, *j.a.FinishReason) {
		return
	}
	detail := "there is neither text nor call"
	if u := j.a.Usage; u != nil && u.Output != nil && *u.Output > 0 {
		detail += fmt.Sprintf(", though %d tokens were generated", *u.Output)
	}
	j.add("empty-answer", j.end(), detail)
}

// replacements looks for characters that were cut.
func (j *trial) replacements() {
	const replacement = "\ufffd"
	asked := string(j.RequestBody)
	if strings.Contains(asked, replacement) || strings.Contains(strings.ToLower(asked), `\ufffd`) {
		return
	}
	if i := strings.Index(j.a.Text, replacement); i >= 0 {
		j.add("replacement-char", j.textAt(i), "U+FFFD in the text: "+quoted([]byte(j.a.Text[around(j.a.Text, i):])))
	}
	for i := range j.a.ToolCalls {
		c := &j.a.ToolCalls[i]
		if strings.Contains(c.Name, replacement) || strings.Contains(string(c.RawArguments), replacement) || strings.Contains(strings.ToLower(string(c.RawArguments)), `\ufffd`) {
			j.add("replacement-char", j.call(i), fmt.Sprintf("U+FFFD in the call of %s: %s", c.Name, quoted(c.RawArguments)))
		}
	}
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
