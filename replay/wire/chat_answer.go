package wire

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// chatAnswer reads answers of Chat Completions.
type chatAnswer struct {
	*reader
	byIndex map[int]int   // call at each index of the stream
	last    int           // call that the last delta was for, -1 at first
	further []*chatAnswer // the choices other than the first, in the order in which they began
	paths   []choicePath  // of each place in the list of choices
}

// choicePath has the pointers to the parts of a choice.
type choicePath struct{ message, reason string }

// maxChoices is how many choices of an answer are read. OpenAI gives 128 at most.
const maxChoices = 128

func (c *chatAnswer) event(_ string, data object) {
	reported := false
	if e := data.get("error"); !absent(e) {
		c.fail(c.readError(ErrorChunk, e))
		reported = true
	} else if is(data.get("object"), "error") {
		c.fail(c.readError(ErrorChunk, c.raw))
		return
	}
	choices := data.get("choices")
	if reported && choices == nil {
		return
	}
	c.header(data, "object", "chat.completion.chunk", "")
	c.usage(data.get("usage"))
	if choices == nil && !data.has("usage") {
		c.unknown("event without choices", c.raw)
	}
	c.choices(choices, "delta")
}

func (c *chatAnswer) body(data object) {
	c.header(data, "object", "chat.completion", "")
	c.usage(data.get("usage"))
	if !data.has("choices") {
		c.unknown("body without choices", c.raw)
	}
	c.choices(data.get("choices"), "message")
	c.end()
	if stats := data.get("generation_stats"); !absent(stats) {
		c.stats(stats)
	}
	if power := data.get("power_usage"); !absent(power) {
		c.a.Power = power
	}
}

// end puts the further choices into the answer.
func (c *chatAnswer) end() {
	for _, f := range c.further {
		f.a.Complete, f.a.Events, f.a.Size = c.a.Complete, c.a.Events, c.a.Size
		f.finish()
		c.a.Choices = append(c.a.Choices, f.a)
	}
}

// choices reads the choices, whose messages are under the given name.
func (c *chatAnswer) choices(v jsontext.Value, name string) {
	if !absent(v) && v.Kind() != '[' {
		c.wrongType(v, "/choices", "an array")
	}
	for i, choice := range elements(v) {
		fields := members(choice)
		n, numbered := integer(fields.get("index"))
		if !numbered && c.whole {
			n = int64(i) // in an event, a choice without a number is the first one
		}
		if one := c.choice(int(n)); one != nil {
			one.choose(fields, name, c.path(i, name))
		} else {
			c.noteOnce(NoteOtherChoice, fmt.Sprintf("/choices/%d", i), fmt.Sprintf("only %d choices are read", maxChoices))
		}
	}
}

// path returns the pointers to the parts of a choice, whose message is under the given name.
func (c *chatAnswer) path(i int, name string) choicePath {
	for n := len(c.paths); n <= i; n++ {
		choice := "/choices/" + strconv.Itoa(n)
		c.paths = append(c.paths, choicePath{choice + "/" + name, choice + "/finish_reason"})
	}
	return c.paths[i]
}

// choice returns the reader of a choice; nil when there are too many.
func (c *chatAnswer) choice(number int) *chatAnswer {
	if number == 0 {
		return c
	}
	i := slices.IndexFunc(c.further, func(f *chatAnswer) bool { return f.a.Choice == number })
	if i < 0 {
		if i = len(c.further); i == maxChoices-1 {
			return nil
		}
		f := newReader(tape.OpenAI, !c.whole).format.(*chatAnswer)
		f.a.Choice = number
		c.further = append(c.further, f)
	}
	c.further[i].at, c.further[i].raw = c.at, c.raw
	return c.further[i]
}

// choose reads what an event, or the whole body, says of the choice.
func (c *chatAnswer) choose(fields object, name string, path choicePath) {
	message := members(fields.get(name))
	if reason := c.a.FinishReason; reason != nil && *reason != "" && tells(message) { // as some servers say null
		c.note(NoteAfterEnd, path.message, fmt.Sprintf("a part of the answer after the finish reason %q", *reason))
	}
	c.message(message, path.message)
	c.finishReason(fields.get("finish_reason"), path.reason)
}

// tells reports whether a message holds a part of the answer, and not just fields that are empty.
func tells(message object) bool {
	return slices.ContainsFunc(message, func(f Field) bool {
		switch f.Name {
		case "content", "reasoning_content", "reasoning", "refusal", "tool_calls", "function_call":
			return !absent(f.Value) && string(f.Value) != `""` && string(f.Value) != "[]" && string(f.Value) != "{}"
		}
		return false
	})
}

// message reads a delta or a whole message.
func (c *chatAnswer) message(m object, path string) {
	if !c.whole {
		for _, name := range []string{"role", "tool_calls", "function_call"} {
			c.null(m, name, path)
		}
	}
	reasoning := c.text(m, "reasoning_content", path)
	if reasoning == "" {
		reasoning = c.text(m, "reasoning", path)
	}
	c.say(BlockReasoning, reasoning)
	c.content(m.get("content"), path)
	c.say(BlockRefusal, c.text(m, "refusal", path))
	calls := m.get("tool_calls")
	if !absent(calls) && calls.Kind() != '[' {
		c.wrongType(calls, path+"/tool_calls", "an array")
	}
	for i, call := range elements(calls) {
		c.toolCall(call, i, path+"/tool_calls/"+strconv.Itoa(i))
	}
	if f := m.get("function_call"); !absent(f) {
		if c.last < 0 {
			c.last, _ = c.call(-1)
		}
		c.function(c.last, members(f), path+"/function_call")
	}
	for _, f := range m {
		if !messageNames[f.Name] && !absent(f.Value) {
			c.unknown(fmt.Sprintf("%q in the message", f.Name), f.Value)
		}
	}
}

// messageNames are the members of a message that are read, or say nothing.
var messageNames = map[string]bool{
	"role": true, "content": true, "reasoning_content": true, "reasoning": true, "refusal": true, "tool_calls": true, "function_call": true,
	"name": true, "tool_call_id": true, "annotations": true,
}

// content reads a text, or a list of parts as Mistral sends beside its thinking. path is that of the message.
func (c *chatAnswer) content(v jsontext.Value, path string) {
	switch v.Kind() {
	case '"':
		c.say(BlockText, unquote(v))
	case '[':
		for i, part := range elements(v) {
			fields := members(part)
			switch str(fields.get("type")) {
			case "text":
				c.say(BlockText, str(fields.get("text")))
			case "refusal":
				c.say(BlockRefusal, str(fields.get("refusal")))
			case "thinking":
				for _, thought := range elements(fields.get("thinking")) {
					c.say(BlockReasoning, str(members(thought).get("text")))
				}
			default:
				c.unknown(fmt.Sprintf("content part %d of type %q", i, str(fields.get("type"))), part)
			}
		}
	case jsontext.KindInvalid, 'n':
	default:
		c.wrongType(v, path+"/content", "a string")
	}
}

// toolCall reads one entry of tool_calls.
func (c *chatAnswer) toolCall(v jsontext.Value, position int, path string) {
	if v.Kind() != '{' {
		c.wrongType(v, path, "an object")
		return
	}
	fields := members(v)
	n := c.callOf(fields, position, path)
	c.last = n
	if !c.whole {
		c.null(fields, "id", path)
		c.null(fields, "type", path)
	}
	c.identify(n, fields.get("id"), nil)
	if custom := fields.get("custom"); !absent(custom) {
		tool := members(custom)
		c.identify(n, nil, tool.get("name"))
		c.arguments(n, tool.get("input"))
		return
	}
	c.function(n, members(fields.get("function")), path+"/function")
}

// function reads name and arguments of a call.
func (c *chatAnswer) function(call int, f object, path string) {
	if !c.whole {
		c.null(f, "name", path)
	}
	c.identify(call, nil, f.get("name"))
	c.arguments(call, f.get("arguments"))
}

// callOf returns the call that an entry of tool_calls belongs to, a new one where it begins one.
func (c *chatAnswer) callOf(fields object, position int, path string) int {
	index := indexOf(fields.get("index"))
	if c.whole {
		n, _ := c.call(index)
		return n
	}
	n, open := c.last, c.last >= 0
	if index < 0 {
		c.note(NoteIndexMissing, path, "the delta of a call has no index")
	} else {
		n, open = c.byIndex[index]
	}
	id, name := str(fields.get("id")), str(members(fields.get("function")).get("name"))
	if open {
		old := &c.a.ToolCalls[n]
		switch {
		case id != "" && old.ID != "" && id != old.ID:
			if index >= 0 {
				c.note(NoteIndexReused, path, fmt.Sprintf("index %d is that of call %q and now of %q", index, old.ID, id))
			}
			open = false
		case index < 0 && id == "" && name != "" && old.Name != "":
			open = false
		}
	} else if want := len(c.a.ToolCalls); index >= 0 && index != want {
		c.note(NoteIndexGap, path, fmt.Sprintf("index %d where %d is due", index, want))
	}
	if !open {
		n, _ = c.call(index)
		if index >= 0 {
			c.byIndex[index] = n
		}
	}
	return n
}

// null notes a member that is null.
func (c *chatAnswer) null(o object, name, path string) {
	if o.get(name).Kind() == 'n' {
		c.note(NoteNull, path+"/"+name, name+" is null")
	}
}

func (c *chatAnswer) usage(v jsontext.Value) {
	if v.Kind() != '{' {
		if !absent(v) {
			c.wrongType(v, "/usage", "an object")
		}
		return
	}
	fields := members(v)
	c.a.Usage = &Usage{
		Input:     c.count(fields.get("prompt_tokens"), "/usage/prompt_tokens"),
		Output:    c.count(fields.get("completion_tokens"), "/usage/completion_tokens"),
		Total:     c.count(fields.get("total_tokens"), "/usage/total_tokens"),
		Cached:    c.count(members(fields.get("prompt_tokens_details")).get("cached_tokens"), "/usage/prompt_tokens_details/cached_tokens"),
		Reasoning: c.count(members(fields.get("completion_tokens_details")).get("reasoning_tokens"), "/usage/completion_tokens_details/reasoning_tokens"),
		Raw:       v,
		Place:     c.at,
	}
}
