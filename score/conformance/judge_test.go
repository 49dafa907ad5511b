package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/conformance"
	"github.com/google/go-cmp/cmp"
)

// codesOf returns the codes of a report with blanks between, in the order of the report.
func codesOf(r *conformance.Report) string {
	var codes []string
	for _, p := range r.Problems {
		codes = append(codes, p.Code)
	}
	return strings.Join(codes, " ")
}

func blameOf(r *conformance.Report) string {
	if r.Blame == nil {
		return ""
	}
	return string(*r.Blame)
}

func TestJudge(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			r := conformance.New(conformance.Rules{}).Exchange(tt.sent.read(t))
			if got := codesOf(r); got != tt.want {
				t.Errorf("problems %q, want %q: %+v", got, tt.want, r.Problems)
			}
			if got := blameOf(r); got != tt.blame {
				t.Errorf("blame %q, want %q: %q", got, tt.blame, r.Evidence)
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
		for _, c := range conformance.New(conformance.Rules{}).Exchange(s.read(t)).Recovered {
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

// TestPrintable: nothing that an answer says moves the cursor of a terminal.
func TestPrintable(t *testing.T) {
	x := chat(ask(withTools), calls(call("c1", "get_tide\\u001b[2J", `{}`), call("c2", "get_tide", `{"\u001b[2J<|end|>":1,"port":"\u001b[2J"}`))).read(t)
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
				r := conformance.New(conformance.Rules{}).Exchange(tt.sent.read(t))
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
