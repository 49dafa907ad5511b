package search

import (
	"fmt"
	"unicode/utf8"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// field is a text of an exchange, with its place. came tells the event of a streamed answer that brought the byte at an offset; nil for what is
// no part of an answer.
type field struct {
	place Place
	text  string
	came  func(offset int) (wire.Place, bool)
}

// fields calls yield for each text of an exchange, until it returns false.
func fields(x *reading.Exchange, yield func(field) bool) {
	f := &fielder{yield: yield}
	if x.Request != nil {
		f.request(x.Request)
	} else {
		f.body(Request, x.RequestBody)
	}
	if x.Answer != nil {
		f.answer(x.Answer)
	} else {
		f.body(Response, x.ResponseBody)
	}
	f.add(Place{Side: Ending, What: "cause"}, x.Cause)
}

type fielder struct {
	yield func(field) bool
	done  bool
}

func (f *fielder) add(p Place, text string) { f.emit(field{place: p, text: text}) }

func (f *fielder) emit(one field) {
	if !f.done && one.text != "" {
		f.done = !f.yield(one)
	}
}

// body is a body that has no normal form. What is no text is not searched.
func (f *fielder) body(side Side, body []byte) {
	if utf8.Valid(body) {
		f.add(Place{Side: side, What: "body"}, string(body))
	}
}

func (f *fielder) request(q *wire.Request) {
	f.add(Place{Side: Request, What: "system"}, q.System)
	for i, m := range q.Messages {
		for k, part := range m.Parts {
			f.part(Place{Side: Request, Message: i + 1, Part: k + 1}, part)
		}
	}
	for _, t := range q.Tools {
		if t.Raw != nil {
			f.add(Place{Side: Request, What: "tool"}, string(t.Raw))
			continue
		}
		f.add(Place{Side: Request, What: "name of tool"}, t.Name)
		f.add(Place{Side: Request, What: "description of tool " + t.Name}, t.Description)
		f.add(Place{Side: Request, What: "schema of tool " + t.Name}, string(t.Schema))
	}
	for _, o := range q.Options {
		f.add(Place{Side: Request, What: "option " + o.Name}, string(o.Value))
	}
	for _, u := range q.Unknown {
		f.add(Place{Side: Request, What: "unknown " + u.Name}, string(u.Value))
	}
}

func (f *fielder) part(at Place, p wire.Part) {
	add := func(what, text string) {
		at.What = what
		f.add(at, text)
	}
	switch p.Kind {
	case wire.PartText, wire.PartReasoning:
		add(string(p.Kind), p.Text)
	case wire.PartImage:
		add("image", p.Image.URL)
	case wire.PartToolCall:
		add("id of call", p.Call.ID)
		add("name of call", p.Call.Name)
		add("arguments of "+p.Call.Name, p.Call.Arguments)
	case wire.PartToolResult:
		add("id of result", p.Result.CallID)
		add("result", p.Result.Text)
		for _, image := range p.Result.Images {
			add("image", image.URL)
		}
		for _, other := range p.Result.Other {
			add("result", string(other))
		}
	case wire.PartOther:
		add(p.Text, string(p.Raw))
	}
}

func (f *fielder) answer(a *wire.Answer) {
	said := func(what, text string, came func(offset int) (wire.Place, bool)) {
		f.emit(field{Place{Side: Response, What: what}, text, came})
	}
	block := func(kind wire.BlockKind) func(int) (wire.Place, bool) {
		return func(offset int) (wire.Place, bool) { return a.Arrival(kind, offset) }
	}
	once := func(p wire.Place) func(int) (wire.Place, bool) {
		return func(int) (wire.Place, bool) { return p, true }
	}
	said("id", a.ID, once(a.IDPlace))
	said("reasoning", a.Reasoning, block(wire.BlockReasoning))
	said("text", a.Text, block(wire.BlockText))
	said("refusal", a.Refusal, block(wire.BlockRefusal))
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		said(fmt.Sprintf("id of call %d", i+1), c.ID, once(c.IDPlace))
		said(fmt.Sprintf("name of call %d", i+1), c.Name, c.NamePieces.At)
		said("arguments of "+c.Name, c.Arguments, c.Pieces.At)
	}
	if e := a.Error; e != nil {
		text := string(e.Raw)
		if e.Message != nil {
			text = *e.Message
		}
		said("error", text, once(e.Place))
	}
	evidence := func(what string, list []wire.Evidence) {
		for _, e := range list {
			f.add(Place{Side: Response, What: what, Event: eventNumber(a, e.Place), Start: e.Start}, string(e.Data))
		}
	}
	evidence("unknown event", a.Unknown)
	if a.Stream { // a whole body that is not JSON is an error already
		evidence("malformed event", a.Malformed)
	}
}

// eventNumber counts events from 1; whole bodies have none.
func eventNumber(a *wire.Answer, p wire.Place) int {
	if !a.Stream {
		return 0
	}
	return p.Event + 1
}
