package offline_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/conformance/offline"
)

// TestBaselineLen: a baseline knows each problem once.
func TestBaselineLen(t *testing.T) {
	res := run(t, record(t, 2, func(int) sent { return chat(ask(withTools), says(tideText)) }), offline.Options{KeepBaseline: true})
	if got := res.Baseline().Len(); got != 2 {
		t.Errorf("%d problems, want leaked-markup-in-content and call-in-content", got)
	}
	if got := new(offline.Baseline).Len(); got != 0 {
		t.Errorf("an empty baseline has %d problems", got)
	}
	// The limit of tokens is a part of what is known.
	data, err := run(t, record(t, 1, func(int) sent { return chat(ask(`,"max_tokens":5`), whole(`"content":""`, `"length"`)) }), offline.Options{KeepBaseline: true}).Baseline().Encode()
	if err != nil {
		t.Fatal(err)
	}
	known, err := offline.ParseBaseline(data)
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[string]int{"5": 0, "500": 1} {
		res := run(t, record(t, 1, func(int) sent { return chat(ask(`,"max_tokens":`+limit), whole(`"content":""`, `"length"`)) }), offline.Options{Baseline: known})
		if res.New["budget-exhausted"] != want {
			t.Errorf("with a limit of %s: %d new problems, want %d", limit, res.New["budget-exhausted"], want)
		}
	}
}

// TestParseBaselineError: what is no baseline is told with how to come by one.
func TestParseBaselineError(t *testing.T) {
	for _, bad := range []string{"", "no JSON", `{"baseline":1,"problems":3}`, "{}", `{"baseline":2,"problems":[]}`} {
		_, err := offline.ParseBaseline([]byte(bad))
		if err == nil || !strings.HasPrefix(err.Error(), "reading the baseline: ") || !strings.HasSuffix(err.Error(), "; score conformance --write-baseline FILE writes one") {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}

// FuzzParseBaseline: a baseline that can be read is written, and read again as the same.
func FuzzParseBaseline(f *testing.F) {
	for _, s := range []string{
		`{"baseline":1,"problems":[{"code":"empty-answer","api":"openai","stream":true,"question":"00"},{"code":"no-code","api":"x"},{"code":"empty-answer","api":"openai","stream":false,"question":"00"}]}`,
		`{"baseline":1,"problems":[{},{}]}`, `{"baseline":1}`, `{"baseline":2}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := offline.ParseBaseline(data)
		if err != nil {
			return
		}
		first, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := offline.ParseBaseline(first)
		if err != nil || again.Len() != b.Len() {
			t.Fatalf("%s: %d problems became %+v, %v", first, b.Len(), again, err)
		}
		second, err := again.Encode()
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s became %s, %v", first, second, err)
		}
	})
}
