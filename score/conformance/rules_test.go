package conformance_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
)

func TestParseRules(t *testing.T) {
	r, err := conformance.ParseRules("only = [\"tool call\", \"content\"]\nignore = [\"duplicate-call\"]\ntimeout = \"2m\"\n[severity]\nempty-answer = \"warning\"\nmissing-usage = \"error\"\n")
	if err != nil {
		t.Fatal(err)
	}
	want := conformance.Rules{
		Only: []string{"tool call", "content"}, Ignore: []string{"duplicate-call"}, Timeout: 2 * time.Minute,
		Severity: map[string]conformance.Severity{"empty-answer": conformance.Warning, "missing-usage": conformance.Error},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	for _, tt := range []struct{ text, want string }{
		{"only = 3", "reading rules"},
		{"onyl = []", `no setting "onyl"; there are only, ignore, timeout and [severity]`},
		{`only = ["nothing"]`, `no problem code or group "nothing"`},
		{`ignore = ["tool_call"]`, `no problem code or group "tool_call"`},
		{`timeout = "soon"`, `timeout "soon" is no time; write 90s or 5m`},
		{`timeout = "-1s"`, "is no time"},
		{`timeout = "0s"`, "is no time"},
		{`timeout = "5"`, "is no time"},
		{"[severity]\nfoo = \"error\"", `no problem code "foo"`},
		{"[severity]\nempty-answer = \"fatal\"", `the severity of empty-answer is error or warning, not "fatal"`},
	} {
		if _, err := conformance.ParseRules(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want one with %q", tt.text, err, tt.want)
		}
	}
}

// TestRulesJudge: what rules leave out is neither told nor fails, though it still replaces what it is the cause of.
func TestRulesJudge(t *testing.T) {
	x := chat(ask(withTools), says(tideText)).Read(t)
	for _, tt := range []struct {
		name  string
		rules conformance.Rules
		want  string
		calls conformance.Verdict
	}{
		{"all", conformance.Rules{}, "leaked-markup-in-content call-in-content", conformance.Failed},
		{"one", conformance.Rules{Only: []string{"call-in-content"}}, "call-in-content", conformance.Failed},
		{"a group", conformance.Rules{Only: []string{"content"}, Ignore: []string{"call-in-content"}}, "leaked-markup-in-content", conformance.Failed},
		{"a group with a hyphen", conformance.Rules{Only: []string{"tool-call"}}, "", conformance.OK},
		{"none", conformance.Rules{Ignore: []string{"content"}}, "", conformance.OK},
		{"less grave", conformance.Rules{Severity: map[string]conformance.Severity{"call-in-content": conformance.Warning, "leaked-markup-in-content": conformance.Warning}}, "leaked-markup-in-content call-in-content", conformance.OK},
	} {
		r := conformance.New(tt.rules).Exchange(x)
		if codesOf(r) != tt.want || r.Calls != tt.calls {
			t.Errorf("%s: %q and calls %s, want %q and %s", tt.name, codesOf(r), r.Calls, tt.want, tt.calls)
		}
	}
	empty := chat(ask(`,"max_tokens":5`), whole(`"content":""`, `"length"`)).Read(t)
	if r := conformance.New(conformance.Rules{Ignore: []string{"budget-exhausted"}}).Exchange(empty); codesOf(r) != "" {
		t.Errorf("without budget-exhausted: %q", codesOf(r))
	}
	slow := withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")+chunk(`{"content":" noon."}`, `"stop"`)+done), time.Second, time.Minute).Read(t)
	for timeout, want := range map[time.Duration]string{0: "", 50 * time.Second: "upstream-timeout", 2 * time.Minute: ""} {
		if r := conformance.New(conformance.Rules{Timeout: timeout}).Exchange(slow); codesOf(r) != want {
			t.Errorf("timeout %v: %q, want %q", timeout, codesOf(r), want)
		}
	}
	// A timeout may be shorter than anybody's patience without it.
	slow = withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")+chunk(`{"content":" noon."}`, `"stop"`)+done), 0, 4*time.Second).Read(t)
	left := withPieces(chat(ask(""), chunk(`{"content":"At"}`, "")), 0, 0).EndedAs(tape.ClientGone, "context canceled", 3*time.Second).Read(t)
	for _, tt := range []struct {
		timeout    time.Duration
		slow, left string
	}{
		{0, "", "client-disconnect"},
		{4 * time.Second, "", "client-disconnect"},
		{3 * time.Second, "upstream-timeout: 4s without an event", "truncated-stream upstream-timeout: the client gave up after 3s without an event"},
		{500 * time.Millisecond, "upstream-timeout: 4s without an event", "truncated-stream upstream-timeout: the client gave up after 3s without an event"},
	} {
		judge := conformance.New(conformance.Rules{Timeout: tt.timeout})
		for x, want := range map[*reading.Exchange]string{slow: tt.slow, left: tt.left} {
			r := judge.Exchange(x)
			got := codesOf(r)
			if r.Has("upstream-timeout") {
				got += ": " + r.Problems[len(r.Problems)-1].Detail
			}
			if got != want {
				t.Errorf("timeout %v: %q, want %q", tt.timeout, got, want)
			}
		}
	}
}

// TestRulesString: other rules have another form, and so another digest.
func TestRulesString(t *testing.T) {
	forms := make(map[string]bool)
	all := []conformance.Rules{
		{}, {Only: []string{"content"}}, {Ignore: []string{"content"}}, {Timeout: time.Second},
		{Severity: map[string]conformance.Severity{"empty-answer": conformance.Warning}},
	}
	for _, r := range all {
		forms[r.String()] = true
	}
	if len(forms) != len(all) {
		t.Errorf("%d forms of %d rules", len(forms), len(all))
	}
	whole := conformance.Rules{Ignore: []string{"http-error", "non-json-error-body"}}
	parts := conformance.Rules{Ignore: []string{"non-json-error-body", "http-error"}, Timeout: conformance.DefaultTimeout}
	if whole.String() != parts.String() {
		t.Error("the same rules have two forms")
	}
}

// FuzzParseRules: rules that can be read are in order, and are the same when they are read again.
func FuzzParseRules(f *testing.F) {
	for _, s := range []string{
		"only = [\"tool call\", \"content\"]\nignore = [\"duplicate-call\"]\ntimeout = \"2m\"\n[severity]\nempty-answer = \"warning\"\n", "onyl = []", "timeout = \"-1s\"",
		"only = [\"tool-call\"]\n", "severity = {missing-usage = \"error\"}", "ignore = [3]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := conformance.ParseRules(text)
		if err != nil {
			return
		}
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		again, err := conformance.ParseRules(text)
		if err != nil || again.String() != r.String() {
			t.Errorf("%s, then %s, %v", r.String(), again.String(), err)
		}
		conformance.New(r) // takes any
	})
}
