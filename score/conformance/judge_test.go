package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/markup"
)

func TestJudge(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			r := conformance.New(conformance.Rules{}).Exchange(tt.sent.Read(t))
			if got := codesOf(r); got != tt.want {
				t.Errorf("problems %q, want %q: %+v", got, tt.want, r.Problems)
			}
			if got := blameOf(r); got != tt.blame {
				t.Errorf("blame %q, want %q: %q", got, tt.blame, r.Evidence)
			}
			if got := string(r.Calls) + " " + string(r.Protocol); got != tt.verdicts {
				t.Errorf("verdicts %s, want %s", got, tt.verdicts)
			}
			for _, p := range r.Problems {
				if p.Detail == "" || p.Where.In == "" || p.Count < 1 {
					t.Errorf("problem without detail or place: %+v", p)
				}
			}
		})
	}
}

// TestRecovered: all calls that were meant are told, with where they stood.
func TestRecovered(t *testing.T) {
	recovered := func(s sent) (all []string) {
		for _, c := range conformance.New(conformance.Rules{}).Exchange(s.Read(t)).Recovered {
			all = append(all, c.From+" "+c.Family+" "+c.Name+" "+string(c.Arguments))
		}
		return all
	}
	for _, tt := range []struct {
		name string
		sent sent
		want []string
	}{
		{"one list", chat(ask(withTools), says(`<|tool_call_start|>[get_tide(port="Vigo"), get_tide(port="Faro")]<|tool_call_end|>`)), []string{`text lfm get_tide {"port":"Vigo"}`, `text lfm get_tide {"port":"Faro"}`}},
		{"one after the other", chat(ask(withTools), says(tideText+"\n"+tideText)), []string{`text hermes get_tide {"port":"Vigo"}`, `text hermes get_tide {"port":"Vigo"}`}},
		{"types of the schema", chat(ask(withTools), says("<function=get_tide>\n<parameter=port>\n7\n</parameter>\n<parameter=level>\n7\n</parameter>\n</function>")), []string{`text qwen-coder get_tide {"port":"7","level":7}`}},
		{"reasoning", chat(ask(withTools), whole(`"content":"","reasoning_content":`+quote(tideText), `"stop"`)), []string{`reasoning hermes get_tide {"port":"Vigo"}`}},
		{"an error", chat(ask(withTools), event(`{"error":{"message":`+quote(tideText)+`}}`)), []string{`error hermes get_tide {"port":"Vigo"}`}},
		{"another tool", chat(ask(withTools), says(`<tool_call>{"name":"get_time","arguments":{}}</tool_call>`)), nil},
	} {
		if diff := cmp.Diff(tt.want, recovered(tt.sent)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestCutCalls: the first half of a call in any family's markup, or a piece of one, is the model's fault, for there is no call that a server
// could have read.
func TestCutCalls(t *testing.T) {
	pieces := []string{"<function=get_t", "<parameter=port>Vigo", "<arg_key>port", "<arg_value>Vigo", `<invoke name="get_t`,
		`<steptml:parameter name="port">Vigo`, `<atem:parameter name="port">Vigo`, "<tool_sep>", "<|tool_arg:start|>port", "[unused11][", "]<]minimax[>[<port>Vigo"}
	for _, f := range markup.Families {
		for _, example := range f.Examples {
			if cut, _, _ := strings.Cut(example, "igo"); len(markup.Markers(cut)) > 0 { // what has no markup is not seen to be a call
				pieces = append(pieces, cut)
			}
		}
	}
	for _, piece := range pieces {
		r := conformance.New(conformance.Rules{}).Exchange(chat(ask(withTools), says(piece)).Read(t))
		if codesOf(r) != "leaked-markup-in-content" || blameOf(r) != "model" {
			t.Errorf("%s: problems %q, blame %q: %q", piece, codesOf(r), blameOf(r), r.Evidence)
		}
	}
}

// TestNoReport: what is no model call, or has not ended, is not judged.
func TestNoReport(t *testing.T) {
	for _, x := range []tape.Exchange{{Facts: tape.Facts{API: tape.Control}, Ended: tape.Complete}, {Facts: tape.Facts{API: tape.OpenAI}, Ended: tape.InFlight}} {
		if r := conformance.New(conformance.Rules{}).Exchange(&reading.Exchange{Exchange: &x}); r != nil {
			t.Errorf("%+v", r)
		}
	}
}

// TestTooLarge: an answer that is too large to be read is not judged.
func TestTooLarge(t *testing.T) {
	x := &reading.Exchange{Exchange: &tape.Exchange{Response: tape.Response{Status: 200}, Ended: tape.Complete, Facts: tape.Facts{API: tape.OpenAI}}}
	r := conformance.New(conformance.Rules{}).Exchange(x)
	want := []string{"the answer is too large to be read"}
	if diff := cmp.Diff(want, r.Evidence); diff != "" || r.Calls != conformance.NotJudged || r.Protocol != conformance.NotJudged {
		t.Errorf("calls %s, protocol %s, evidence (-want +got):\n%s", r.Calls, r.Protocol, diff)
	}
}

// TestAlso: a problem that occurs often is told once, with the first few of its places and how many there are.
func TestAlso(t *testing.T) {
	s := chat(ask(""), strings.Repeat(chunk(`{"content":"x","tool_calls":null}`, ""), 12)+chunk(`{}`, `"stop"`)+done)
	p := conformance.New(conformance.Rules{}).Exchange(s.Read(t)).Problems[0]
	if p.Count != 12 || p.Where.Event != 1 || len(p.Also) != 8 || p.Also[7].Event != 9 {
		t.Errorf("%+v", p)
	}
}

// TestPrintable: nothing that an answer says moves the cursor of a terminal.
func TestPrintable(t *testing.T) {
	x := chat(ask(withTools), calls(call("c1", "get_tide\\u001b[2J", `{}`), call("c2", "get_tide", `{"\u001b[2J<|end|>":1,"port":"\u001b[2J"}`))).Read(t)
	text := printed(t, conformance.New(conformance.Rules{}).Exchange(x).WriteText)
	if !strings.Contains(text, "unknown-tool") || !strings.Contains(text, "leaked-markup-in-arguments") || strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
}

// TestCodesHaveCases: every code is given by a case, except the two that need a second exchange.
func TestCodesHaveCases(t *testing.T) {
	given := map[string]bool{"stream-mismatch": true, "api-mismatch": true}
	for _, tt := range cases {
		for _, code := range strings.Fields(tt.want) {
			given[code] = true
		}
	}
	for _, c := range conformance.Codes {
		if !given[c.Name] {
			t.Errorf("no case gives %s", c.Name)
		}
		if c.What == "" || c.Example == "" || c.Severity == "" || c.Group == "" || c.Side == "" {
			t.Errorf("code %+v is not described", c)
		}
		delete(given, c.Name)
	}
	if len(given) > 0 {
		t.Errorf("no codes: %v", given)
	}
}

// TestEveryPartIsNeeded takes out each check, note and rule of blame in turn: a case must then be judged in another way.
func TestEveryPartIsNeeded(t *testing.T) {
	judge := func() (all []string) {
		for _, tt := range cases {
			all = append(all, func() (result string) {
				// A check that relies on one that is missing may fail in any way.
				defer func() {
					if recover() != nil {
						result = "panic"
					}
				}()
				r := conformance.New(conformance.Rules{}).Exchange(tt.sent.Read(t))
				return codesOf(r) + " " + blameOf(r) + " " + string(r.Calls) + string(r.Protocol) + strings.Join(r.Evidence, ";")
			}())
		}
		return all
	}
	whole := judge()
	for _, part := range conformance.Parts() {
		restore := conformance.Without(part)
		if slices.Equal(judge(), whole) {
			t.Errorf("no case needs %s", part)
		}
		restore()
	}
	if diff := cmp.Diff(whole, judge()); diff != "" {
		t.Errorf("the parts were not put back: %s", diff)
	}
}
