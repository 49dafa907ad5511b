package pairs

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/jsonvalue"
	"github.com/exodeck/exodeck/score/conformance/quote"
)

// Answer is what is kept of an answer to be compared with others.
type Answer struct {
	number int // [unnumbered] when it will not be asked for
	ref    tape.Ref
	topic
	said

	whole *Answer               // of a stream: the first whole answer, which is unlike it
	told  []conformance.Finding // see [Change.Before]
	apart bool                  // that it is unlike the reference was told, see [inquiry]
}

// unnumbered is the number of an answer whose findings are told at once.
const unnumbered = -1

// said is what is compared of an answer, and shown.
type said struct {
	api    tape.API
	stream bool
	// options is the digest of the further settings of the request but for its mode.
	options [32]byte
	content
	input, output int64 // -1 for not told
	limit         int64 // the most tokens that were asked for; 0 for no limit
	cut           bool  // the answer came to its limit, be it the server's own
	more          bool  // it says so
	right         bool  // the verdict on its calls
	// shown are the calls and the text, shortened, and thought is the reasoning.
	shown, thought string
}

// content is what has to be the same in both modes. Of what may be long it has the digest.
type content struct {
	text, reasoning, calls [32]byte
	finish                 string
}

// AnswerOf returns what is to be kept of an answer and its report; nil when it is not to be compared with any.
func AnswerOf(x *reading.Exchange, r *conformance.Report) *Answer {
	if x.Answer == nil {
		return nil
	}
	right, ok := r.Compared()
	if !ok {
		return nil
	}
	q, ok := conformance.QuestionOf(x)
	if !ok {
		return nil
	}
	a := x.Answer
	more := conformance.RanOut(a)
	e := &Answer{ref: x.Ref, topic: topic{question: q.Sum}, said: said{
		api: a.API, stream: a.Stream, options: q.Settings, limit: q.Limit, cut: more || q.Spent(a.Usage), more: more,
		content: content{text: sha256.Sum256([]byte(a.Text)), reasoning: sha256.Sum256([]byte(a.Reasoning))},
		input:   -1, output: -1, right: right, thought: quote.Text(a.Reasoning),
	}}
	if x.Labels[AskedAgain] != "" {
		e.again = x.Ref.Session
	}
	if a.FinishReason != nil {
		e.finish = *a.FinishReason
	}
	if u := a.Usage; u != nil {
		if u.Input != nil {
			e.input = *u.Input + cachedApart(x)
		}
		if u.Output != nil {
			e.output = *u.Output
		}
	}
	d := jsonvalue.NewDigest()
	var calls []string
	for i, c := range r.ToolCalls {
		calls = append(calls, c.Name+" "+quote.Short(string(c.Arguments)))
		// What the report has of a call has its secrets taken out.
		d.Put(strings.ToValidUTF8(a.ToolCalls[i].Name, "\ufffd"))
		d.PutValue(sentArguments(&a.ToolCalls[i]))
	}
	e.calls = d.Sum()
	e.shown = strings.Join(calls, "; ")
	if a.Text != "" {
		e.shown = strings.TrimPrefix(e.shown+"; "+quote.Text(a.Text), "; ")
	}
	if e.shown == "" {
		e.shown = "nothing"
	}
	return e
}

// Comparable reports whether two answers are compared with each other, so that a finding says that they differ: one is a stream and one
// a whole answer to requests that are the same but for that, and ask for the same answer each time; and both are whole. Whether one of them
// was asked again does not matter. nil is comparable with none.
func (e *Answer) Comparable(f *Answer) bool {
	return e != nil && f != nil && e.stream != f.stream && e.question == f.question && e.api == f.api && e.options == f.options
}

// sentArguments returns the arguments of a call as they are compared.
func sentArguments(c *wire.ToolCall) []byte {
	switch {
	case len(bytes.TrimSpace(c.RawArguments)) == 0:
		return []byte("{}")
	case utf8.Valid(c.RawArguments):
		return c.RawArguments
	}
	return bytes.ToValidUTF8(c.RawArguments, []byte("\ufffd"))
}

// cachedApart returns the tokens of input that Claude counts beside the others: those read from the cache of prompts, and those put into it.
func cachedApart(x *reading.Exchange) int64 {
	u := x.Answer.Usage
	if x.Answer.API != tape.Claude {
		return 0
	}
	var counts struct {
		Tokens int64 `json:"cache_creation_input_tokens"`
	}
	_ = json.Unmarshal(u.Raw, &counts) // without a number, none is told
	if x.Answer.Stream && counts.Tokens == 0 {
		for sc := sse.NewScanner(bytes.NewReader(x.ResponseBody), sse.EventStream); sc.Scan(); { // the last event with counts need not repeat those of the first
			var start struct {
				Message struct{ Usage json.RawMessage }
			}
			if e := sc.Event(); e.Kind == sse.Data && json.Unmarshal(e.Data, &start) == nil && start.Message.Usage != nil {
				_ = json.Unmarshal(start.Message.Usage, &counts)
				break
			}
		}
	}
	if u.Cached != nil {
		counts.Tokens += *u.Cached
	}
	return counts.Tokens
}
