package score_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
)

func TestExitStatus(t *testing.T) {
	passed := score.Verdict{Status: score.OK, Passed: true}
	failed := score.Verdict{Status: score.OK}
	missing := score.Verdict{Status: score.Missing}
	tests := []struct {
		name     string
		verdicts []score.Verdict
		want     int
	}{
		{"nothing", nil, score.ExitMissing},
		{"passed", []score.Verdict{passed, passed}, score.ExitPassed},
		{"failed", []score.Verdict{passed, failed}, score.ExitFailed},
		{"missing outranks failed", []score.Verdict{failed, missing, passed}, score.ExitMissing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := score.ExitStatus(tt.verdicts); got != tt.want {
				t.Errorf("exit status %d, want %d", got, tt.want)
			}
		})
	}
}

func TestCount(t *testing.T) {
	verdicts := []score.Verdict{
		{Status: score.OK, Passed: true, API: tape.OpenAI},
		{Status: score.OK, API: tape.OpenAI},
		{Status: score.OK, Passed: true, API: tape.Claude},
		{Status: score.Missing, API: tape.OpenAI},
	}
	if got := score.Count(verdicts, nil); got != (score.Tally{Passed: 2, Total: 3}) {
		t.Errorf("all: %+v", got)
	}
	openai := func(v score.Verdict) bool { return v.API == tape.OpenAI }
	if got := score.Count(verdicts, openai); got != (score.Tally{Passed: 1, Total: 2}) {
		t.Errorf("openai: %+v", got)
	}
}

func TestFault(t *testing.T) {
	warning := score.Problem{Code: "missing-usage", Severity: "warning", Exchange: 1, Exchanges: 1, Place: "response", Detail: "no counts"}
	leak := score.Problem{Code: "leaked-markup-in-content", Severity: "error", Exchange: 2, Exchanges: 3, Place: "response /c", Detail: "a\n\tb \x1b"}
	refs := []tape.Ref{{Session: "s", Seq: 4}, {Session: "s", Seq: 7}}
	tests := []struct {
		name      string
		fault     score.Fault
		exchanges []tape.Ref
		kind      string
		lines     []string
	}{
		{"clean", score.Fault{Blame: "model", Evidence: []string{"clean"}}, refs[:1], "model", []string{"blame model", "because clean"}},
		{"warnings are told when there is nothing worse", score.Fault{Blame: "server", Exchange: 1, Problems: []score.Problem{warning}}, refs[:1],
			"server: missing-usage", []string{"blame server in s/4", "warning missing-usage (response): no counts"}},
		{"errors stand for all", score.Fault{Blame: "server", Exchange: 2, Problems: []score.Problem{warning, leak}}, refs,
			"server: leaked-markup-in-content", []string{"blame server in s/7", `error leaked-markup-in-content (response /c in s/7 and 2 more): a b \x1b`}},
		{"what was meant", score.Fault{Blame: "model", Meant: []score.MeantCall{{Exchange: 1, Family: "glm", From: "reasoning", Name: "f", Arguments: "{}"}}}, refs[:1],
			"model", []string{"blame model", "meant f {} (glm, in the reasoning)"}},
		{"exchanges that are not given have no name", score.Fault{Blame: "server", Exchange: 3}, refs, "server", []string{"blame server"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.fault.Kind(); got != tt.kind {
				t.Errorf("kind %q, want %q", got, tt.kind)
			}
			if diff := cmp.Diff(tt.lines, tt.fault.Lines(tt.exchanges)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
	if got := score.CountFaults([]*score.Fault{{Blame: "server"}, nil, {Blame: "unknown"}, {Blame: "model"}, {Blame: "server"}}); got != "1 model, 2 server, 1 unknown" {
		t.Errorf("counts are %q", got)
	}
	if got := score.CountFaults([]*score.Fault{nil}); got != "" {
		t.Errorf("counts of nothing are %q", got)
	}
}

// shelf holds exchanges by name.
type shelf map[tape.Ref]*tape.Exchange

func (s shelf) Exchange(_ context.Context, ref tape.Ref) (*tape.Exchange, error) {
	if x, ok := s[ref]; ok {
		return x, nil
	}
	return nil, tape.ErrNoExchange
}

func TestRecordingDigest(t *testing.T) {
	a, b := tape.Ref{Session: "a", Seq: 1}, tape.Ref{Session: "b", Seq: 9}
	get := &tape.Exchange{Request: tape.Request{Method: "GET"}}
	post := &tape.Exchange{Request: tape.Request{Method: "POST"}}
	digest := func(s shelf, refs ...tape.Ref) string {
		t.Helper()
		verdicts := []score.Verdict{{Sample: "x"}}
		for _, ref := range refs {
			verdicts = append(verdicts, score.Verdict{Exchanges: []tape.Ref{ref}})
		}
		d, err := score.RecordingDigest(t.Context(), s, verdicts)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	one := digest(shelf{a: get, b: post}, a, b)
	if !strings.HasPrefix(one, "sha256:") || len(one) != 71 {
		t.Errorf("digest %q", one)
	}
	if moved := digest(shelf{a: post, b: get}, b, a); moved != one {
		t.Error("the digest depends on where the exchanges are")
	}
	if other := digest(shelf{a: get, b: post}, b, a); other == one {
		t.Error("the digest does not depend on which sample rests on which exchange")
	}
	if none := digest(shelf{}); none != "" {
		t.Errorf("digest of nothing: %q", none)
	}
	_, err := score.RecordingDigest(t.Context(), shelf{}, []score.Verdict{{Sample: "tide", Exchanges: []tape.Ref{a}}})
	if !errors.Is(err, tape.ErrNoExchange) || !strings.Contains(err.Error(), "a/1") || !strings.Contains(err.Error(), "tide") {
		t.Errorf("error %v", err)
	}
}
