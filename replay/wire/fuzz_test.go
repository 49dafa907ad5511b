package wire_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// fuzzResponse checks what must hold for every body: it is read without an error, its normal form is JSON, every place lies in it, and
// neither the pieces it came in matter nor how its lines end or its JSON is set.
func fuzzResponse(f *testing.F, api tape.API) {
	for _, c := range answerCases {
		if c.api == api {
			f.Add([]byte(c.body), c.stream, uint16(5))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, stream bool, seed uint16) {
		a, err := wire.ParseResponse(api, stream, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		checkAnswer(t, a, body)
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		var pieces [][]byte
		for rest := body; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(40))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		again, err := wire.ParseResponse(api, stream, &pieceReader{pieces: pieces})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, again) {
			t.Errorf("in pieces (-whole +pieces):\n%s", cmp.Diff(a, again))
		}
		var other []byte
		switch v := jsontext.Value(bytes.Clone(body)); {
		case stream && !bytes.Contains(body, []byte("\r")):
			other = bytes.ReplaceAll(body, []byte("\n"), []byte("\r\n"))
		case !stream && v.Indent() == nil:
			other = v
		default:
			return
		}
		again, err = wire.ParseResponse(api, stream, bytes.NewReader(other))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Normalized(), again.Normalized()) {
			t.Errorf("%s\nset in another way is\n%s", a.Normalized(), again.Normalized())
		}
	})
}

// checkAnswer checks that an answer fits together and to its body.
func checkAnswer(t *testing.T, a *wire.Answer, body []byte) {
	t.Helper()
	if !json.Valid(a.Normalized()) {
		t.Errorf("the normal form is not JSON: %q", a.Normalized())
	}
	if a.Size != int64(len(body)) {
		t.Errorf("size %d of %d bytes", a.Size, len(body))
	}
	for _, choice := range a.Choices {
		checkAnswer(t, choice, body)
	}
	var places []wire.Place
	for _, n := range a.Notes {
		places = append(places, n.Place)
	}
	for _, e := range a.Unknown {
		places = append(places, e.Place)
	}
	for _, e := range a.Malformed {
		places = append(places, e.Place)
	}
	calls := 0
	for _, b := range a.Blocks {
		places = append(places, b.Open)
		if b.Close != nil {
			places = append(places, *b.Close)
		}
		if b.Call >= len(a.ToolCalls) || b.Call >= 0 && b.Kind != wire.BlockToolCall {
			t.Errorf("a %s block holds call %d of %d", b.Kind, b.Call, len(a.ToolCalls))
		}
		if b.Call >= 0 {
			calls++
		}
	}
	if calls != len(a.ToolCalls) {
		t.Errorf("%d blocks of calls for %d calls", calls, len(a.ToolCalls))
	}
	for _, c := range a.ToolCalls {
		places = append(places, c.Places...)
	}
	for kind, text := range map[wire.BlockKind]string{wire.BlockText: a.Text, wire.BlockReasoning: a.Reasoning, wire.BlockRefusal: a.Refusal} {
		for _, offset := range []int{0, len(text) / 2, len(text) - 1, len(text)} {
			p, ok := a.Arrival(kind, offset)
			if ok != (a.Stream && offset >= 0 && offset < len(text)) {
				t.Errorf("whether byte %d of the %s %q came: %v", offset, kind, text, ok)
			}
			places = append(places, p)
		}
	}
	for _, p := range places {
		if p.Start < 0 || p.Start > p.End || p.End > a.Size || p.Event < 0 || p.Event > a.Events {
			t.Errorf("place %+v in a body of %d bytes with %d events", p, a.Size, a.Events)
		}
	}
}

func FuzzChatResponse(f *testing.F)           { fuzzResponse(f, tape.OpenAI) }
func FuzzClaudeResponse(f *testing.F)         { fuzzResponse(f, tape.Claude) }
func FuzzResponsesResponse(f *testing.F)      { fuzzResponse(f, tape.Responses) }
func FuzzOllamaResponse(f *testing.F)         { fuzzResponse(f, tape.Ollama) }
func FuzzOllamaGenerateResponse(f *testing.F) { fuzzResponse(f, tape.OllamaGenerate) }

func FuzzRequest(f *testing.F) {
	for _, c := range requestCases {
		for i, api := range tape.APIs {
			if api == c.api {
				f.Add([]byte(c.body), uint8(i))
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		api := tape.APIs[int(n)%len(tape.APIs)]
		q, err := wire.ParseRequest(api, body)
		if err != nil {
			return
		}
		meaning := q.Meaning(true)
		if !json.Valid(meaning) {
			t.Errorf("the meaning is not JSON: %q", meaning)
		}
		if q.Outline() == "" {
			t.Error("no outline")
		}
		again, err := wire.ParseRequest(api, body)
		if err != nil || !bytes.Equal(meaning, again.Meaning(true)) || q.Outline() != again.Outline() {
			t.Error("read twice, it is not the same")
		}
		// Blanks, and the order of members, mean nothing.
		v := jsontext.Value(bytes.Clone(body))
		if !v.IsValid() || v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) != nil || v.Indent() != nil {
			return
		}
		if again, err = wire.ParseRequest(api, v); err != nil {
			t.Fatal(err)
		}
		if got := again.Meaning(true); !bytes.Equal(meaning, got) {
			t.Errorf("%s\nset in another way means\n%s", meaning, got)
		}
	})
}
