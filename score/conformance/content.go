package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/markup"
	"github.com/exodeck/exodeck/score/conformance/quote"
)

// leakedText looks for model markup in the text.
func (j *trial) leakedText() {
	j.text = j.outsideCode()
	for _, m := range markup.Markers(j.text) {
		if !shows(j.q.says, m) {
			j.leaked = append(j.leaked, m)
		}
	}
	if len(j.leaked) > 0 {
		m := j.leaked[0]
		j.add("leaked-markup-in-content", j.textAt(m.Offset), fmt.Sprintf("%q in %s", m.Text, quote.Around(j.a.Text, m.Offset)))
	}
}

// outsideCode is the text without its code. A call in a family's markup that is only indented, or between HTML's tags, is no example of one
// when its tool is on offer and there is no other call.
func (j *trial) outsideCode() string {
	text := markup.OutsideCode(j.a.Text)
	if j.q == nil || len(j.q.tools) == 0 || len(j.a.ToolCalls) > 0 {
		return text
	}
	loose := markup.OutsideFences(j.a.Text)
	if loose == text {
		return text
	}
	for _, c := range j.offeredCalls(loose) {
		if strings.TrimSpace(text[c.Start:c.End]) == "" && len(markup.Markers(loose[c.Start:c.End])) > 0 {
			return loose
		}
	}
	return text
}

// callInText looks for calls in the text, and in the reasoning when there is no other answer.
func (j *trial) callInText() {
	if len(j.a.ToolCalls) > 0 || j.q == nil || len(j.q.tools) == 0 {
		return
	}
	for _, c := range j.offeredCalls(j.a.Text) {
		asked := c.Family == "json" && j.asForm() // an object with these members may be what the answer was to be
		if !asked && !j.inCode(c) && !j.q.says(strings.TrimSpace(j.a.Text[c.Start:c.End])) {
			j.meant = append(j.meant, c)
		}
	}
	if len(j.meant) > 0 {
		c := j.meant[0]
		j.add("call-in-content", j.textAt(c.Start), fmt.Sprintf("a call of %s (%s) with %s", c.Name, c.Family, quote.Short(c.Arguments)))
		return
	}
	if strings.TrimSpace(j.a.Text) == "" && strings.TrimSpace(j.a.Refusal) == "" {
		if j.thought = j.offeredCalls(j.a.Reasoning); len(j.thought) > 0 {
			c := j.thought[0]
			j.add("call-in-reasoning", j.reasoningAt(c.Start), fmt.Sprintf("a call of %s (%s) with %s", c.Name, c.Family, quote.Short(c.Arguments)))
		}
	}
}

// asForm reports whether the text is JSON as it was asked for.
func (j *trial) asForm() bool {
	if !j.q.json || len(j.q.form) == 0 {
		return j.q.json
	}
	s, err := j.judge.schemas.Compile(j.q.form)
	if err != nil {
		return true // what was asked for cannot be told
	}
	violations, err := s.Check([]byte(strings.TrimSpace(j.a.Text)))
	return err == nil && len(violations) == 0
}

// inCode reports whether a call is only quoted. Gemma's fence of code is a call, though, and so is a fence of JSON that is all of the text, as
// Gemma 3 writes it.
func (j *trial) inCode(c markup.Call) bool {
	return strings.TrimSpace(j.text[c.Start:c.End]) == "" && !strings.HasPrefix(j.a.Text[c.Start:], "```tool_code") && !fencedJSON.MatchString(j.a.Text)
}

// fencedJSON is a text that is one fence of JSON.
var fencedJSON = regexp.MustCompile("^\\s*```(?:json)?\\s*[\\[{][^`]*[\\]}]\\s*```\\s*$")

// offeredCalls returns the calls in a text to tools that were offered.
func (j *trial) offeredCalls(text string) []markup.Call {
	calls := markup.Calls(text, j.q.parameterType)
	return slices.DeleteFunc(calls, func(c markup.Call) bool { return j.tool(c.Name) == nil })
}

// visible reports whether the answer has something to show.
func (j *trial) visible() bool {
	return strings.TrimSpace(j.a.Text) != "" || strings.TrimSpace(j.a.Refusal) != "" ||
		slices.ContainsFunc(j.a.Blocks, func(b wire.Block) bool { return b.Kind == wire.BlockOther }) ||
		slices.ContainsFunc(j.a.Unknown, func(e wire.Evidence) bool { return e.What == `"audio" in the message` })
}

// quietReasons are finish reasons with which an answer may well be empty, and without token counts.
var quietReasons = []string{"load", "unload", "pause_turn", "compaction", "cancelled", "in_progress", "queued"}

// emptiness looks whether there is an answer at all.
func (j *trial) emptiness() {
	if len(j.a.ToolCalls) > 0 || j.visible() || j.a.FinishReason == nil || j.has("budget-exhausted", "truncated-stream") {
		return
	}
	if j.a.Finish == wire.FinishContentFilter || slices.Contains(quietReasons, *j.a.FinishReason) || j.stoppedAtOnce() {
		return
	}
	detail := "there is neither text nor call"
	if u := j.a.Usage; u != nil && u.Output != nil && *u.Output > 0 {
		detail += ", for " + show.Count(int(*u.Output), "token") + " of output"
	}
	j.add("empty-answer", j.end(), detail)
}

// atOnce is how many tokens an answer may have at most that met the text at which it was to end, and has none before that.
const atOnce = 32

// stoppedAtOnce reports whether nothing is what the request asks for: it gave texts at which the answer ends, and the model began with one; or
// it asks what belongs before a suffix, and nothing does.
func (j *trial) stoppedAtOnce() bool {
	switch {
	case j.q == nil || j.a.Finish != wire.FinishStop || j.a.API == tape.Claude && *j.a.FinishReason != "stop_sequence":
		return false
	case j.a.API == tape.OllamaGenerate && j.q.suffixed():
		return true
	}
	if !j.q.stops || strings.TrimSpace(j.a.Reasoning) != "" && len(j.q.tools) > 0 {
		return false // what came after the reasoning may as well be a call that was lost
	}
	u := j.a.Usage
	known := u != nil && u.Output != nil
	return known && (*u.Output <= atOnce || j.a.Reasoning != "") || !known && j.a.API == tape.Claude
}

// replacements looks for characters that were cut.
func (j *trial) replacements() {
	if replaced(j.RequestBody) {
		return
	}
	if i := strings.Index(j.a.Text, replacement); i >= 0 {
		j.add("replacement-char", j.textAt(i), "U+FFFD in the text: "+quote.Around(j.a.Text, i))
	}
	for i := range j.a.ToolCalls {
		c := &j.a.ToolCalls[i]
		if strings.Contains(c.Name, replacement) || replaced(c.RawArguments) {
			j.add("replacement-char", j.call(i), fmt.Sprintf("U+FFFD, or half a surrogate pair, in the call of %s: %s", c.Name, quote.Text(string(c.RawArguments))))
		}
	}
}

const replacement = "\ufffd"

// replaced reports whether JSON has U+FFFD, as it is or as an escape. Half of a surrogate pair is read as U+FFFD, too.
func replaced(raw []byte) bool {
	if bytes.Contains(raw, []byte(replacement)) {
		return true
	}
	var value any
	if !bytes.Contains(raw, []byte(`\u`)) || json.Unmarshal(raw, &value) != nil {
		return false
	}
	plain, err := json.Marshal(value)
	return err == nil && bytes.Contains(plain, []byte(replacement))
}
