package pycall

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// taggedCalls writes calls as the vectors have them: [[name,[[argument,value],…]],…].
func taggedCalls(calls []*Call, bare BareCalls) (string, error) {
	var b []byte
	b = append(b, '[')
	for i, c := range calls {
		args, err := c.Arguments(bare)
		if err != nil {
			return "", err
		}
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := json.Marshal(c.Name())
		b = append(append(append(b, '['), name...), ",["...)
		n := 0
		for k, v := range args.All() {
			if n++; n > 1 {
				b = append(b, ',')
			}
			key, _ := json.Marshal(string(k.(pyvalue.Str)))
			b = append(append(append(b, '['), key...), ',')
			b = append(pyvalue.AppendTagged(b, v), ']')
		}
		b = append(b, "]]"...)
	}
	return string(append(b, ']')), nil
}

func compact(t testing.TB, raw json.RawMessage) string {
	t.Helper()
	// Go reads and writes the text once more, so that its escapes are those of the other side.
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// calls returns the calls of a list or tuple of them, or of one call; others says whether there was anything else.
func callsOf(e Expr) (calls []*Call, others bool) {
	elts := []Expr{e}
	switch e := e.(type) {
	case *List:
		elts = e.Elts
	case *Tuple:
		elts = e.Elts
	}
	for _, e := range elts {
		if c, ok := e.(*Call); ok {
			calls = append(calls, c)
		} else {
			others = true
		}
	}
	return calls, others
}

// firstBlock is the first text between balanced square brackets.
func firstBlock(s string) (string, bool) {
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			if depth == 0 {
				start = i
			}
			depth++
		case ']':
			if depth > 0 {
				if depth--; depth == 0 {
					return s[start : i+1], true
				}
			}
		}
	}
	return "", false
}

// TestSharedAnswers decodes recorded answers as the scorer does.
func TestSharedAnswers(t *testing.T) {
	type row struct {
		ID    string
		Input struct{ Raw, Category string }
		ES    struct {
			Calls  json.RawMessage
			Raises string
		} `json:"evalscope"`
	}
	shared.Lines(t, "golden/acebench/decode.jsonl", func(line int, r row) {
		text, found := r.Input.Raw, true
		if strings.Contains(r.Input.Category, "multi_turn") && !strings.Contains(r.Input.Category, "agent") {
			text = strings.Map(func(r rune) rune {
				if pyvalue.IsSpace(r) {
					return -1
				}
				return r
			}, text)
		} else {
			text, found = firstBlock(text)
		}
		got := "CallFormatError"
		var detail error
		if found {
			e, err := Parse(text)
			detail = err
			if err == nil {
				calls, others := callsOf(e)
				_, list := e.(*List)
				_, tuple := e.(*Tuple)
				if list || tuple {
					got, detail = taggedCalls(calls, BareCallsAsDicts)
					var exc *pyvalue.Exception
					if errors.As(detail, &exc) {
						got = exc.Type
					} else if others {
						got = "CallFormatError"
					}
				}
			}
		}
		want, _, _ := strings.Cut(r.ES.Raises, ":")
		if r.ES.Raises == "" {
			want = compact(t, r.ES.Calls)
		}
		if got != want {
			t.Errorf("%s %q:\n got %.300s (%v)\nwant %.300s", r.ID, r.Input.Raw, got, detail, want)
		}
	})
}

// TestSharedMessages decodes recorded agent messages as the executor does.
func TestSharedMessages(t *testing.T) {
	type row struct {
		ID    string
		Input struct{ Message string }
		ES    struct {
			Calls  json.RawMessage
			Raises string
		} `json:"evalscope"`
	}
	shared.Lines(t, "golden/acebench/exec_decode.jsonl", func(line int, r row) {
		text := strings.TrimPrefix(r.Input.Message, " ")
		if !strings.HasPrefix(text, "[") {
			text = "[" + text
		}
		if !strings.HasSuffix(text, "]") {
			text += "]"
		}
		e, err := Parse(strings.Trim(text, "[]'"))
		got := ""
		if err == nil {
			calls, _ := callsOf(e)
			got, err = taggedCalls(calls, BareCallsAsText)
		}
		var syntax *SyntaxError
		var exc *pyvalue.Exception
		switch {
		case errors.As(err, &syntax):
			got = syntax.Class
		case errors.As(err, &exc):
			got = exc.Type
		}
		want, _, _ := strings.Cut(r.ES.Raises, ":")
		if r.ES.Raises == "" {
			want = compact(t, r.ES.Calls)
		}
		if got != want {
			t.Errorf("%s %q:\n got %.300s (%v)\nwant %.300s", r.ID, r.Input.Message, got, err, want)
		}
	})
}
