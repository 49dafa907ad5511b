package bugreport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/bugreport"
	"github.com/exodeck/exodeck/score/conformance"
)

// history is a request with n calls first, then the results of all, so that no call goes together with its result unless all go. One more
// call has no result, which is a problem that needs it.
func history(n int) string {
	var messages []string
	for i := range n {
		messages = append(messages, fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"c%d","type":"function","function":{"name":"get_wind","arguments":"{}"}}]}`, i))
	}
	for i := range n {
		messages = append(messages, fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":"calm"}`, i))
	}
	return chat("", tool("get_wind"), strings.Join(append(messages, strayCall, user("Tide?")), ","))
}

// A request that is too large to try all is reduced as far as that goes, each time to the same one, and it is said.
func TestReduceLarge(t *testing.T) {
	request, response := history(20), said("High.")
	x := reading.New(exchange(t), []byte(request), []byte(response))
	judge := conformance.New(conformance.Rules{})
	reduce := func(most int) *bugreport.Reduction {
		t.Helper()
		r, err := bugreport.ReduceWithin(t.Context(), x, judge, most)
		if err != nil || r == nil {
			t.Fatalf("reduced to %+v, %v", r, err)
		}
		return r
	}
	all := reduce(1 << 30)
	if all.Unfinished || all.Messages.Left != 2 {
		t.Errorf("with a lot to spend %d of %d messages are left, unfinished %v", all.Messages.Left, all.Messages.Of, all.Unfinished)
	}
	left := all.Messages.Of
	for _, most := range []int{10, len(request) / 2, len(request)} {
		some := reduce(most)
		if !some.Unfinished || some.Messages.Left > left || some.Messages.Left <= all.Messages.Left {
			t.Errorf("with %d bytes to spend %d of %d messages are left, unfinished %v", most, some.Messages.Left, some.Messages.Of, some.Unfinished)
		}
		left = some.Messages.Left
		if diff := cmp.Diff(some, reduce(most)); diff != "" {
			t.Errorf("twice (-first +second):\n%s", diff)
		}
		if diff := cmp.Diff(codes(judge.Exchange(x)), codes(judge.Exchange(reading.New(exchange(t), some.Body, []byte(response))))); diff != "" {
			t.Errorf("problems (-whole +smaller):\n%s", diff)
		}
	}
}

// A request that was not reduced to the end is not called the smallest without a word.
func TestReduceUnfinished(t *testing.T) {
	r := report(t, line(1, "/v1/chat/completions", chat("", tideTool, user("Hi")+","+user("Tide?")), "application/json", said(leakedCall)), 1)
	for _, unfinished := range []bool{false, true} {
		r.Smallest.Unfinished = unfinished
		var b strings.Builder
		if err := r.WriteMarkdown(&b, ""); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "a smaller one may do") != unfinished {
			t.Errorf("unfinished %v:\n%s", unfinished, b.String())
		}
	}
}

func TestReduceInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := reading.New(exchange(t), []byte(history(3)), []byte(said("High.")))
	if _, err := bugreport.Reduce(ctx, x, conformance.New(conformance.Rules{})); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// counting counts the bodies that are read.
type counting struct {
	cassette.Source
	bodies int
}

func (c *counting) Body(ctx context.Context, b tape.Body) (io.ReadCloser, error) {
	c.bodies++
	return c.Source.Body(ctx, b)
}

// Where each answer may differ, no other is read to be compared.
func TestNothingToCompare(t *testing.T) {
	read := func(options string, exchanges int) int {
		t.Helper()
		var lines string
		for i := range exchanges {
			lines += line(i+1, "/v1/chat/completions", chat(options, tideTool, user("Tide?")), "application/json", said(leakedCall))
		}
		src := &counting{Source: open(t, lines)}
		if _, err := bugreport.Of(t.Context(), src, tape.Ref{Session: "s1", Seq: 1}, bugreport.Options{}); err != nil {
			t.Fatal(err)
		}
		return src.bodies
	}
	if one, many := read("", 1), read("", 20); one != many {
		t.Errorf("%d bodies of one exchange are read, %d of twenty", one, many)
	}
	if one, many := read(`"seed":1,`, 1), read(`"seed":1,`, 20); one >= many {
		t.Errorf("with a seed %d bodies of one exchange are read, %d of twenty: others are not compared", one, many)
	}
}

// Of exchanges that ask something else, only the requests are read.
func TestCompareReadsRequests(t *testing.T) {
	const others = 20
	lines := line(1, "/v1/chat/completions", chat(`"seed":1,`, tideTool, user("Tide?")), "application/json", said(leakedCall))
	read := func(lines string) int {
		t.Helper()
		src := &counting{Source: open(t, lines)}
		if _, err := bugreport.Of(t.Context(), src, tape.Ref{Session: "s1", Seq: 1}, bugreport.Options{}); err != nil {
			t.Fatal(err)
		}
		return src.bodies
	}
	alone := read(lines)
	for i := range others {
		lines += line(i+2, "/v1/chat/completions", chat(`"seed":1,`, tideTool, user(fmt.Sprintf("Tide %d?", i))), "application/json", said("High."))
	}
	if got, want := read(lines), alone+others; got != want {
		t.Errorf("%d bodies are read, want %d", got, want)
	}
}

// A request asks the same however its JSON is written.
func TestCompareFindsEscapes(t *testing.T) {
	const asked = `"temperature":0,`
	for _, text := range []string{`Tide at the pier?`, `\u0054ide at the pier?`, `Tide at the pier\u003f`, `\u0054\u0069de \u0061t the pier?`} {
		message := `{"role":"user","content":"` + text + `"}`
		r := report(t, line(1, "/v1/chat/completions", chat(asked, tideTool, message), "application/json", called("get_tide", `{"port":"Vigo"}`))+
			line(2, "/v1/chat/completions", chat(asked+`"stream":true,`, tideTool, user("Tide at the pier?")), "text/event-stream", streamed(leakedCall)), 2)
		if len(r.Others) != 1 {
			t.Errorf("%s: compared with %d others", text, len(r.Others))
		}
	}
}

// A problem that the redacted exchange has no longer is told of.
func TestHidden(t *testing.T) {
	short := strings.Replace(tideTool, `"port":{"type":"string"}`, `"port":{"type":"string","maxLength":30}`, 1)
	recording := func(arguments string) string {
		return line(1, "/v1/chat/completions", chat("", short, user("Tide?")), "application/json", called("get_tide", arguments))
	}
	for _, tt := range []struct {
		name, arguments, title string
		hidden                 []string
	}{
		{"one of two", `{"port":"` + key + `","note":"\ufffd"}`, "# replacement-char (", []string{"constraint-violation"}},
		{"all", `{"port":"` + key + `"}`, "# no problem shows without the secrets (", []string{"constraint-violation"}},
		{"none", `{}`, "# missing-required (", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := report(t, recording(tt.arguments), 1)
			if diff := cmp.Diff(tt.hidden, r.Hidden); diff != "" {
				t.Errorf("hidden (-want +got):\n%s", diff)
			}
			var b strings.Builder
			if err := r.WriteMarkdown(&b, ""); err != nil {
				t.Fatal(err)
			}
			const told = "These show only with the secrets that were taken out: constraint-violation."
			if strings.Contains(b.String(), told) != (tt.hidden != nil) || !strings.HasPrefix(b.String(), tt.title) {
				t.Errorf("the report is\n%s", b.String())
			}
		})
	}
}

// Long texts are cut between two characters, and the report says how much is missing.
func TestLong(t *testing.T) {
	for shift := range 3 {
		text := strings.Repeat("a", shift) + strings.Repeat("海", 8<<10)
		r := report(t, line(1, "/v1/chat/completions", chat("", tideTool, user(text)), "application/json", said(leakedCall+text)), 1)
		var b strings.Builder
		if err := r.WriteMarkdown(&b, ""); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 64<<10 || !strings.Contains(b.String(), " more bytes are left out.") {
			t.Errorf("the report has %d bytes", b.Len())
		}
		if strings.Contains(b.String(), `\xe6`) || !utf8.ValidString(b.String()) {
			t.Errorf("a character is cut:\n%s", b.String())
		}
	}
}
