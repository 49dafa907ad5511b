package evaluator_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/score/scenario/cluster"
	"github.com/exodeck/exodeck/score/scenario/evaluator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorded runs the evaluator against a stand-in through a recorder, on a clock that does not wait. When it would wait, it first calls
// the run's own Sleep.
func recorded(t *testing.T, ctx context.Context, server *standin.Server, path string, run evaluator.Evaluator) (*evaluator.Outcome, error) {
	t.Helper()
	d := decktest.New(t, path, tape.Session{Upstream: server.URL(), Labels: run.Settings.Labels()})
	var clock cluster.Clock
	run.Client = d.Transport(t)
	pause := run.Cluster.Sleep
	run.Cluster.Now = clock.Now
	run.Cluster.Sleep = func(ctx context.Context, d time.Duration) error {
		// The server works on real time: what was asked of it, and perhaps given up, is done before any time has passed.
		idle := func(c standin.Counts) bool { return c.InFlight == 0 }
		if err := server.Await(context.WithoutCancel(ctx), idle); err != nil {
			return err
		}
		if pause != nil {
			if err := pause(ctx, d); err != nil {
				return err
			}
		}
		return clock.Sleep(ctx, d)
	}
	out, err := run.Run(ctx)
	d.Close(t)
	return out, err
}

// replayed runs what the tape says was asked, from the tape. That takes no long time, however long the run has waited.
func replayed(t *testing.T, path string, scenarios []scenario.Scenario, text *strings.Builder) (*evaluator.Outcome, error) {
	t.Helper()
	tp, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	session, settings, err := scenario.Recorded(t.Context(), tp, "", "")
	if err != nil {
		t.Fatal(err)
	}
	transport, err := replay.NewTransport(t.Context(), tp, match.Options{Query: tape.Query{Session: session}})
	if err != nil {
		t.Fatal(err)
	}
	var clock cluster.Clock
	run := evaluator.Evaluator{Settings: settings, Scenarios: scenarios, Client: transport, Text: text,
		Cluster: cluster.Client{Now: clock.Now, Sleep: clock.Sleep}}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := run.Run(ctx)
	if ctx.Err() != nil {
		t.Fatal("the replay does not end")
	}
	if r := transport.Report(); err == nil && len(r.Unused) > 0 {
		t.Errorf("%d exchanges of the run were not asked for again", len(r.Unused))
	}
	return out, err
}

func resultFile(t *testing.T, path string, out *evaluator.Outcome) string {
	t.Helper()
	tp, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	digest, err := score.RecordingDigest(t.Context(), tp, out.Verdicts)
	if err != nil {
		t.Fatal(err)
	}
	data, err := report.JSON(score.RunFile{Suite: scenario.Name, Recording: digest, Verdicts: out.Verdicts}, out.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// slowCluster is a cluster on which everything takes its time.
func slowCluster() *standin.Cluster {
	c := standin.Nodes(2)
	c.PreviewTicks, c.DownloadTicks, c.CreateTicks, c.StageTicks, c.DeleteTicks = 2, 3, 2, 2, 2
	c.RDMA = true
	return c
}

// TestWholeRunFromItsTape is the law for a run with everything around it: what is recorded of the cluster replays too, and gives the
// same text and the same result file.
func TestWholeRunFromItsTape(t *testing.T) {
	file, err := scenario.Parse("own.toml", fixtures.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name        string
		concurrency int
		adjust      func(*standin.Cluster)
		want        string // in the error, when the run fails
	}{
		{"one at a time", 1, nil, ""},
		{"16 at a time", 16, nil, ""},
		{"a runner fails", 1, func(c *standin.Cluster) {
			c.RunnerFates = []standin.RunnerFate{{Fate: standin.Fails, Message: "out of memory"}}
		}, "failed: out of memory"},
		{"no placement", 1, func(c *standin.Cluster) { c.PreviewTicks, c.PreviewError = 1<<30, "not enough memory" }, "No valid placements"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := slowCluster()
			if tt.adjust != nil {
				tt.adjust(c)
			}
			server := standin.New(standin.Options{Cluster: c, Script: standin.Demo()})
			if err := server.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			options := cluster.DefaultOptions()
			var liveText, offlineText strings.Builder
			path := filepath.Join(t.TempDir(), "run.tape")
			live, liveErr := recorded(t, t.Context(), server, path, evaluator.Evaluator{
				Settings: scenario.Settings{BaseURL: server.URL(), Model: "echo-1b-4bit", APIs: scenario.AllAPIs, Repeat: 1,
					Stream: scenario.StreamOff, Cluster: &options},
				Scenarios: file.Scenarios, Concurrency: tt.concurrency, Text: &liveText,
			})
			if left := server.Instances(); len(left) > 0 {
				t.Errorf("instances are left: %v", left)
			}
			server.Close()
			offline, offlineErr := replayed(t, path, file.Scenarios, &offlineText)
			if tt.want != "" {
				if liveErr == nil || !strings.Contains(liveErr.Error(), tt.want) || offlineErr == nil || offlineErr.Error() != liveErr.Error() {
					t.Errorf("live %v, offline %v, want %q", liveErr, offlineErr, tt.want)
				}
				return
			}
			if err := errors.Join(liveErr, offlineErr); err != nil {
				t.Fatal(err)
			}
			if want, got := resultFile(t, path, live), resultFile(t, path, offline); want != got || !strings.Contains(want, `"cluster"`) {
				t.Errorf("live:\n%s\noffline:\n%s", want, got)
			}
			if want, got := liveText.String(), offlineText.String(); tt.concurrency == 1 && want != got {
				t.Errorf("live:\n%s\noffline:\n%s", want, got)
			}
		})
	}
}

// TestInterruptedRunLeavesNoInstance ends a run at every stage.
func TestInterruptedRunLeavesNoInstance(t *testing.T) {
	file, err := scenario.Parse("own.toml", fixtures.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"/instance/previews", "/download/start", "POST /instance", "/state/instances/", "/state/runners/", "/state/nodeMemory", "/v1/messages"} {
		t.Run(stage, func(t *testing.T) {
			ctx, interrupt := context.WithCancelCause(t.Context())
			defer interrupt(nil)
			server := standin.New(standin.Options{Cluster: slowCluster(), Intercept: func(w http.ResponseWriter, r *http.Request) bool {
				if strings.Contains(r.Method+" "+r.URL.Path, stage) {
					interrupt(errors.New("interrupted"))
				}
				return false
			}})
			if err := server.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			options := cluster.DefaultOptions()
			out, err := recorded(t, ctx, server, filepath.Join(t.TempDir(), "run.tape"), evaluator.Evaluator{
				Settings: scenario.Settings{BaseURL: server.URL(), Model: standin.DefaultModel, APIs: scenario.AllAPIs, Repeat: 1,
					Stream: scenario.StreamOff, Cluster: &options},
				Scenarios: file.Scenarios, Text: new(strings.Builder),
			})
			if out != nil || err == nil {
				t.Errorf("outcome %v, error %v", out, err)
			}
			if left := server.Instances(); len(left) > 0 {
				t.Errorf("instances are left: %v", left)
			}
		})
	}
}

// TestInterruptedRunFromItsTape interrupts a run each time it waits, and in the middle of its questions. What was answered until then is
// judged, the rest is missing, and nothing is waited for that never came.
func TestInterruptedRunFromItsTape(t *testing.T) {
	file, err := scenario.Parse("own.toml", fixtures.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	interrupted := errors.New("interrupted")
	// play interrupts a run at its n-th pause, or at its n-th question of one API, and returns what its tape comes to.
	play := func(t *testing.T, pauses, questions int) (waited string, out *evaluator.Outcome, err error) {
		ctx, interrupt := context.WithCancelCause(t.Context())
		defer interrupt(nil)
		server := standin.New(standin.Options{Cluster: slowCluster(), Script: standin.Demo(), Intercept: func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/v1/messages" {
				if questions--; questions == 0 {
					interrupt(interrupted)
				}
			}
			return false
		}})
		if err := server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		options := cluster.DefaultOptions()
		path := filepath.Join(t.TempDir(), "run.tape")
		live := evaluator.Evaluator{
			Settings: scenario.Settings{BaseURL: server.URL(), Model: standin.DefaultModel, APIs: scenario.AllAPIs, Repeat: 1,
				Stream: scenario.StreamOff, Cluster: &options},
			Scenarios: file.Scenarios, Text: new(strings.Builder),
			Cluster: cluster.Client{Sleep: func(ctx context.Context, _ time.Duration) error {
				if pauses--; pauses == 0 {
					interrupt(interrupted)
				}
				return ctx.Err()
			}},
		}
		if _, liveErr := recorded(t, ctx, server, path, live); liveErr != nil {
			waited, _, _ = strings.Cut(liveErr.Error(), ": context canceled")
		}
		server.Close()
		out, err = replayed(t, path, file.Scenarios, new(strings.Builder))
		return waited, out, err
	}
	ends := map[string]bool{} // what was waited for when the recording ended
	for n := 1; ; n++ {
		waited, out, err := play(t, n, 0)
		if waited == "" {
			if out == nil {
				t.Errorf("a run that was interrupted after its last question: %v", err)
			}
			break
		}
		if out != nil || err == nil {
			t.Fatalf("pause %d: outcome %v, error %v", n, out, err)
		}
		if errors.Is(err, cluster.ErrRecordingEnds) {
			if !strings.HasPrefix(err.Error(), waited) {
				t.Errorf("pause %d: the run was interrupted %s, its tape says %v", n, waited, err)
			}
			what, _, _ := strings.Cut(waited, " of ")
			ends[what] = true
		}
	}
	if len(ends) != 3 {
		t.Errorf("recordings end at %v, want those of a placement, a download and runners", ends)
	}
	_, out, err := play(t, 0, 3)
	if out == nil {
		t.Fatal(err)
	}
	judged, missing := 0, 0
	for _, v := range out.Verdicts {
		switch v.Status {
		case score.OK:
			judged++
		case score.Missing:
			missing++
		}
	}
	if judged == 0 || missing == 0 || score.ExitStatus(out.Verdicts) != score.ExitMissing {
		t.Errorf("%d judged, %d missing, status %d", judged, missing, score.ExitStatus(out.Verdicts))
	}
}

// TestGaveUpWaiting: a run that waits for its instance in vain cannot go on. Its tape holds nothing to score and is as it should be: the
// error offline is that of a recording that ends, and none of a tape that cannot be read, which has another exit status.
func TestGaveUpWaiting(t *testing.T) {
	file, err := scenario.Parse("own.toml", fixtures.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	c := slowCluster()
	c.RunnerFates = []standin.RunnerFate{{At: standin.RunnerConnected, Fate: standin.Stays}}
	server := standin.New(standin.Options{Cluster: c})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	options := cluster.DefaultOptions()
	path := filepath.Join(t.TempDir(), "run.tape")
	d := decktest.New(t, path, tape.Session{Upstream: server.URL(), Labels: scenario.Settings{
		BaseURL: server.URL(), Model: standin.DefaultModel, APIs: scenario.AllAPIs, Repeat: 1, Stream: scenario.StreamOff, Cluster: &options}.Labels()})
	var clock cluster.Clock
	live := evaluator.Evaluator{
		Settings: scenario.Settings{BaseURL: server.URL(), Model: standin.DefaultModel, APIs: scenario.AllAPIs, Repeat: 1,
			Stream: scenario.StreamOff, Cluster: &options},
		Scenarios: file.Scenarios, Text: io.Discard, Client: d.Transport(t),
		Cluster: cluster.Client{Now: clock.Now, Sleep: func(ctx context.Context, d time.Duration) error {
			if d < time.Second { // between two looks at the runners
				d = time.Hour
			}
			return clock.Sleep(ctx, d)
		}},
	}
	out, err := live.Run(t.Context())
	var start *cluster.StartError
	if out != nil || !errors.As(err, &start) || !strings.Contains(err.Error(), "did not become ready within timeout=24000.0") {
		t.Errorf("live: outcome %v, error %v", out, err)
	}
	d.Close(t)
	server.Close()
	out, err = replayed(t, path, file.Scenarios, new(strings.Builder))
	var unreadable *tape.Error
	if out != nil || !errors.Is(err, cluster.ErrRecordingEnds) || !errors.As(err, &start) || errors.As(err, &unreadable) {
		t.Errorf("offline: outcome %v, error %v", out, err)
	}
}

// TestUnprinted: a text that cannot be printed ends no run, which says why it could not.
func TestUnprinted(t *testing.T) {
	file, err := scenario.Parse("own.toml", fixtures.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	for n := range 3 {
		server := standin.New(standin.Options{Cluster: standin.Nodes(1), Script: standin.ForScenarios()})
		if err := server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		options := cluster.DefaultOptions()
		out, err := recorded(t, t.Context(), server, filepath.Join(t.TempDir(), "run.tape"), evaluator.Evaluator{
			Settings: scenario.Settings{BaseURL: server.URL(), Model: standin.DefaultModel, APIs: scenario.AllAPIs[:1], Repeat: 1,
				Stream: scenario.StreamOff, Cluster: &options},
			Scenarios: file.Scenarios[:2], Text: &narrow{n, full},
		})
		if err != nil || out.Unprinted != full || len(out.Verdicts) < 2 || out.Snapshot == nil {
			t.Errorf("after %d writes: outcome %+v, error %v", n, out, err)
		}
	}
}

// narrow takes n writes.
type narrow struct {
	n   int
	err error
}

func (w *narrow) Write(p []byte) (int, error) {
	if w.n--; w.n < 0 {
		return 0, w.err
	}
	return len(p), nil
}
