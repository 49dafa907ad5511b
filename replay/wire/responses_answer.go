package wire

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// responsesAnswer reads answers of OpenAI Responses. In a stream the final response.completed holds the whole answer
// again; that snapshot counts, see snapshot.go.
type responsesAnswer struct {
	*reader
	items     []*responseItem // in the order in which they began
	sequence  *int64          // last sequence number
	unindexed bool            // an item was named by an id alone
	next      int             // the output_index that is due
	first     string          // the first event
}

// responseItem is one output item of a stream.
type responseItem struct {
	kind, id string
	index    int             // output_index, -1 when it is not told
	call     int             // number of the call, -1 for other items
	parts    map[partKey]int // the blocks of its parts
	block    int             // the block of the call
	done     bool
	begun    Place
}

// String names the item in notes.
func (i *responseItem) String() string {
	if i.index < 0 && i.id != "" {
		return fmt.Sprintf("%s item %q", i.kind, i.id)
	}
	return fmt.Sprintf("%s item %d", i.kind, i.index)
}

// partKey names a part of an item: a content part, or a part of a reasoning summary.
type partKey struct {
	kind    BlockKind
	summary bool
	index   int
}

func newResponsesAnswer(r *reader) *responsesAnswer { return &responsesAnswer{reader: r} }

func (a *responsesAnswer) event(name string, data object) {
	kind := str(data.get("type"))
	switch {
	case kind == "":
		kind = name
	case name != "" && name != kind:
		a.note(NoteEventName, "/type", fmt.Sprintf("event %q has the type %q", name, kind))
	}
	a.checkSequence(data)
	a.order(kind)
	switch kind {
	case "response.created", "response.in_progress", "response.queued":
		a.header(members(data.get("response")), "object", "response", "/response")
	case "response.completed", "response.incomplete", "response.failed":
		a.terminal(members(data.get("response")))
	case "response.output_item.added":
		a.checkIndex(data)
		a.added(data)
	case "response.output_item.done":
		a.itemDone(data)
	case "error":
		e := data.get("error")
		if absent(e) {
			e = a.raw
		}
		a.fail(a.readError(ErrorChunk, e))
	case "response.content_part.added", "response.content_part.done", "response.reasoning_summary_part.added",
		"response.reasoning_summary_part.done", "response.output_text.annotation.added":
		// They repeat what the deltas and items say.
	default:
		if p, ok := partEvents[kind]; ok {
			a.partEvent(p, data)
		} else {
			a.unknown(fmt.Sprintf("event %q", kind), a.raw)
		}
	}
}

// order notes an event that comes before response.created, which is to come first, and that one once more. A failure may come first.
func (a *responsesAnswer) order(kind string) {
	switch {
	case a.first == "response.created" && kind == a.first:
		a.note(NoteEventOrder, "/type", "response.created comes once more")
	case a.first != "" || kind == "error" || kind == "response.failed" || !strings.HasPrefix(kind, "response."):
	default:
		if a.first = kind; kind != "response.created" {
			a.note(NoteEventOrder, "/type", fmt.Sprintf("the stream begins with %s, not with response.created", kind))
		}
	}
}

// checkIndex notes an item that is announced with another output_index than the next one. One that was used is told as such.
func (a *responsesAnswer) checkIndex(data object) {
	if index := indexOf(data.get("output_index")); index > a.next {
		a.note(NoteIndexGap, "/output_index", fmt.Sprintf("output_index %d where %d is due", index, a.next))
	}
}

// partEvent says what an event that carries a part of an item is about.
type partEvent struct {
	block BlockKind
	field string // the member its text is under
	whole bool   // the text is all of the part, not a piece
}

// partEvents lists the events that carry a part of an item.
var partEvents = map[string]partEvent{
	"response.output_text.delta":             {BlockText, "delta", false},
	"response.output_text.done":              {BlockText, "text", true},
	"response.refusal.delta":                 {BlockRefusal, "delta", false},
	"response.refusal.done":                  {BlockRefusal, "refusal", true},
	"response.reasoning_text.delta":          {BlockReasoning, "delta", false},
	"response.reasoning_text.done":           {BlockReasoning, "text", true},
	"response.reasoning_summary_text.delta":  {BlockReasoning, "delta", false},
	"response.reasoning_summary_text.done":   {BlockReasoning, "text", true},
	"response.function_call_arguments.delta": {BlockToolCall, "delta", false},
	"response.function_call_arguments.done":  {BlockToolCall, "arguments", true},
	"response.custom_tool_call_input.delta":  {BlockToolCall, "delta", false},
	"response.custom_tool_call_input.done":   {BlockToolCall, "input", true},
}

// itemKinds says which kind of item a block belongs to, for items that were never announced.
var itemKinds = map[BlockKind]string{
	BlockText: "message", BlockRefusal: "message", BlockReasoning: "reasoning", BlockToolCall: "function_call",
}

// partEvent takes a piece of a part, or the whole of it.
func (a *responsesAnswer) partEvent(p partEvent, data object) {
	item := a.item(data, data.get("item_id"))
	if item == nil || (item.call < 0) == (p.block == BlockToolCall) {
		a.note(NoteStrayDelta, "/output_index", "no item of this kind was announced")
		item = a.begin(itemKinds[p.block], str(data.get("item_id")), indexOf(data.get("output_index")))
	} else if item.done {
		a.note(NoteStrayDelta, "/output_index", "the item was done")
	}
	value := data.get(p.field)
	if item.call >= 0 {
		if p.whole {
			a.identify(item.call, nil, data.get("name"))
			a.wholeArguments(item.call, value)
		} else {
			a.arguments(item.call, value)
		}
		return
	}
	key := partKey{p.block, data.get("summary_index") != nil, 0}
	for _, name := range []string{"content_index", "summary_index"} {
		if n := indexOf(data.get(name)); n >= 0 {
			key.index = n
		}
	}
	block := a.part(item, key)
	text := a.text(data, p.field, "")
	if !p.whole {
		a.write(block, text)
		return
	}
	a.wholeText(block, text)
	a.close(block)
}

// part returns the block of a part of an item, a new one at first.
func (a *responsesAnswer) part(item *responseItem, key partKey) int {
	block, ok := item.parts[key]
	if !ok {
		block = a.open(key.kind, item.index)
		item.parts[key] = block
	}
	return block
}

// wholeText sets a block's text to what a snapshot says.
func (a *responsesAnswer) wholeText(block int, text string) {
	if joined := string(a.texts[block]); joined != text {
		a.note(NoteSnapshot, "", fmt.Sprintf("the text is %q, its deltas joined are %q", shorten([]byte(text)), shorten([]byte(joined))))
		a.rewrite(block, text)
	}
}

// wholeArguments sets a call's arguments to what a snapshot says.
func (a *responsesAnswer) wholeArguments(call int, v jsontext.Value) {
	if absent(v) {
		return
	}
	joined, pieces := a.calls[call], a.a.ToolCalls[call].Pieces
	a.calls[call], a.a.ToolCalls[call].Pieces = callData{}, nil
	a.arguments(call, v)
	a.changed(&pieces, string(joined.text), string(a.calls[call].text))
	a.a.ToolCalls[call].Pieces = pieces
	if got := string(a.calls[call].text); got != string(joined.text) {
		a.note(NoteSnapshot, "", fmt.Sprintf("the arguments are %q, their deltas joined are %q", shorten([]byte(got)), shorten(joined.text)))
	}
}

// item returns the item an event is for: that of its output_index, else that of one of the ids; nil if there is none.
func (a *responsesAnswer) item(data object, ids ...jsontext.Value) *responseItem {
	index := indexOf(data.get("output_index"))
	if index >= 0 {
		for _, item := range slices.Backward(a.items) {
			if item.index == index {
				return item
			}
		}
		return nil
	}
	for _, v := range ids {
		id := str(v)
		if id == "" {
			continue
		}
		a.noteUnindexed(data)
		for _, item := range slices.Backward(a.items) {
			if item.id == id || item.call >= 0 && a.a.ToolCalls[item.call].ID == id {
				return item
			}
		}
	}
	return nil
}

// noteUnindexed notes the first event that names its item by an id alone. llama.cpp sends all of them so, and numbers none of its
// events: that is one fault, not one of each event, and what the ids join is not judged by the numbers that are missing.
func (a *responsesAnswer) noteUnindexed(data object) {
	if a.unindexed || !absent(data.get("output_index")) {
		return
	}
	a.unindexed = true
	detail := "the event names its item by an id and has no output_index"
	if a.sequence == nil {
		detail += " (nor have events a sequence_number)"
		// This event's own number was missed already, and noteOnce tells of none again.
		a.list = slices.DeleteFunc(a.list, func(n Note) bool { return n.Kind == NoteSequence })
	}
	a.note(NoteIndexMissing, "", detail)
}

// begin adds an item.
func (a *responsesAnswer) begin(kind, id string, index int) *responseItem {
	item := &responseItem{kind: kind, id: id, index: index, call: -1, parts: make(map[partKey]int), begun: a.at}
	if kind == "function_call" || kind == "custom_tool_call" {
		item.call, item.block = a.call(index)
		a.calls[item.call].item = id
	}
	a.items = append(a.items, item)
	a.next = max(a.next, index+1)
	return item
}

// added takes response.output_item.added. What the item holds already, its deltas say again.
func (a *responsesAnswer) added(data object) {
	fields := members(data.get("item"))
	kind, index := str(fields.get("type")), indexOf(data.get("output_index"))
	for _, old := range a.items {
		if old.index == index && index >= 0 {
			a.note(NoteDuplicateBlock, "/output_index", fmt.Sprintf("index %d was that of a %s item", index, old.kind))
		}
	}
	if index < 0 && str(fields.get("id"))+str(fields.get("call_id")) != "" {
		a.noteUnindexed(data)
	}
	item := a.begin(kind, str(fields.get("id")), index)
	switch {
	case item.call >= 0:
		a.identify(item.call, fields.get("call_id"), fields.get("name"))
	case kind != "message" && kind != "reasoning":
		item.parts[partKey{kind: BlockOther}] = a.open(BlockOther, index)
		a.unknown(fmt.Sprintf("output item of type %q", kind), data.get("item"))
	}
}

// itemDone takes response.output_item.done, which holds the whole item.
func (a *responsesAnswer) itemDone(data object) {
	fields := members(data.get("item"))
	item := a.item(data, fields.get("id"), fields.get("call_id"))
	if item == nil {
		a.note(NoteStrayDelta, "/output_index", "an item is done that was never announced")
		a.added(data)
		item = a.items[len(a.items)-1]
	}
	item.done = true
	if item.call >= 0 {
		a.identify(item.call, fields.get("call_id"), fields.get("name"))
		arguments := fields.get("arguments")
		if item.kind == "custom_tool_call" {
			arguments = fields.get("input")
		}
		a.wholeArguments(item.call, arguments)
	}
	for key, text := range itemTexts(fields) {
		a.wholeText(a.part(item, key), text)
	}
	if item.call >= 0 {
		a.close(item.block)
	}
	for _, block := range item.parts {
		a.close(block)
	}
}

// terminal takes the last event of a stream.
func (a *responsesAnswer) terminal(response object) {
	a.a.Complete = true
	a.envelope(response, "/response", ErrorChunk)
	a.takeSnapshot(response)
}

func (a *responsesAnswer) body(data object) {
	a.envelope(data, "", ErrorBody)
	if !data.has("output") && a.a.Error == nil {
		a.unknown("body without output", a.raw)
	}
	a.output(data.get("output"), "/output")
}

// envelope reads what a response object says apart from its output.
func (a *responsesAnswer) envelope(response object, path string, kind ErrorKind) {
	a.header(response, "object", "response", path)
	a.finishReason(response.get("status"), path+"/status")
	a.usage(response.get("usage"), path+"/usage")
	a.a.Incomplete = str(members(response.get("incomplete_details")).get("reason"))
	if e := response.get("error"); !absent(e) {
		a.fail(a.readError(kind, e))
	}
}

// output reads the output items of a whole response.
func (a *responsesAnswer) output(v jsontext.Value, path string) {
	if !absent(v) && v.Kind() != '[' {
		a.wrongType(v, path, "an array")
	}
	for i, raw := range elements(v) {
		fields := members(raw)
		switch kind := str(fields.get("type")); kind {
		case "function_call", "custom_tool_call":
			n, _ := a.call(i)
			a.calls[n].item = str(fields.get("id"))
			a.identify(n, fields.get("call_id"), fields.get("name"))
			arguments := fields.get("arguments")
			if kind == "custom_tool_call" {
				arguments = fields.get("input")
			}
			a.arguments(n, arguments)
		case "message", "reasoning":
			for key, text := range itemTexts(fields) {
				block := a.open(key.kind, i)
				a.write(block, text)
			}
			for j, part := range elements(fields.get("content")) {
				if t := str(members(part).get("type")); !contentTypes[t] {
					a.unknown(fmt.Sprintf("content part %d of type %q", j, t), part)
				}
			}
		default:
			a.open(BlockOther, i)
			a.unknown(fmt.Sprintf("output item of type %q", kind), raw)
		}
	}
}

// contentTypes are the parts that itemTexts reads.
var contentTypes = map[string]bool{"output_text": true, "text": true, "refusal": true, "reasoning_text": true}

// itemTexts yields the texts of a message or reasoning item: the parts of the summary, then those of the content.
func itemTexts(item object) func(yield func(partKey, string) bool) {
	return func(yield func(partKey, string) bool) {
		kind := BlockText
		if str(item.get("type")) == "reasoning" {
			kind = BlockReasoning
		}
		for i, part := range elements(item.get("summary")) {
			if !yield(partKey{kind, true, i}, str(members(part).get("text"))) {
				return
			}
		}
		content := item.get("content")
		if content.Kind() == '"' && !yield(partKey{kind, false, 0}, unquote(content)) {
			return
		}
		for i, part := range elements(content) {
			fields := members(part)
			key, text := partKey{kind, false, i}, str(fields.get("text"))
			switch t := str(fields.get("type")); {
			case t == "refusal":
				key.kind, text = BlockRefusal, str(fields.get("refusal"))
			case !contentTypes[t]:
				continue
			}
			if !yield(key, text) {
				return
			}
		}
	}
}

func (a *responsesAnswer) end() {
	if !a.a.Complete {
		return
	}
	for _, item := range a.items {
		if !item.done {
			a.at = item.begun
			a.note(NoteUnclosed, "", fmt.Sprintf("%v is never done", item))
		}
	}
}

// checkSequence notes sequence numbers that are missing, repeat or jump.
func (a *responsesAnswer) checkSequence(data object) {
	n, ok := integer(data.get("sequence_number"))
	switch {
	case !ok:
		a.noteOnce(NoteSequence, "/sequence_number", "events without a sequence number")
		return
	case a.sequence != nil && n != *a.sequence+1:
		a.note(NoteSequence, "/sequence_number", strconv.FormatInt(n, 10)+" after "+strconv.FormatInt(*a.sequence, 10))
	}
	a.sequence = &n
}

func (a *responsesAnswer) usage(v jsontext.Value, path string) {
	if v.Kind() != '{' {
		if !absent(v) {
			a.wrongType(v, path, "an object")
		}
		return
	}
	fields := members(v)
	a.a.Usage = &Usage{
		Input:     a.count(fields.get("input_tokens"), path+"/input_tokens"),
		Output:    a.count(fields.get("output_tokens"), path+"/output_tokens"),
		Total:     a.count(fields.get("total_tokens"), path+"/total_tokens"),
		Cached:    a.count(members(fields.get("input_tokens_details")).get("cached_tokens"), path+"/input_tokens_details/cached_tokens"),
		Reasoning: a.count(members(fields.get("output_tokens_details")).get("reasoning_tokens"), path+"/output_tokens_details/reasoning_tokens"),
		Raw:       v,
		Place:     a.at,
	}
}
