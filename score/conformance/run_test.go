package conformance_test

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

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/report"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(t testing.TB, src conformance.Source, o conformance.Options) *conformance.Result {
	t.Helper()
	res, err := conformance.Run(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Close() })
	return res
}

func printed(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRun judges all cases from a tape. Apart from arrival times, which the tape of this test does not have, all is as it is
// for each by itself; the order is that of the recording; and a second run gives the same bytes.
func TestRun(t *testing.T) {
	taped := record(t, len(cases), func(i int) sent { return cases[i].sent })
	res := run(t, taped, conformance.Options{})
	i := 0
	for r, err := range res.Reports() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Seq != int64(i+1) {
			t.Fatalf("report %d is of exchange %d", i, r.Seq)
		}
		if want := cases[i].want; codesOf(r) != want && !strings.Contains(want, "upstream-timeout") {
			t.Errorf("%s: %q, want %q", cases[i].name, codesOf(r), want)
		}
		i++
	}
	if i != len(cases) || res.Exchanges != len(cases) {
		t.Errorf("%d reports, %d exchanges, want %d", i, res.Exchanges, len(cases))
	}
	again := run(t, taped, conformance.Options{})
	for name, write := range map[string]func(*conformance.Result, io.Writer) error{
		"text": (*conformance.Result).WriteText, "json": (*conformance.Result).WriteJSON,
		"junit": func(res *conformance.Result, w io.Writer) error {
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
	res := run(t, record(t, len(cases), func(i int) sent { return cases[i].sent }), conformance.Options{Version: "v9"})
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
		Totals  conformance.Tally
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
	if got.Totals.Exchanges != len(cases) || got.Totals.Failing == 0 {
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
	}), conformance.Options{})
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
	res := run(t, taped, conformance.Options{})
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
	conformance.Source
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
		if _, err := conformance.Run(t.Context(), src, conformance.Options{}); !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := conformance.Run(ctx, taped, conformance.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestRunNothing(t *testing.T) {
	res := run(t, record(t, 0, nil), conformance.Options{})
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
	data, err := run(t, record(t, 3, two), conformance.Options{KeepBaseline: true}).Baseline().Encode()
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := conformance.ParseBaseline(data)
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
	}), conformance.Options{Baseline: baseline})
	if diff := cmp.Diff(map[string]int{"empty-answer": 1}, res.New); diff != "" {
		t.Errorf("new problems (-want +got):\n%s", diff)
	}
	if res.Failing != 1 || res.Summary["stream-mismatch"] != 1 || res.Summary["call-in-content"] != 1 {
		t.Errorf("tally %+v", res.Tally)
	}
	for _, bad := range []string{"", "{}", `{"exchanges":[]}`, `{"baseline":2,"problems":[]}`} {
		if _, err := conformance.ParseBaseline([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a baseline", bad)
		}
	}
}

func ExampleJudge_Exchange() {
	t := exampleT{}
	x := chat(ask(withTools), says(`<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`)).Read(&t)
	r := conformance.New(conformance.Rules{Ignore: []string{"leaked-markup-in-content"}}).Exchange(x)
	if err := r.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// s/1  openai  calls failed, protocol ok, blame server
	//   error    call-in-content (response /choices/0/message/content): a call of get_tide (hermes) with {"port":"Vigo"}
	//   meant    get_tide {"port":"Vigo"} (hermes, in the text)
	//   because  call-in-content: a well-formed call of get_tide (hermes) stands in the text
}

// exampleT lets an example use helpers of tests.
type exampleT struct{ testing.TB }

func (*exampleT) Helper()                  {}
func (*exampleT) Context() context.Context { return context.Background() }
func (*exampleT) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }
