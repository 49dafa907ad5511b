package ask_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/acebenchtest"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// mini is the embedded data set in a language, and a suite that asks all of it.
func mini(t testing.TB, language dataset.Language) (*dataset.Set, *ask.Suite) {
	t.Helper()
	d := dataset.Mini()
	set, err := d.Load(language)
	if err != nil {
		t.Fatal(err)
	}
	materials, err := ask.LoadMaterials(d, language, true)
	if err != nil {
		t.Fatal(err)
	}
	return set, &ask.Suite{
		Samples:   set.Samples,
		Materials: materials,
		Agent:     ask.Endpoint{API: tape.OpenAI, Model: standin.DefaultModel},
		User:      &ask.Endpoint{API: tape.OpenAI, Model: acebenchtest.UserModel, Sampling: ask.UserSampling()},
	}
}

// serve starts a stand-in that plays the model and points the suite at it.
func serve(t testing.TB, suite *ask.Suite, model *acebenchtest.Model) *standin.Server {
	t.Helper()
	server := standin.New(model.Options())
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	suite.Agent.BaseURL = server.URL()
	if suite.User != nil {
		suite.User.BaseURL = server.URL()
	}
	return server
}

// live runs the suite through a recorder. wrap, when not nil, comes between the two.
func live(t testing.TB, suite *ask.Suite, path string, wrap func(http.RoundTripper) http.RoundTripper) []ask.Outcome {
	t.Helper()
	d := decktest.New(t, path, tape.Session{Upstream: suite.Agent.BaseURL})
	suite.Client = d.Transport(t)
	if wrap != nil {
		suite.Client = wrap(suite.Client)
	}
	outcomes, err := suite.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	suite.Client = nil
	d.Close(t)
	return outcomes
}

// recordedBy returns a transport over all of a tape.
func recordedBy(t testing.TB, path string) http.RoundTripper {
	t.Helper()
	tp, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tp.Close() })
	transport, err := replay.NewTransport(t.Context(), tp, match.Default())
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

// offline runs the suite over a tape alone.
func offline(t testing.TB, suite *ask.Suite, path string) []ask.Outcome {
	t.Helper()
	suite.Client, suite.Recorded = nil, recordedBy(t, path)
	outcomes, err := suite.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

// verdicts renders what outcomes come to: a line for each, with all that a run file rests on.
func verdicts(set *dataset.Set, outcomes []ask.Outcome) []string {
	scorer := acebench.NewScorer(set, 0)
	var lines []string
	for _, o := range outcomes {
		line := fmt.Sprintf("%s #%d %s %q %q %s %v %v", o.Sample.ID, o.Repeat, o.Answer.Status, o.Answer.Note, o.Remark, o.Answer.Text, o.Exchanges, o.Played)
		if o.Answer.State != nil {
			line += " " + pyvalue.Repr(o.Answer.State) + " " + pyvalue.Repr(o.Answer.Trace)
		}
		if o.Answer.Status == acebench.OK {
			r := scorer.Judge(o.Index, &o.Answer)
			line += fmt.Sprintf(" valid %t %s", r.Valid, r.ErrorType)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestLaw: what a run finds is what its recording says, byte for byte, whatever went wrong.
func TestLaw(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	bad := func(f standin.Fault) func(*dataset.Sample, standin.Ask, standin.Reply) standin.Reply {
		return func(s *dataset.Sample, _ standin.Ask, r standin.Reply) standin.Reply {
			if s != nil && strings.HasSuffix(s.ID, "1") {
				return f.Apply(r)
			}
			return r
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*ask.Suite)
		fault  func(*dataset.Sample, standin.Ask, standin.Reply) standin.Reply
		expect string // in a note
	}{
		{name: "all right"},
		{name: "16 at once, twice", change: func(s *ask.Suite) { s.Concurrency, s.Repeat = 16, 2 }},
		{name: "streams", change: func(s *ask.Suite) { s.Stream = true }},
		{name: "claude", change: through(tape.Claude)},
		{name: "responses, streamed", change: func(s *ask.Suite) { through(tape.Responses)(s); s.Stream = true }},
		{name: "ollama", change: through(tape.Ollama)},
		{name: "no user", change: func(s *ask.Suite) { s.User = nil }},
		{name: "500", fault: bad(standin.Status500), expect: "the server answered 500"},
		{name: "404", fault: bad(standin.Status404), expect: "the server answered 404"},
		{name: "cut", fault: bad(standin.CutOff), expect: "no answer could be had: unexpected EOF"},
		{name: "cut stream", fault: bad(standin.CutOff), change: func(s *ask.Suite) { s.Stream = true }, expect: "no answer could be had: unexpected EOF"},
		{name: "no HTTP", fault: bad(standin.Garbage), expect: "malformed HTTP"},
		{name: "empty", fault: bad(standin.Empty), expect: "the answer is none of the API openai: no text"},
		{name: "error in the middle", fault: bad(standin.ErrorMid), change: func(s *ask.Suite) { s.Stream = true }, expect: "the server reported an error"},
		{name: "stalled", fault: bad(standin.Stalled), expect: "silent for longer", change: func(s *ask.Suite) {
			s.Timeout, s.Concurrency, s.Samples = 5*time.Second, 16, s.Samples[len(s.Samples)-6:]
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, suite := mini(t, dataset.English)
			model := acebenchtest.NewModel(set.Samples, suite.Materials)
			model.Change = tt.fault
			server := serve(t, suite, model)
			if tt.change != nil {
				tt.change(suite)
			}
			set.Samples = suite.Samples
			path := filepath.Join(t.TempDir(), "law.tape")
			outcomes := live(t, suite, path, named)
			server.Close()
			want := verdicts(set, outcomes)
			if diff := cmp.Diff(want, verdicts(set, offline(t, suite, path))); diff != "" {
				t.Errorf("offline differs from live (-live +offline):\n%s", diff)
			}
			if got := len(want); got != suite.Total() {
				t.Errorf("%d outcomes, want %d", got, suite.Total())
			}
			for i, o := range outcomes {
				faulty := tt.fault != nil && strings.HasSuffix(o.Sample.ID, "1")
				alone := suite.User == nil && o.Sample.Category == dataset.AgentMultiTurn
				if right := strings.HasSuffix(want[i], "valid true "); right == (faulty || alone) {
					t.Errorf("%s", want[i])
				}
				if played := len(o.Played) > 0; len(o.Exchanges) > 0 && played != (o.Sample.Category == dataset.AgentMultiTurn && suite.User != nil) || len(o.Played) > len(o.Exchanges) {
					t.Errorf("%s: of %d exchanges a model plays the user in %d", o.Sample.ID, len(o.Exchanges), len(o.Played))
				}
				if faulty && (o.Answer.Status != acebench.Missing || !strings.Contains(o.Answer.Note, tt.expect)) {
					t.Errorf("%s, want a note with %q", want[i], tt.expect)
				}
			}
		})
	}
}

func through(api tape.API) func(*ask.Suite) {
	return func(s *ask.Suite) { s.Agent.API, s.User.API = api, api }
}

// TestOrderDoesNotMatter: samples that are asked in another order than they were recorded get their own answers.
func TestOrderDoesNotMatter(t *testing.T) {
	set, suite := mini(t, dataset.Chinese)
	serve(t, suite, acebenchtest.NewModel(set.Samples, suite.Materials))
	suite.Concurrency = 16
	path := filepath.Join(t.TempDir(), "order.tape")
	want := map[string]string{}
	for i, line := range verdicts(set, live(t, suite, path, nil)) {
		want[set.Samples[i].ID] = line
	}
	reversed := *set
	reversed.Samples = nil
	for _, s := range set.Samples {
		reversed.Samples = append([]*dataset.Sample{s}, reversed.Samples...)
	}
	suite.Samples = reversed.Samples
	for i, line := range verdicts(&reversed, offline(t, suite, path)) {
		if diff := cmp.Diff(want[reversed.Samples[i].ID], line); diff != "" {
			t.Errorf("(-live +offline):\n%s", diff)
		}
	}
}

// named tells the server which sample it is asked.
func named(base http.RoundTripper) http.RoundTripper { return acebenchtest.Named{Base: base} }

// TestUnreadableTape: a tape that cannot be read is no missing answer, wherever reading it fails, in a rollout too. It ends the run.
func TestUnreadableTape(t *testing.T) {
	damaged := &tape.Error{Op: "reading a body from", Path: "run.tape", Err: tape.ErrDamaged}
	const whole = `{"choices":[{"index":0,"message":{"role":"assistant","content":"[]"},"finish_reason":"stop"}]}`
	tests := []struct {
		name     string
		answer   func(*http.Request) (*http.Response, error)
		category dataset.Category
	}{
		{"instead of a response", func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("opening the body: %w", damaged) }, dataset.AgentMultiStep},
		{"at the end of a body that is whole", func(req *http.Request) (*http.Response, error) {
			body := io.MultiReader(strings.NewReader(whole), iotest.ErrReader(fmt.Errorf("reading the body: %w", damaged)))
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(body), Request: req}, nil
		}, "normal_atom_bool"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set, suite := mini(t, dataset.English)
			suite.Samples = set.Only(tt.category)
			suite.Recorded = transport(tt.answer)
			outcomes, err := suite.Run(t.Context(), nil)
			if len(suite.Samples) == 0 || len(outcomes) != 0 || !errors.Is(err, tape.ErrDamaged) {
				t.Errorf("%d samples, outcomes %v, error %v", len(suite.Samples), outcomes, err)
			}
		})
	}
}

// transport is a function as an [http.RoundTripper].
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
