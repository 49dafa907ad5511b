package wire_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// report renders all that an answer holds.
func (c *answerCase) report(a *wire.Answer) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# %s (%s, stream %v)", c.name, c.api, c.stream)
	p("%s", a.Normalized())
	p("finish %q, id %q, model %q, object %q, events %d, size %d", a.Finish, a.ID, a.Model, a.Object, a.Events, a.Size)
	if a.Incomplete != "" {
		p("incomplete %q", a.Incomplete)
	}
	if a.Refusal != "" {
		p("refusal %q", a.Refusal)
	}
	for _, x := range a.Blocks {
		closed := "open"
		if x.Close != nil {
			closed = fmt.Sprintf("to event %d", x.Close.Event)
		}
		p("block %s index %d from event %d %s, call %d, %q", x.Kind, x.Index, x.Open.Event, closed, x.Call, x.Text)
	}
	for _, x := range a.ToolCalls {
		p("call %q other id %q index %d sent as %q done %v from %d places: %s", x.ID, x.OtherID, x.Index, x.Sent, x.Done, len(x.Places), x.RawArguments)
	}
	if a.Usage != nil {
		p("usage %s from event %d", a.Usage.Raw, a.Usage.Place.Event)
	}
	if a.Error != nil {
		p("error in event %d [%d,%d): %.80s", a.Error.Place.Event, a.Error.Place.Start, a.Error.Place.End, a.Error.Raw)
	}
	if c := a.Comments; c.KeepAlives > 0 || len(c.Prefill) > 0 || len(c.Other) > 0 {
		p("comments: %d keep-alives", c.KeepAlives)
		for _, x := range c.Prefill {
			p("prefill %d of %d at [%d,%d)", x.Processed, x.Total, x.Place.Start, x.Place.End)
		}
		for _, x := range c.Other {
			p("comment %q at [%d,%d)", x.Data, x.Start, x.End)
		}
	}
	if s := a.Stats; s != nil {
		p("stats %v %v %v %v %v %q", *s.PromptTPS, *s.GenerationTPS, *s.PromptTokens, *s.GenerationTokens, *s.PeakMemoryBytes, s.PrefixCacheHit)
	}
	if a.Power != nil {
		p("power %s", a.Power)
	}
	for _, x := range a.Unknown {
		p("unknown in event %d [%d,%d): %s: %.80q", x.Event, x.Start, x.End, x.What, x.Data)
	}
	for _, x := range a.Malformed {
		p("malformed in event %d [%d,%d): %s: %.80q", x.Event, x.Start, x.End, x.What, x.Data)
	}
	for _, x := range a.Choices {
		_, all, _ := strings.Cut(c.report(x), "\n")
		p("choice %d: %s", x.Choice, strings.TrimSpace(all))
	}
	for _, x := range a.Notes {
		p("note %s in event %d [%d,%d) %s: %s", x.Kind, x.Event, x.Start, x.End, x.Path, x.Detail)
	}
	return b.String()
}

// TestAnswers reads answers of servers of many kinds; testdata/answers.txt shows all that is read of each.
func TestAnswers(t *testing.T) {
	var all []string
	for _, c := range answerCases {
		a, err := wire.ParseResponse(c.api, c.stream, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		normalized(t, a)
		all = append(all, c.report(a))
	}
	golden.Check(t, *update, "testdata/answers.txt", []byte(strings.Join(all, "\n")))
}

func TestAnswersAnySplit(t *testing.T) {
	for _, c := range answerCases {
		if c.stream {
			checkSplits(t, c.name, c.api, []byte(c.body))
		}
	}
}

// A reader that fails leaves what came before.
func TestParseResponseReadError(t *testing.T) {
	broken := errors.New("connection reset")
	body := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half\"}}]}\n\ndata: {\"choi"
	for _, stream := range []bool{true, false} {
		r := &pieceThenError{Reader: bytes.NewReader([]byte(body)), err: broken}
		a, err := wire.ParseResponse(tape.OpenAI, stream, iotest.OneByteReader(r))
		if !errors.Is(err, broken) {
			t.Errorf("stream %v: error %v", stream, err)
		}
		if a == nil || a.Size != int64(len(body)) || len(a.Malformed) != 1 || a.Complete {
			t.Errorf("stream %v: %+v", stream, a)
		}
		if stream && a.Text != "Half" {
			t.Errorf("text %q", a.Text)
		}
	}
}

// A connection that breaks off before the first byte is not exo's empty answer.
func TestParseResponseNothingRead(t *testing.T) {
	broken := errors.New("connection reset")
	a, err := wire.ParseResponse(tape.OpenAI, false, iotest.ErrReader(broken))
	if !errors.Is(err, broken) || a == nil || a.Error != nil || a.Complete {
		t.Errorf("got %+v, %v", a, err)
	}
}

// pieceThenError fails where its reader ends.
type pieceThenError struct {
	*bytes.Reader
	err error
}

func (r *pieceThenError) Read(p []byte) (int, error) {
	if r.Len() == 0 {
		return 0, r.err
	}
	return r.Reader.Read(p)
}

func TestParseUnknownAPI(t *testing.T) {
	for _, api := range []tape.API{tape.Control, tape.Other, ""} {
		if a, err := wire.ParseResponse(api, true, strings.NewReader("{}")); !errors.Is(err, wire.ErrAPI) || a != nil {
			t.Errorf("ParseResponse(%q) = %v, %v", api, a, err)
		}
		if q, err := wire.ParseRequest(api, []byte("{}")); !errors.Is(err, wire.ErrAPI) || q != nil {
			t.Errorf("ParseRequest(%q) = %v, %v", api, q, err)
		}
	}
}

// A text of ten megabytes in one event, with a lone CR and separators of Unicode in it.
func TestLargeEvent(t *testing.T) {
	text := strings.Repeat("0123456789\u2028\u0085", 700<<10)
	body := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\ndata: [DONE]\n\n"
	a, err := wire.ParseResponse(tape.OpenAI, true, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if a.Text != text || !a.Complete || len(a.Malformed)+len(a.Notes) != 1 { // the object's name is missing
		t.Errorf("%d of %d bytes, complete %v, malformed %v, notes %v", len(a.Text), len(text), a.Complete, a.Malformed, a.Notes)
	}
}

func ExampleParseResponse() {
	body := `: keep-alive

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"get_tide","arguments":"{\"port\":"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Faro\"}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

`
	answer, err := wire.ParseResponse(tape.OpenAI, true, strings.NewReader(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", answer.Normalized())
	// Output:
	// {"finish_reason":"tool_calls","text":"","reasoning":"","tool_calls":[{"id":"call_1","name":"get_tide","arguments":"{\"port\":\"Faro\"}"}],"usage":null,"error":null,"complete":true}
}

func ExampleStreamed() {
	fmt.Println(wire.Streamed(tape.OpenAI, "application/json", []byte("data: {}\n\n")))
	fmt.Println(wire.Streamed(tape.OpenAI, "text/event-stream", []byte(`{"error":{"message":"No instance found"}}`)))
	// Output:
	// true
	// false
}
