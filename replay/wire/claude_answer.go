package wire

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// claudeAnswer reads answers of Claude Messages.
type claudeAnswer struct {
	*reader
	blocks  map[int]int // the last block that started at each index
	started int         // blocks that are open
	next    int         // the index that is due
	first   string      // the first event
	closing bool        // message_delta has come
}

func (c *claudeAnswer) event(name string, data object) {
	kind := str(data.get("type"))
	switch {
	case kind == "":
		kind = name
	case name != "" && name != kind:
		c.note(NoteEventName, "/type", fmt.Sprintf("event %q has the type %q", name, kind))
	case name == "" && kind != "ping": // which nobody misses
		c.noteOnce(NoteEventUnnamed, "/type", kind+" has no name before its data")
	}
	c.order(kind)
	switch kind {
	case "message_start":
		message := members(data.get("message"))
		c.header(message, "type", "message", "/message")
		c.usage(message.get("usage"), "/message/usage")
		if reason := message.get("stop_reason"); !absent(reason) {
			c.finishReason(reason, "/message/stop_reason")
		}
		for i, part := range elements(message.get("content")) {
			c.part(members(part), part, i, "/message/content/"+strconv.Itoa(i))
		}
	case "content_block_start":
		c.start(data)
	case "content_block_delta":
		c.delta(data)
	case "content_block_stop":
		c.stop(data)
	case "message_delta":
		c.finishReason(members(data.get("delta")).get("stop_reason"), "/delta/stop_reason")
		c.usage(data.get("usage"), "/usage")
	case "message_stop":
		c.a.Complete = true
	case "error":
		c.fail(c.readError(ErrorChunk, data.get("error")))
	case "ping":
	default:
		c.unknown(fmt.Sprintf("event %q", kind), c.raw)
	}
}

// order notes an event that does not come in the order the API states: message_start comes first and once, and the blocks of content all
// come before message_delta. ping, error and events the API does not have may come anywhere.
func (c *claudeAnswer) order(kind string) {
	switch kind {
	case "message_start":
		if c.first == kind {
			c.note(NoteEventOrder, "/type", "message_start comes once more")
		}
	case "content_block_start", "content_block_delta", "content_block_stop":
		if c.closing {
			c.noteOnce(NoteEventOrder, "/type", kind+" after message_delta")
		}
	case "message_delta":
		c.closing = true
	case "message_stop":
	default:
		return
	}
	if c.first == "" {
		if c.first = kind; kind != "message_start" {
			c.note(NoteEventOrder, "/type", fmt.Sprintf("the stream begins with %s, not with message_start", kind))
		}
	}
}

func (c *claudeAnswer) body(data object) {
	c.header(data, "type", "message", "")
	c.usage(data.get("usage"), "/usage")
	c.finishReason(data.get("stop_reason"), "/stop_reason")
	content := data.get("content")
	switch content.Kind() {
	case '[':
		for i, part := range elements(content) {
			c.part(members(part), part, i, "/content/"+strconv.Itoa(i))
		}
	case '"':
		c.wrongType(content, "/content", "an array")
		c.say(BlockText, unquote(content))
	default:
		c.unknown("body without content", c.raw)
	}
}

func (c *claudeAnswer) end() {
	if !c.a.Complete {
		return
	}
	for i, b := range c.a.Blocks {
		if b.Close == nil {
			c.at = b.Open
			c.note(NoteUnclosed, "", fmt.Sprintf("block %d (%s, index %d) is never stopped", i, b.Kind, b.Index))
		}
	}
}

// start begins a block of the stream.
func (c *claudeAnswer) start(data object) {
	index := indexOf(data.get("index"))
	if index < 0 {
		c.note(NoteIndexMissing, "/index", "a block starts without an index")
	}
	if old, ok := c.blocks[index]; ok {
		c.note(NoteDuplicateBlock, "/index", fmt.Sprintf("index %d was that of a %s block", index, c.a.Blocks[old].Kind))
	} else if index > c.next {
		c.note(NoteIndexGap, "/index", fmt.Sprintf("index %d where %d is due", index, c.next))
	}
	c.next = max(c.next, index+1)
	if c.started > 0 {
		c.note(NoteOverlap, "", fmt.Sprintf("block %d starts while another one is open", index))
	}
	c.started++
	part := data.get("content_block")
	c.blocks[index] = c.part(members(part), part, index, "/content_block")
}

// stop ends a block of the stream.
func (c *claudeAnswer) stop(data object) {
	index := indexOf(data.get("index"))
	block, ok := c.blocks[index]
	if !ok || c.a.Blocks[block].Close != nil {
		c.note(NoteStrayDelta, "/index", fmt.Sprintf("block %d is stopped but not open", index))
		return
	}
	c.close(block)
	c.started--
}

// part begins a block with what its first event, or a whole body, says of it. It returns the block's number.
func (c *claudeAnswer) part(fields object, raw jsontext.Value, index int, path string) int {
	var block int
	switch kind := str(fields.get("type")); kind {
	case "text":
		block = c.open(BlockText, index)
		c.write(block, c.text(fields, "text", path))
	case "thinking":
		block = c.open(BlockReasoning, index)
		c.write(block, c.text(fields, "thinking", path))
	case "tool_use":
		var call int
		call, block = c.call(index)
		c.identify(call, fields.get("id"), fields.get("name"))
		c.arguments(call, fields.get("input"))
	default:
		block = c.open(BlockOther, index)
		c.unknown(fmt.Sprintf("content block of type %q", kind), raw)
	}
	return block
}

// deltaBlocks says which kind of block each delta is for, and under which name its text is.
var deltaBlocks = map[string]struct {
	kind  BlockKind
	field string
}{
	"text_delta":       {BlockText, "text"},
	"thinking_delta":   {BlockReasoning, "thinking"},
	"input_json_delta": {BlockToolCall, "partial_json"},
}

func (c *claudeAnswer) delta(data object) {
	delta := members(data.get("delta"))
	kind := str(delta.get("type"))
	target, ok := deltaBlocks[kind]
	if !ok {
		if kind != "signature_delta" && kind != "citations_delta" {
			c.unknown(fmt.Sprintf("delta of type %q", kind), c.raw)
		}
		return
	}
	index := indexOf(data.get("index"))
	block, ok := c.blocks[index]
	if ok && c.a.Blocks[block].Kind == BlockOther {
		c.unknown(kind+" of a block of another type", c.raw)
		return
	}
	if !ok || c.a.Blocks[block].Kind != target.kind {
		c.note(NoteStrayDelta, "/index", fmt.Sprintf("%s for block %d, where no %s block is", kind, index, target.kind))
		if target.kind == BlockToolCall {
			_, block = c.call(index)
		} else {
			block = c.open(target.kind, index)
		}
		if !ok {
			c.blocks[index] = block
			c.next = max(c.next, index+1)
			c.started++
		}
	} else if c.a.Blocks[block].Close != nil {
		c.note(NoteStrayDelta, "/index", fmt.Sprintf("%s for block %d, which was stopped", kind, index))
	}
	if target.kind == BlockToolCall {
		c.inputDelta(c.a.Blocks[block].Call, delta.get(target.field))
		return
	}
	c.write(block, c.text(delta, target.field, "/delta"))
}

// inputDelta adds a piece of a call's input. The input that the block started with is only a stand-in, unless no piece comes.
func (c *claudeAnswer) inputDelta(call int, piece jsontext.Value) {
	data := &c.calls[call]
	if c.a.ToolCalls[call].Sent == ArgumentsObject {
		if string(data.text) != "{}" {
			c.note(NoteSnapshot, "/delta", fmt.Sprintf("the call's block started with the input %s", shorten(data.raw)))
		}
		*data, c.a.ToolCalls[call].Pieces = callData{}, nil
	}
	c.arguments(call, piece)
}

// usage merges token counts: message_start tells the input, message_delta the output so far and sometimes both.
func (c *claudeAnswer) usage(v jsontext.Value, path string) {
	if v.Kind() != '{' {
		if !absent(v) {
			c.wrongType(v, path, "an object")
		}
		return
	}
	if c.a.Usage == nil {
		c.a.Usage = &Usage{}
	}
	u, fields := c.a.Usage, members(v)
	u.Raw, u.Place = v, c.at
	merge := func(count **int64, name string) {
		if n := c.count(fields.get(name), path+"/"+name); n != nil {
			*count = n
		}
	}
	merge(&u.Input, "input_tokens")
	merge(&u.Output, "output_tokens")
	merge(&u.Cached, "cache_read_input_tokens")
}
