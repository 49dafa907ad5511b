package wire

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/go-json-experiment/json/jsontext"
)

// reader puts an Answer together. The parts that are common to all APIs are here; a format knows the rest.
type reader struct {
	notes
	a      *Answer
	format format
	raw    jsontext.Value // JSON of the event that is being read
	whole  bool           // the body is one JSON value

	texts [][]byte   // text of each block
	calls []callData // argument bytes of each call

	snapshot map[BlockKind]string // texts that count instead of the joined blocks
	failed   bool                 // an error was reported
}

// format reads the events of one API.
type format interface {
	// event takes the JSON object of one event of a stream. name is the event's name, "" mostly.
	event(name string, data object)
	// body takes the JSON object of a whole body.
	body(data object)
	// end is called after the last event of a stream.
	end()
}

type callData struct {
	item string // id of the output item, in Responses
	text []byte // as Arguments shows it
	raw  []byte // values other than strings, as sent
}

func newReader(api tape.API, stream bool) *reader {
	r := &reader{a: &Answer{API: api, Stream: stream}, whole: !stream}
	switch api {
	case tape.OpenAI:
		r.format = &chatAnswer{reader: r, byIndex: make(map[int]int), last: -1}
	case tape.Claude:
		r.format = &claudeAnswer{reader: r, blocks: make(map[int]int)}
	case tape.Responses:
		r.format = newResponsesAnswer(r)
	case tape.Ollama, tape.OllamaGenerate:
		r.format = &ollamaAnswer{reader: r}
	}
	return r
}

// stream reads an event stream or NDJSON.
func (r *reader) stream(body io.Reader) error {
	sc := sse.NewScanner(body, framing(r.a.API))
	for sc.Scan() {
		e := sc.Event()
		r.at = Place{Event: r.a.Events, Start: e.Start, End: e.End}
		switch e.Kind {
		case sse.Comment:
			r.comment(string(e.Data))
		case sse.Junk:
			r.malformed("a line that is no field of an event stream", e.Data)
		default:
			r.a.Events++
			r.data(e)
		}
	}
	r.a.Size = sc.Offset()
	r.format.end()
	r.finish()
	return sc.Err()
}

// data reads one event of a stream.
func (r *reader) data(e *sse.Event) {
	if r.a.Complete {
		r.note(NoteAfterEnd, "", shorten(e.Data))
		return
	}
	if e.Data == nil {
		r.unknown("event without data: "+e.Name, []byte(e.Name))
		return
	}
	if string(bytes.TrimSpace(e.Data)) == "[DONE]" {
		r.unterminated(e)
		if r.a.API == tape.OpenAI {
			r.a.Complete = true
		} else {
			r.unknown("[DONE]", e.Data)
		}
		return
	}
	odd, err := check(e.Data)
	if err != nil {
		what := err.Error()
		if !e.Terminated {
			what = "cut off by the end of the body: " + what
		}
		r.malformed(what, e.Data)
		return
	}
	r.odd(odd)
	r.unterminated(e)
	value := jsontext.Value(bytes.Clone(e.Data))
	if value.Kind() != '{' {
		r.unknown("event that is no JSON object", value)
		return
	}
	if r.failed {
		r.note(NoteAfterError, "", shorten(value))
	}
	r.raw = value
	r.format.event(e.Name, members(value))
}

func (r *reader) unterminated(e *sse.Event) {
	if !e.Terminated {
		r.note(NoteNoBlankLine, "", "the last event is not closed")
	}
}

// wholeBody reads a body that is one JSON value.
func (r *reader) wholeBody(data []byte) {
	r.a.Size = int64(len(data))
	r.at.End = int64(len(data))
	defer r.finish()
	if len(data) == 0 {
		r.fail(&Error{Kind: ErrorException})
		return
	}
	r.a.Events = 1
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	odd, err := check(text)
	if err != nil {
		r.malformed(err.Error(), data)
		message := shorten(data)
		r.fail(&Error{Kind: ErrorNotJSON, Message: &message, Raw: data})
		return
	}
	r.odd(odd)
	value := jsontext.Value(text)
	r.raw = value
	r.a.Complete = true
	switch fields := members(value); {
	case value.Kind() != '{':
		r.unknown("body that is no JSON object", value)
	case !r.errorBody(fields):
		r.format.body(fields)
	}
}

// errorBody reports whether the whole body is an error, and reads it. exo and the servers it imitates send an object or a
// string under "error"; request validation of FastAPI sends "detail"; older vLLM sends {"object":"error","message":…}.
func (r *reader) errorBody(fields object) bool {
	e := fields.get("error")
	switch {
	case fields.has("output"): // a failed answer of Responses, which says more
		return false
	case !absent(e):
	case fields.has("detail"):
		e = fields.get("detail")
	case str(fields.get("object")) == "error" || str(fields.get("type")) == "error":
		e = r.raw
	default:
		return false
	}
	r.fail(r.readError(ErrorBody, e))
	return true
}

// readError reads an error from the value that describes it.
func (r *reader) readError(kind ErrorKind, v jsontext.Value) *Error {
	e := &Error{Kind: kind, Raw: v}
	switch v.Kind() {
	case '{':
		fields := members(v)
		if e.Type = str(fields.get("type")); e.Type == "error" {
			e.Type = "" // that of the event or body around it
		}
		if m := fields.get("message"); m.Kind() == '"' {
			e.Message = ref(unquote(m))
		}
		if code := fields.get("code"); !absent(code) {
			e.Code = code
		}
	case '"':
		e.Message = ref(unquote(v))
	case '[':
		e.Message = validationMessage(v)
	default:
		e.Message = ref(string(v))
	}
	return e
}

// validationMessage joins the complaints of FastAPI's request validation: "body.model: Field required; …".
func validationMessage(v jsontext.Value) *string {
	var all []string
	for _, item := range elements(v) {
		fields := members(item)
		var loc []string
		for _, part := range elements(fields.get("loc")) {
			if part.Kind() == '"' {
				loc = append(loc, unquote(part))
			} else {
				loc = append(loc, string(part))
			}
		}
		all = append(all, strings.Join(loc, ".")+": "+str(fields.get("msg")))
	}
	return ref(strings.Join(all, "; "))
}

// fail takes an error; the first one counts.
func (r *reader) fail(e *Error) {
	r.failed = true
	e.Place = r.at
	if r.a.Error == nil {
		r.a.Error = e
	}
}

func (r *reader) unknown(what string, data []byte) {
	r.a.Unknown = append(r.a.Unknown, Evidence{Place: r.at, What: what, Data: bytes.Clone(data)})
}

func (r *reader) malformed(what string, data []byte) {
	r.a.Malformed = append(r.a.Malformed, Evidence{Place: r.at, What: what, Data: bytes.Clone(data)})
}

// open begins a block and returns its number.
func (r *reader) open(kind BlockKind, index int) int {
	r.a.Blocks = append(r.a.Blocks, Block{Kind: kind, Index: index, Call: -1, Open: r.at})
	r.texts = append(r.texts, nil)
	if r.whole {
		r.close(len(r.texts) - 1)
	}
	return len(r.texts) - 1
}

// close ends a block, and the call it holds.
func (r *reader) close(block int) {
	b := &r.a.Blocks[block]
	if b.Close == nil {
		b.Close = ref(r.at)
	}
	if b.Call >= 0 {
		r.a.ToolCalls[b.Call].Done = true
	}
}

// say adds text to the last block if that is of the kind, else to a new one. It serves the formats that have no blocks.
func (r *reader) say(kind BlockKind, text string) {
	if text == "" {
		return
	}
	n := len(r.a.Blocks) - 1
	if n < 0 || r.a.Blocks[n].Kind != kind {
		n = r.open(kind, -1)
	}
	r.write(n, text)
}

// write adds text to a block.
func (r *reader) write(block int, text string) {
	r.texts[block] = append(r.texts[block], text...)
	r.arrived(&r.a.Blocks[block].Pieces, len(r.texts[block]))
}

// rewrite sets the text of a block.
func (r *reader) rewrite(block int, text string) {
	old := string(r.texts[block])
	r.texts[block] = []byte(text)
	r.changed(&r.a.Blocks[block].Pieces, old, text)
}

// changed notes that the event that is being read says another text than the pieces brought. What both begin with came when it came.
func (r *reader) changed(pieces *Pieces, old, text string) {
	same := 0
	for same < len(old) && same < len(text) && old[same] == text[same] {
		same++
	}
	for n := len(*pieces); n > 0 && (*pieces)[n-1].Len > same; n-- {
		before := 0
		if n > 1 {
			before = (*pieces)[n-2].Len
		}
		if before < same { // a part of this piece is left
			(*pieces)[n-1].Len = same
			break
		}
		*pieces = (*pieces)[:n-1]
	}
	r.arrived(pieces, len(text))
}

// arrived notes that a text has size bytes, and that what it is longer by came with the event that is being read.
func (r *reader) arrived(pieces *Pieces, size int) {
	last := len(*pieces) - 1
	switch {
	case r.whole:
	case last >= 0 && (*pieces)[last].Event == r.at.Event:
		(*pieces)[last].Len = size
	case last < 0 && size > 0 || last >= 0 && (*pieces)[last].Len < size:
		*pieces = append(*pieces, Piece{Event: r.at.Event, Start: r.at.Start, End: r.at.End, Len: size})
	}
}

// call begins a tool call with a block of its own and returns its number and that of the block.
func (r *reader) call(index int) (call, block int) {
	call = len(r.a.ToolCalls)
	r.a.ToolCalls = append(r.a.ToolCalls, ToolCall{Index: index, Places: []Place{r.at}, Done: r.whole})
	r.calls = append(r.calls, callData{})
	block = r.open(BlockToolCall, index)
	r.a.Blocks[block].Call = call
	return call, block
}

// arguments adds what one event says of the arguments of a call.
func (r *reader) arguments(call int, v jsontext.Value) {
	c, data := &r.a.ToolCalls[call], &r.calls[call]
	if c.Places[len(c.Places)-1] != r.at {
		c.Places = append(c.Places, r.at)
	}
	switch v.Kind() {
	case jsontext.KindInvalid:
	case 'n':
		if c.Sent == ArgumentsAbsent {
			c.Sent = ArgumentsNull
		}
	case '"':
		c.Sent = ArgumentsString
		data.text = append(data.text, unquote(v)...)
	default:
		c.Sent = ArgumentsOther
		if v.Kind() == '{' {
			c.Sent = ArgumentsObject
		}
		data.raw = append(data.raw, v...)
		data.text = append(data.text, dump(v)...)
	}
	r.arrived(&c.Pieces, len(data.text))
}

// dump returns JSON as Python's json.dumps writes the value it decodes to; as sent if Python cannot decode it.
func dump(v jsontext.Value) []byte {
	value, err := pyjson.Decode(v)
	if err != nil {
		return v
	}
	text, err := pyjson.Encode(value, pyjson.Default)
	if err != nil {
		return v
	}
	return text
}

// identify sets what an event says of id and name of a call. A name that comes again is not added again.
func (r *reader) identify(call int, id, name jsontext.Value) {
	c := &r.a.ToolCalls[call]
	if id.Kind() == '"' {
		switch text := unquote(id); {
		case !c.HasID || c.ID == "":
			c.ID, c.HasID, c.IDPlace = text, true, r.at
		case text != "" && text != c.ID:
			c.OtherID = text
			r.note(NoteCallID, "", fmt.Sprintf("call %q is later called %q", c.ID, text))
		}
	}
	if name.Kind() == '"' {
		c.HasName = true
		if text := unquote(name); text != c.Name {
			c.Name += text
			r.arrived(&c.NamePieces, len(c.Name))
		}
	}
}

// finishReason takes a finish reason.
func (r *reader) finishReason(v jsontext.Value, path string) {
	switch v.Kind() {
	case jsontext.KindInvalid:
	case 'n':
		if r.a.FinishReason == nil {
			r.finishPlace(path)
		}
	case '"':
		reason := unquote(v)
		if old := r.a.FinishReason; old != nil && *old != reason {
			r.note(NoteFinishChanged, path, fmt.Sprintf("%q after %q", reason, *old))
		}
		r.a.FinishReason = &reason
		r.finishPlace(path)
	default:
		r.wrongType(v, path, "a string")
	}
}

// finishPlace notes where in the event that is being read the finish reason stands. Most streams have null there in each event.
func (r *reader) finishPlace(path string) {
	if r.a.FinishPlace == nil {
		r.a.FinishPlace = new(Place)
	}
	*r.a.FinishPlace = r.at
	r.a.FinishPlace.Path = path
}

// header takes what a response says of itself; want is the value its object (or type) member must have.
func (r *reader) header(o object, objectName, want, path string) {
	set := func(field *string, name string) {
		if *field == "" {
			*field = r.text(o, name, path)
		}
	}
	if set(&r.a.ID, "id"); r.a.ID != "" && r.a.IDPlace.End == 0 {
		r.a.IDPlace = r.at
	}
	set(&r.a.Model, "model")
	set(&r.a.Object, objectName)
	if got := o.get(objectName); want != "" && !is(got, want) {
		r.noteOnce(NoteWrongObject, path+"/"+objectName, fmt.Sprintf("%q, not %q", str(got), want))
	}
}

// finish fills in what is made of the parts.
func (r *reader) finish() {
	a := r.a
	a.Notes = r.list
	texts := make(map[BlockKind][]string)
	for i := range a.Blocks {
		b := &a.Blocks[i]
		b.Text = string(r.texts[i])
		texts[b.Kind] = append(texts[b.Kind], b.Text)
	}
	for kind, field := range map[BlockKind]*string{BlockText: &a.Text, BlockReasoning: &a.Reasoning, BlockRefusal: &a.Refusal} {
		*field = strings.Join(texts[kind], "")
		if text, ok := r.snapshot[kind]; ok {
			*field = text
		}
	}
	for i, data := range r.calls {
		c := &a.ToolCalls[i]
		c.Arguments = string(data.text)
		c.RawArguments = data.raw
		if data.raw == nil {
			c.RawArguments = slices.Clip(data.text)
		}
	}
	a.Finish = finishOf(a)
}
