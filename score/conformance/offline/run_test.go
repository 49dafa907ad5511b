package offline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/conformancetest"
	"github.com/exodeck/exodeck/score/conformance/offline"
	"github.com/exodeck/exodeck/score/conformance/pairs"
	"github.com/exodeck/exodeck/score/report"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(t testing.TB, src offline.Source, o offline.Options) *offline.Result {
	t.Helper()
	res, err := offline.Run(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Close() })
	return res
}

// mixed are exchanges of each API and in both modes, with and without problems. Some ask the same.
func mixed() []sent {
	return []sent{
		chat(ask(zero), says("At noon.")),
		chat(ask(zero+`,"stream":true`), streamed("At noon")),
		chat(ask(withTools), says(tideText)),
		chat(ask(withTools), calls(call("c1", "get_tide", `{"port":"Vigo"}`))),
		chat(ask(withTools), calls(call("", "Get_tide", `{"port":`))),
		chat(ask(""), `{"error":{"message":"No instance found"}}`).As(404, "application/json"),
		chat(ask(""), "").EndedAs(tape.ClientGone, "context canceled", time.Second),
		chat("{", says("Noon.")),
		{API: tape.Claude, Request: claudeAsk(), Response: claudeSays(tideText)},
		{API: tape.Claude, Request: strings.Replace(claudeAsk(), "Vigo", "Faro", 1), Response: claudeSays(tideText)},
		chat(strings.Replace(ask(zero), "Vigo", "Faro", 1), calls(call("c1", "get_tide", `{"port":"Faro"}`))),
		{API: tape.Claude, Request: ask(""), Response: claude(`"end_turn"`, start(0, emptyText), text(0, "At noon."), stop(0))},
		{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: responses("completed", responsesUsage, said("Noon."))},
		{API: tape.Ollama, Request: ask(withTools + `,"stream":false`), Response: `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"tool_call","prompt_eval_count":9,"eval_count":5}`},
		mislabelled("Noon."),
		asPage(),
	}
}

// recordings are mixed exchanges and the cassettes of agents at work and of suites.
func recordings(t *testing.T) map[string]offline.Source {
	t.Helper()
	sources := map[string]offline.Source{"mixed": record(t, len(mixed()), func(i int) sent { return mixed()[i] })}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "fixtures", "cassettes", "sdk", "*.cassette.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cassettes, error %v", len(files), err)
	}
	for _, name := range []string{"agent_stream", "exo_fail", "exo_pass"} {
		files = append(files, filepath.Join("..", "..", "..", "fixtures", "cassettes", name+".cassette.jsonl"))
	}
	for _, file := range files {
		c, err := cassette.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		sources[filepath.Base(file)] = c
	}
	return sources
}

// apart judges the exchanges of a source one after the other, without a pass over all of them, and compares their answers.
func apart(t *testing.T, src offline.Source) []*conformance.Report {
	t.Helper()
	judge := conformance.New(conformance.Rules{})
	var all pairs.Pairs
	var reports []*conformance.Report
	for x, err := range src.Exchanges(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		read, err := reading.Of(t.Context(), src, x)
		if err != nil {
			t.Fatal(err)
		}
		if r := judge.Exchange(read); r != nil {
			all.Add(len(reports), pairs.AnswerOf(read, r))
			reports = append(reports, r)
		}
	}
	for i, found := range all.Findings() {
		judge.Apply(reports[i], found)
	}
	return reports
}

// TestRun: the reports of a recording are those of each exchange by itself, with what comparing adds, in the order of the recording.
func TestRun(t *testing.T) {
	problems := 0
	for name, src := range recordings(t) {
		var got, want []string
		for r, err := range run(t, src, offline.Options{}).Reports() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, written(t, r))
			problems += len(r.Problems)
		}
		for _, r := range apart(t, src) {
			want = append(want, written(t, r))
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
			t.Errorf("%s: %d reports (-apart +in a pass):\n%s", name, len(got), diff)
		}
	}
	if problems < 50 {
		t.Errorf("%d problems: not much was tried", problems)
	}
}

// TestOnly: rules that keep one code only tell of it what is told without them, also of answers that are compared.
func TestOnly(t *testing.T) {
	for name, src := range recordings(t) {
		full := run(t, src, offline.Options{})
		for code, n := range full.Summary {
			only := run(t, src, offline.Options{Rules: conformance.Rules{Only: []string{code}}})
			if diff := cmp.Diff(map[string]int{code: n}, only.Summary); diff != "" {
				t.Errorf("%s, only %s: summary (-want +got):\n%s", name, code, diff)
			}
			next, stop := iter.Pull2(only.Reports())
			for f, err := range full.Reports() {
				r, otherErr, ok := next()
				if err != nil || otherErr != nil || !ok {
					t.Fatal(err, otherErr, ok)
				}
				if diff := conformancetest.OnlyDiff(f, r, code); diff != "" {
					t.Errorf("%s, exchange %d, only %s (-full +only):\n%s", name, f.Seq, code, diff)
				}
			}
			stop()
		}
	}
}

// written is a report as JSON.
func written(t *testing.T, r *conformance.Report) string {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestRunTwice: a second pass gives the same bytes in every form.
func TestRunTwice(t *testing.T) {
	taped := record(t, len(mixed()), func(i int) sent { return mixed()[i] })
	res := run(t, taped, offline.Options{})
	again := run(t, taped, offline.Options{})
	for name, write := range map[string]func(*offline.Result, io.Writer) error{
		"text": (*offline.Result).WriteText, "json": (*offline.Result).WriteJSON,
		"junit": func(res *offline.Result, w io.Writer) error {
			r, err := res.Report()
			if err != nil {
				return err
			}
			return report.JUnit(w, r)
		},
	} {
		first := printed(t, func(w io.Writer) error { return write(res, w) })
		second := printed(t, func(w io.Writer) error { return write(again, w) })
		if first != second {
			t.Errorf("%s differs from run to run", name)
		}
	}
}

// TestResultJSON: the result is one JSON value whose summary counts its exchanges.
func TestResultJSON(t *testing.T) {
	res := run(t, record(t, len(mixed()), func(i int) sent { return mixed()[i] }), offline.Options{Version: "v9"})
	var got struct {
		Exchanges []struct {
			Session, API    string
			Seq             int
			Stream          *bool
			FinishReason    *string `json:"finish_reason"`
			ToolCalls       []any   `json:"tool_calls"`
			Calls, Protocol string
			Problems        []struct{ Code, Severity, Group, Side, Detail string }
		}
		Summary map[string]int
		Totals  offline.Tally
		Exodeck map[string]any
	}
	data := printed(t, res.WriteJSON)
	d := json.NewDecoder(strings.NewReader(data))
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for _, x := range got.Exchanges {
		if x.Stream == nil || x.ToolCalls == nil || x.Problems == nil || x.API == "" || !slices.Contains([]string{"ok", "failed", "not_judged"}, x.Calls) {
			t.Errorf("exchange %+v lacks a field", x)
		}
		for _, p := range x.Problems {
			counts[p.Code]++
		}
	}
	if diff := cmp.Diff(counts, got.Summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if got.Exodeck["version"] != "v9" || !strings.HasPrefix(got.Exodeck["recording"].(string), "sha256:") || got.Exodeck["rules_digest"] == "" {
		t.Errorf("about %v", got.Exodeck)
	}
	if got.Totals.Exchanges != len(mixed()) || got.Totals.Failing == 0 {
		t.Errorf("totals %+v", got.Totals)
	}
}

// TestRunPairs: answers far apart on the tape are compared, and what that finds is in the report of the first one.
func TestRunPairs(t *testing.T) {
	res := run(t, record(t, 40, func(i int) sent {
		switch i {
		case 3:
			return chat(ask(zero+`,"stream":true`), streamed("At noon"))
		case 33:
			return chat(ask(zero), says("At noon."))
		}
		return chat(ask(""), says("Fine."))
	}), offline.Options{})
	for r, err := range res.Reports() {
		if err != nil {
			t.Fatal(err)
		}
		if want := r.Seq == 4; r.Has("stream-mismatch") != want {
			t.Errorf("exchange %d: %q", r.Seq, codesOf(r))
		}
	}
	if res.Summary["stream-mismatch"] != 1 || res.Failing != 1 || res.Protocol[conformance.Failed] != 1 || res.Protocol[conformance.OK] != 39 {
		t.Errorf("tally %+v", res.Tally)
	}
}

// TestRunMany: more reports than fit in memory go through a file, which is removed.
func TestRunMany(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	text := strings.Repeat("x", 8000)
	taped := record(t, 700, func(i int) sent {
		return chat(ask(withTools), calls(call("c1", "get_tide", fmt.Sprintf(`{"port":"%d %s"}`, i, text))))
	})
	res := run(t, taped, offline.Options{})
	files := func() int {
		names, err := filepath.Glob(filepath.Join(dir, "exodeck-conformance-*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	if files() != 1 {
		t.Errorf("%d files hold the reports, want 1", files())
	}
	n := 0
	for r, err := range res.Reports() {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`{"port":"%d `, n); !strings.HasPrefix(string(r.ToolCalls[0].Arguments), want) {
			t.Fatalf("report %d has the arguments %.20s", n, r.ToolCalls[0].Arguments)
		}
		n++
	}
	if n != 700 {
		t.Errorf("%d reports", n)
	}
	names, err := filepath.Glob(filepath.Join(dir, "exodeck-conformance-*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %q, error %v", names, err)
	}
	if err := os.Truncate(names[0], 1000); err != nil {
		t.Fatal(err)
	}
	if err := res.WriteJSON(io.Discard); err == nil {
		t.Error("reports that are lost are not missed")
	}
	if err := res.WriteText(io.Discard); err == nil {
		t.Error("reports that are lost are not missed by the text")
	}
	if err := res.Close(); err != nil || files() != 0 {
		t.Errorf("closed with %v and %d files", err, files())
	}
}

// failing is a source that breaks.
type failing struct {
	offline.Source
	after  int  // exchanges that are handed out first
	bodies bool // whether bodies break
}

var errBroken = errors.New("disk on fire")

func (f failing) Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		n := 0
		for x, err := range f.Source.Exchanges(ctx, q) {
			if n++; n > f.after && !f.bodies {
				yield(nil, errBroken)
				return
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

func (f failing) Body(ctx context.Context, b tape.Body) (io.ReadCloser, error) {
	if f.bodies {
		return nil, errBroken
	}
	return f.Source.Body(ctx, b)
}

func TestRunFails(t *testing.T) {
	taped := record(t, 50, func(i int) sent { return chat(ask(""), says("Fine.")) })
	for name, src := range map[string]failing{
		"at once": {Source: taped}, "later": {Source: taped, after: 30}, "bodies": {Source: taped, bodies: true},
	} {
		if _, err := offline.Run(t.Context(), src, offline.Options{}); !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := offline.Run(ctx, taped, offline.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestRunNothing(t *testing.T) {
	res := run(t, record(t, 0, nil), offline.Options{})
	if res.Exchanges != 0 || res.Recording != "" {
		t.Errorf("%+v", res.Tally)
	}
	if got := printed(t, res.WriteJSON); !json.Valid([]byte(got)) || !strings.HasPrefix(got, `{"exchanges":[`) {
		t.Errorf("result %s", got)
	}
}

func TestBaseline(t *testing.T) {
	two := func(i int) sent {
		return []sent{chat(ask(withTools), says(tideText)), chat(ask(zero+`,"stream":true`), streamed("At noon")), chat(ask(zero), says("At noon."))}[i]
	}
	data, err := run(t, record(t, 3, two), offline.Options{KeepBaseline: true}).Baseline().Encode()
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := offline.ParseBaseline(data)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := baseline.Encode(); err != nil || !bytes.Equal(again, data) {
		t.Errorf("read and written again: %v\n%s", err, again)
	}
	// The same questions in another order, and a new problem.
	res := run(t, record(t, 4, func(i int) sent {
		if i == 3 {
			return chat(ask(withTools), says(""))
		}
		return two(2 - i)
	}), offline.Options{Baseline: baseline})
	if diff := cmp.Diff(map[string]int{"empty-answer": 1}, res.New); diff != "" {
		t.Errorf("new problems (-want +got):\n%s", diff)
	}
	if res.Failing != 1 || res.Summary["stream-mismatch"] != 1 || res.Summary["call-in-content"] != 1 {
		t.Errorf("tally %+v", res.Tally)
	}
	for _, bad := range []string{"", "{}", `{"exchanges":[]}`, `{"baseline":2,"problems":[]}`} {
		if _, err := offline.ParseBaseline([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a baseline", bad)
		}
	}
}
