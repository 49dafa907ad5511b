package offline_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/offline"
)

// mislabelled is a stream that calls its chunks what a whole answer is called.
func mislabelled(text string) sent {
	return chat(ask(`,"stream":true`), strings.ReplaceAll(chunk(`{"content":"`+text+`"}`, `"stop"`), "chat.completion.chunk", "chat.completion")+done)
}

// asPage is a right answer that is said to be a page.
func asPage() sent {
	s := chat(ask(""), says("Noon."))
	s.Header = http.Header{"Content-Type": {"text/html"}}
	return s
}

// TestTextFolds: of thousands of exchanges with the same warning the text tells in a few lines, behind the exchanges that fail and those with
// a warning that few have.
func TestTextFolds(t *testing.T) {
	const n = 2000
	taped := record(t, n, func(i int) sent {
		switch i {
		case 700, 1500:
			return chat(ask(withTools), says(""))
		case 300:
			return asPage()
		}
		return mislabelled(fmt.Sprintf("At %d.", i))
	})
	want := `s1/701  openai  calls failed, protocol ok, blame server
  error    empty-answer (response): there is neither text nor call, for 5 tokens of output
  because  empty-answer: 5 tokens were generated, and none of them is in the answer
s1/1501  openai  calls failed, protocol ok, blame server
  error    empty-answer (response): there is neither text nor call, for 5 tokens of output
  because  empty-answer: 5 tokens were generated, and none of them is in the answer
s1/301  openai  calls ok, protocol ok, blame server
  warning  wrong-content-type (response): "text/html" over a whole JSON body

warnings that come again and again, and fail nothing (--verbose shows each exchange):
  1997  wrong-object-type: "chat.completion", not "chat.completion.chunk"
        s1/1, s1/2, s1/3, …

2000 exchanges; calls 1998 ok, 2 failed; protocol 2000 ok; blame 2000 server
  1997  wrong-object-type
     2  empty-answer
     1  wrong-content-type
`
	for range 2 {
		if diff := cmp.Diff(want, printed(t, run(t, taped, offline.Options{}).WriteText)); diff != "" {
			t.Fatalf("text (-want +got):\n%s", diff)
		}
	}
	verbose := run(t, taped, offline.Options{Verbose: true})
	text := printed(t, verbose.WriteText)
	if got := strings.Count(text, "\n  warning  "); got != n-2 {
		t.Errorf("the verbose text tells %d warnings", got)
	}
	if strings.Index(text, "s1/301 ") > strings.Index(text, "s1/701 ") || strings.Contains(text, "again") {
		t.Errorf("the verbose text is in another order, or folded:\n%.2000s", text)
	}
	if got := strings.Count(printed(t, run(t, taped, offline.Options{}).WriteJSON), `"code":`); got != n {
		t.Errorf("the JSON has %d problems", got)
	}
}

// TestTextFoldsAtMoreThanFew: three exchanges with a warning are told whole, four are folded.
func TestTextFoldsAtMoreThanFew(t *testing.T) {
	for n, want := range map[int]string{
		3: "s1/1  openai stream  calls ok, protocol ok, blame server\n",
		4: "warnings that come again and again, ",
	} {
		text := printed(t, run(t, record(t, n, func(int) sent { return mislabelled("Noon.") }), offline.Options{}).WriteText)
		if !strings.HasPrefix(text, want) {
			t.Errorf("%d exchanges:\n%s", n, text)
		}
	}
}

// TestTextFoldsByWording: what is worded alike is counted together, the most frequent first; of many wordings the rest is only counted.
func TestTextFoldsByWording(t *testing.T) {
	objects := strings.Fields("a a b c c c d e f g")
	res := run(t, record(t, len(objects), func(i int) sent {
		return chat(ask(`,"stream":true`), strings.ReplaceAll(chunk(`{"content":"Noon."}`, `"stop"`), "chat.completion.chunk", objects[i])+done)
	}), offline.Options{})
	text, _, _ := strings.Cut(printed(t, res.WriteText), "\n\n")
	want := `warnings that come again and again, and fail nothing (--verbose shows each exchange):
     3  wrong-object-type: "c", not "chat.completion.chunk"
        s1/4, s1/5, s1/6
     2  wrong-object-type: "a", not "chat.completion.chunk"
        s1/1, s1/2
     1  wrong-object-type: "b", not "chat.completion.chunk"
        s1/3
     1  wrong-object-type: "d", not "chat.completion.chunk"
        s1/7
     1  wrong-object-type: "e", not "chat.completion.chunk"
        s1/8
     2  wrong-object-type: worded otherwise`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestWordingOf(t *testing.T) {
	for detail, want := range map[string]string{
		"":           "",
		"of 5 to 17": "of # to #",
		"the client closed the connection after 105 bytes; no event had come for 4.9s": "the client closed the connection after # bytes; no event had come for #",
		`["message item_5c66-cc" "call fc_2"]`:                                         `["message #" "call #"]`,
		`"chat.completion", not "list"`:                                                `"chat.completion", not "list"`,
		`in "a \" long quotation of what the model said to the user" there`:            `in "…" there`,
		`open " quotation`: `open " quotation`,
		"Zürich… \xff":     "Zürich… \xff",
		`tool get_tide: at "/properties/v/type": "any" is not one of [array boolean]`: `tool get_tide: at "/properties/v/type": "any" is not one of [array boolean]`,
	} {
		if got := offline.WordingOf(detail); got != want {
			t.Errorf("%q: %q, want %q", detail, got, want)
		}
	}
}

// TestFoldIsBounded: warnings that are worded in ever new ways do not make memory grow.
func TestFoldIsBounded(t *testing.T) {
	var reports []*conformance.Report
	for i := range 10_000 {
		word := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i))
		reports = append(reports, &conformance.Report{Session: "s1", Seq: int64(i), Problems: []conformance.Problem{
			{Code: "duplicate-call", Severity: conformance.Warning, Detail: word},
			{Code: "missing-usage", Severity: conformance.Warning, Detail: word},
		}})
	}
	if kinds, texts := offline.Folded(reports); kinds != 2*64 || texts != 3 {
		t.Errorf("%d kinds and %d texts are kept", kinds, texts)
	}
}

// TestAgainstBaseline: a result that has a baseline says what is new, what is known, and why it passes or fails. What is known is not told
// again, if not asked for.
func TestAgainstBaseline(t *testing.T) {
	wrong := chat(ask(withTools), says(""))
	right := chat(ask(""), says("Noon."))
	refused := chat(ask(""), `{"error":{"message":"busy"}}`)
	refused.Status = 503
	for _, tt := range []struct {
		name       string
		base, sent []sent
		options    offline.Options
		want       string
	}{
		{"nothing wrong", nil, []sent{right}, offline.Options{}, `1 exchange; calls 1 ok; protocol 1 ok
against the baseline: 0 new, 0 known; passed, because nothing is new
`},
		{"all known", []sent{wrong}, []sent{wrong, wrong}, offline.Options{}, `2 exchanges; calls 2 failed; protocol 2 ok; blame 2 server
against the baseline: 0 new, 2 known (--verbose shows where); passed, because nothing is new
     2  empty-answer (2 known)
`},
		{"all known, verbose", []sent{wrong}, []sent{wrong}, offline.Options{Verbose: true}, `s1/1  openai  calls failed, protocol ok, blame server
  error    empty-answer (response, known): there is neither text nor call, for 5 tokens of output
  because  empty-answer: 5 tokens were generated, and none of them is in the answer

1 exchange; calls 1 failed; protocol 1 ok; blame 1 server
against the baseline: 0 new, 1 known; passed, because nothing is new
     1  empty-answer (1 known)
`},
		{"a new warning", []sent{wrong}, []sent{wrong, asPage()}, offline.Options{}, `s1/2  openai  calls ok, protocol ok, blame server
  warning  wrong-content-type (response): "text/html" over a whole JSON body

2 exchanges; calls 1 ok, 1 failed; protocol 2 ok; blame 2 server
against the baseline: 1 new, 1 known (--verbose shows where); passed, because all that is new are warnings
     1  wrong-content-type
     1  empty-answer (1 known)
`},
		{"a new error", []sent{asPage()}, []sent{asPage(), wrong}, offline.Options{}, `s1/2  openai  calls failed, protocol ok, blame server
  error    empty-answer (response): there is neither text nor call, for 5 tokens of output
  because  empty-answer: 5 tokens were generated, and none of them is in the answer

2 exchanges; calls 1 ok, 1 failed; protocol 2 ok; blame 2 server
against the baseline: 1 new, 1 known (--verbose shows where); failed, because of new errors in 1 exchange
     1  wrong-content-type (1 known)
     1  empty-answer
`},
		{"nothing judged", []sent{refused}, []sent{refused}, offline.Options{}, `1 exchange; calls 1 not judged; protocol 1 not judged; blame 1 server
against the baseline: 0 new, 1 known (--verbose shows where); neither passed nor failed, because nothing could be judged
     1  http-error (1 known)
`},
		{"a new error that is written down", nil, []sent{wrong}, offline.Options{KeepBaseline: true}, `s1/1  openai  calls failed, protocol ok, blame server
  error    empty-answer (response): there is neither text nor call, for 5 tokens of output
  because  empty-answer: 5 tokens were generated, and none of them is in the answer

1 exchange; calls 1 failed; protocol 1 ok; blame 1 server
against the baseline: 1 new, 0 known; not failed, because the baseline that is written knows what is new
     1  empty-answer
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Baseline = run(t, record(t, len(tt.base), func(i int) sent { return tt.base[i] }), offline.Options{KeepBaseline: true}).Baseline()
			res := run(t, record(t, len(tt.sent), func(i int) sent { return tt.sent[i] }), tt.options)
			if diff := cmp.Diff(tt.want, printed(t, res.WriteText)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			r, err := res.Report()
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Remarks[len(r.Remarks)-1]; !strings.Contains(tt.want, "\n"+got+"\n") {
				t.Errorf("remark %q", got)
			}
		})
	}
}

// TestReportTables: what CI systems show is bounded, too. Warnings beside an error do not make it another failure.
func TestReportTables(t *testing.T) {
	empty := strings.ReplaceAll(chunk(`{"content":""}`, `"stop"`), "chat.completion.chunk", "chat.completion")
	taped := record(t, 360, func(i int) sent {
		switch i % 3 {
		case 0:
			return chat(ask(`,"stream":true`), empty+done)
		case 1:
			return mislabelled("Noon.")
		}
		return chat(ask(`,"stream":true`), chunk(`{"content":""}`, `"stop"`)+done)
	})
	for _, tt := range []struct {
		options   offline.Options
		exchanges string
		rows      int
		warnings  [][]string
	}{
		{offline.Options{}, "Exchanges that fail, the first 100 of 240", 100,
			[][]string{{"wrong-object-type", "120", "s1/2, s1/5, s1/8, …", `"chat.completion", not "chat.completion.chunk"`}}},
		{offline.Options{Verbose: true}, "Exchanges with problems", 360, nil},
	} {
		r, err := run(t, taped, tt.options).Report()
		if err != nil {
			t.Fatal(err)
		}
		if x := r.Tables[2]; x.Title != tt.exchanges || len(x.Rows) != tt.rows {
			t.Errorf("%d rows of %s", len(x.Rows), x.Title)
		}
		if diff := cmp.Diff(tt.warnings, r.Tables[3].Rows); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
		kinds := make(map[string]int)
		for _, c := range r.Groups[0].Cases {
			kinds[c.Kind]++
		}
		if diff := cmp.Diff(map[string]int{"": 120, "empty-answer, blame unknown": 240}, kinds); diff != "" {
			t.Errorf("kinds of failures (-want +got):\n%s", diff)
		}
	}
}
