package cluster_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score/scenario/cluster"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// fixture is a client of a stand-in cluster, with a clock of its own.
type fixture struct {
	*cluster.Client
	server *standin.Server
	clock  *cluster.Clock
	log    []string
}

func newFixture(t *testing.T, change func(*standin.Cluster)) *fixture {
	t.Helper()
	c := standin.Nodes(2)
	c.Ready = nil
	if change != nil {
		change(c)
	}
	server := standin.New(standin.Options{Cluster: c})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	base := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(func() {
		base.CloseIdleConnections()
		server.Close()
	})
	f := &fixture{server: server, clock: new(cluster.Clock)}
	f.Client = &cluster.Client{HTTP: base, BaseURL: server.URL(), Now: f.clock.Now, Sleep: f.clock.Sleep,
		Log: func(level slog.Level, text string) { f.log = append(f.log, level.String()+" "+text) }}
	return f
}

// run is the whole lifecycle around use.
func (f *fixture) run(ctx context.Context, o cluster.Options, use func(context.Context, *pyvalue.Dict) error) (*cluster.Plan, error) {
	plan, err := f.Plan(ctx, o)
	if err != nil {
		return plan, err
	}
	if err := f.PrepareDownloads(ctx, plan); err != nil {
		return plan, err
	}
	return plan, f.Use(ctx, plan, use)
}

func options(change func(*cluster.Options)) cluster.Options {
	o := cluster.DefaultOptions()
	o.Model = standin.DefaultModel
	if change != nil {
		change(&o)
	}
	return o
}

func TestLifecycle(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	tests := []struct {
		name    string
		cluster func(*standin.Cluster)
		options func(*cluster.Options)
		want    string // the error, "" for none
		logged  string
		place   string
		hurry   bool // every wait takes an hour
	}{
		{name: "all is ready", place: "Pipeline / MlxRing / 1 nodes"},
		{name: "two nodes", options: func(o *cluster.Options) { o.MinNodes = 2 }, place: "Pipeline / MlxRing / 2 nodes"},
		{name: "everything takes its time", cluster: func(c *standin.Cluster) {
			c.PreviewTicks, c.DiskTicks, c.DownloadTicks, c.CreateTicks, c.StageTicks, c.DeleteTicks = 3, 3, 4, 3, 2, 2
			c.Nodes[0].Downloads = nil
		}, logged: "WARN No valid placements yet (cluster may still be settling). Retrying in 1.0s (60s remaining)..."},
		{name: "a download is told of", cluster: func(c *standin.Cluster) {
			c.DownloadTicks = 4
			c.Nodes[0].Downloads = nil
		}, logged: "INFO Downloading on "},
		{name: "disk never known", cluster: func(c *standin.Cluster) {
			c.Nodes[0].NoDisk, c.Nodes[0].Downloads = true, nil
		}, logged: "skipping space check"},
		{name: "no placement", cluster: func(c *standin.Cluster) { c.Previews = []standin.Preview{} },
			want: "No valid placements matched your filters."},
		{name: "unknown model", options: func(o *cluster.Options) { o.Model = "org/nobody" }, want: "Model not found in /models: org/nobody"},
		{name: "unknown model that nobody has", options: func(o *cluster.Options) { o.Model, o.ForceDownload = "org/nobody", true },
			want: "adding the model org/nobody: HTTP 400 "},
		{name: "unknown model that can be had", cluster: func(c *standin.Cluster) {
			c.Hub = append(c.Hub, standin.Model{ID: "org/fresh", Size: 1 << 30, Layers: 2, Hidden: 64, KVHeads: 2})
		}, options: func(o *cluster.Options) { o.Model, o.ForceDownload = "org/fresh", true }, place: "Pipeline / MlxRing / 1 nodes"},
		{name: "disk too small", cluster: func(c *standin.Cluster) {
			c.Nodes[0].FreeDisk, c.Nodes[0].Downloads = 1, nil
		}, want: "have 0GB. Use --danger-delete-downloads to free space."},
		{name: "disk too small whatever is deleted", cluster: func(c *standin.Cluster) {
			c.Nodes[0].FreeDisk, c.Nodes[0].Downloads = 1, nil
		}, options: func(o *cluster.Options) { o.DeleteDownloads = true }, want: "Could not free enough space on "},
		{name: "download fails", cluster: func(c *standin.Cluster) {
			c.Nodes[0].Downloads = nil
			c.DownloadTicks = 4
			c.DownloadFates = []standin.DownloadFate{{Message: "HTTP 403"}}
		}, want: "Download failed on "},
		{name: "runner fails", cluster: func(c *standin.Cluster) {
			c.StageTicks = 1
			c.RunnerFates = []standin.RunnerFate{{At: standin.RunnerLoading, Fate: standin.Fails, Message: "Metal GPU timeout"}}
		}, want: "failed: Metal GPU timeout"},
		{name: "runner fails without a word", cluster: func(c *standin.Cluster) {
			c.RunnerFates = []standin.RunnerFate{{At: standin.RunnerIdle, Fate: standin.Fails}}
		}, want: "failed: Unknown error"},
		{name: "instance vanishes", cluster: func(c *standin.Cluster) {
			c.StageTicks = 2
			c.RunnerFates = []standin.RunnerFate{{At: standin.RunnerLoading, Fate: standin.Vanishes}}
		}, want: "was deleted (runner may have failed)"},
		{name: "never ready", cluster: func(c *standin.Cluster) {
			c.RunnerFates = []standin.RunnerFate{{At: standin.RunnerConnected, Fate: standin.Stays}}
		}, hurry: true, want: "did not become ready within timeout=24000.0"},
		{name: "runner busy", cluster: func(c *standin.Cluster) {
			c.RunnerFates = []standin.RunnerFate{{At: standin.RunnerReady, Fate: standin.Runs}}
		}},
		{name: "instance stays for ever", cluster: func(c *standin.Cluster) { c.KeepInstances = true }, want: "did not get deleted within timeout=3.0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, tt.cluster)
			if tt.hurry {
				f.Sleep = func(ctx context.Context, _ time.Duration) error { return f.clock.Sleep(ctx, time.Hour) }
			}
			used := false
			plan, err := f.run(t.Context(), options(tt.options), func(_ context.Context, state *pyvalue.Dict) error {
				used = true
				if _, ok := state.GetStr("nodeIdentities"); !ok || len(f.server.Instances()) != 1 {
					t.Errorf("cluster %v, instances %v", state, f.server.Instances())
				}
				return nil
			})
			switch {
			case tt.want == "" && (err != nil || !used):
				t.Errorf("error %v, used %v; log:\n%s", err, used, strings.Join(f.log, "\n"))
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if tt.place != "" && plan != nil && plan.Placement.String() != tt.place {
				t.Errorf("placement %s, want %s", plan.Placement, tt.place)
			}
			if tt.logged != "" && !strings.Contains(strings.Join(f.log, "\n"), tt.logged) {
				t.Errorf("%q is not in the log:\n%s", tt.logged, strings.Join(f.log, "\n"))
			}
			if left := f.server.Instances(); len(left) != 0 && !strings.Contains(tt.name, "stays for ever") {
				t.Errorf("instances left behind: %v", left)
			}
		})
	}
}

func TestInstanceIsDeletedWhateverHappens(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name string
		use  func(cancel context.CancelFunc) error
		want error
	}{
		{"an error", func(context.CancelFunc) error { return boom }, boom},
		{"an interruption", func(cancel context.CancelFunc) error { cancel(); return context.Canceled }, context.Canceled},
		{"a panic", func(context.CancelFunc) error { panic(boom) }, boom},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := func() (err error) {
				defer func() {
					if p := recover(); p != nil {
						err = p.(error)
					}
				}()
				_, err = f.run(ctx, options(nil), func(context.Context, *pyvalue.Dict) error { return tt.use(cancel) })
				return err
			}()
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if left := f.server.Instances(); len(left) != 0 {
				t.Errorf("instances left behind: %v", left)
			}
		})
	}
}

// TestInterruptedWhileStarting cancels at every control call there is.
func TestInterruptedWhileStarting(t *testing.T) {
	for n := 1; ; n++ {
		f := newFixture(t, func(c *standin.Cluster) { c.CreateTicks, c.StageTicks = 3, 1 })
		ctx, cancel := context.WithCancel(t.Context())
		f.HTTP = &countdown{RoundTripper: f.HTTP, n: n, cancel: cancel}
		finished := false
		_, err := f.run(ctx, options(nil), func(context.Context, *pyvalue.Dict) error {
			finished = true
			return nil
		})
		cancel()
		if left := f.server.Instances(); len(left) != 0 {
			t.Fatalf("cancelled after call %d: instances left behind: %v", n, left)
		}
		if finished {
			if n < 8 {
				t.Errorf("only %d calls before the first question", n)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled after call %d: error %v", n, err)
		}
	}
}

// TestCreatingFailed: only an answer that refuses an instance says that there is none.
func TestCreatingFailed(t *testing.T) {
	for _, tt := range []struct {
		status  int
		arrives bool // at exo, before the answer
	}{{http.StatusUnprocessableEntity, false}, {http.StatusInternalServerError, true}, {http.StatusGatewayTimeout, true}} {
		t.Run(strconv.Itoa(tt.status), func(t *testing.T) {
			f := newFixture(t, nil)
			server, after := f.HTTP, 0
			f.HTTP = roundTripper(func(req *http.Request) (*http.Response, error) {
				if req.Method != http.MethodPost || req.URL.Path != "/instance" {
					after++
					return server.RoundTrip(req)
				}
				after = 0
				if tt.arrives {
					resp, err := server.RoundTrip(req)
					if err != nil {
						return nil, err
					}
					resp.Body.Close()
				}
				return &http.Response{StatusCode: tt.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("no")), Request: req}, nil
			})
			_, err := f.run(t.Context(), options(nil), func(context.Context, *pyvalue.Dict) error { return errors.New("it was used") })
			if e, ok := errors.AsType[*cluster.HTTPError](err); !ok || e.Status != tt.status {
				t.Errorf("error %v", err)
			}
			if left := f.server.Instances(); len(left) != 0 {
				t.Errorf("instances left behind: %v", left)
			}
			if asked := after > 0; asked != tt.arrives {
				t.Errorf("%d calls after the answer", after)
			}
		})
	}
}

// countdown cancels after n requests.
type countdown struct {
	http.RoundTripper
	n      int
	cancel context.CancelFunc
}

func (c *countdown) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(req)
	if c.n--; c.n == 0 {
		c.cancel()
	}
	return resp, err
}

// TestRecordedControlCalls: what a result file needs of the cluster can be had from the recording.
func TestRecordedControlCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster.tape")
	recorder, err := tape.OpenRecorder(t.Context(), path, tape.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := recorder.StartSession(t.Context(), tape.Session{})
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, func(c *standin.Cluster) { c.DownloadTicks = 3 })
	f.HTTP = &record.Transport{Base: f.HTTP, Session: session}
	var live *pyvalue.Dict
	plan, err := f.run(t.Context(), options(nil), func(_ context.Context, state *pyvalue.Dict) error {
		live = state
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	f.server.Close()

	tp, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	transport, err := replay.NewTransport(t.Context(), tp, match.Default())
	if err != nil {
		t.Fatal(err)
	}
	offline := &cluster.Client{HTTP: transport, BaseURL: f.BaseURL}
	model, err := cluster.Resolve(offline, t.Context(), "echo-1b-4BIT", false)
	if err != nil || model != plan.Model {
		t.Errorf("model %v, error %v; want %v", model, err, plan.Model)
	}
	snapshot, err := offline.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pyvalue.Repr(live), pyvalue.Repr(snapshot)); diff != "" {
		t.Errorf("cluster (-live +offline):\n%s", diff)
	}
}

func TestReuseInstance(t *testing.T) {
	f := newFixture(t, func(c *standin.Cluster) { c.Ready = []string{standin.DefaultModel} })
	before := f.server.Instances()
	if len(before) != 1 {
		t.Fatalf("instances %v", before)
	}
	plan, err := f.run(t.Context(), options(func(o *cluster.Options) { o.ReuseInstance = true }), func(context.Context, *pyvalue.Dict) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if !plan.Reused || plan.Placement.String() != "Pipeline / MlxRing / 1 nodes" || plan.Placement.InstanceID() != before[0] {
		t.Errorf("plan %+v", plan)
	}
	if diff := cmp.Diff(before, f.server.Instances()); diff != "" {
		t.Errorf("instances (-before +after):\n%s", diff)
	}

	// Without one a new instance is made and taken down.
	f = newFixture(t, nil)
	plan, err = f.run(t.Context(), options(func(o *cluster.Options) { o.ReuseInstance = true }), func(context.Context, *pyvalue.Dict) error { return nil })
	if err != nil || plan.Reused || len(f.server.Instances()) != 0 {
		t.Errorf("plan %+v, error %v, instances %v", plan, err, f.server.Instances())
	}
}

func TestDownloadsDeletedSmallestFirst(t *testing.T) {
	f := newFixture(t, func(c *standin.Cluster) {
		size := c.Models[0].Size
		c.Models = append(c.Models,
			standin.Model{ID: "org/large", Size: 4 * size, Layers: 2, Hidden: 64, KVHeads: 2},
			standin.Model{ID: "org/small", Size: size / 4, Layers: 2, Hidden: 64, KVHeads: 2},
			standin.Model{ID: "org/middle", Size: size, Layers: 2, Hidden: 64, KVHeads: 2},
			standin.Model{ID: "org/kept", Size: size / 8, Layers: 2, Hidden: 64, KVHeads: 2})
		c.Nodes[0].FreeDisk = 0
		c.Nodes[0].Downloads = []standin.Download{
			{Model: "org/large", State: standin.DownloadCompleted}, {Model: "org/small", State: standin.DownloadCompleted},
			{Model: "org/middle", State: standin.DownloadCompleted}, {Model: "org/kept", State: standin.DownloadCompleted, ReadOnly: true},
		}
	})
	if _, err := f.run(t.Context(), options(func(o *cluster.Options) { o.DeleteDownloads = true }), func(context.Context, *pyvalue.Dict) error { return nil }); err != nil {
		t.Fatal(err)
	}
	var deleted []string
	for _, line := range f.log {
		if rest, ok := strings.CutPrefix(line, "INFO Deleting "); ok {
			name, _, _ := strings.Cut(rest, " ")
			deleted = append(deleted, name)
		}
	}
	if !slices.Equal(deleted, []string{"org/small", "org/middle"}) {
		t.Errorf("deleted %q", deleted)
	}
}

func TestStaleFailureBesideACompleteDownload(t *testing.T) {
	f := newFixture(t, func(c *standin.Cluster) {
		c.Nodes[0].Downloads = append([]standin.Download{{Model: standin.DefaultModel, State: standin.DownloadFailed, Message: "HTTP 403"}},
			standin.Download{Model: standin.DefaultModel, State: standin.DownloadCompleted})
	})
	if _, err := f.run(t.Context(), options(nil), func(context.Context, *pyvalue.Dict) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestVectorControlErrors compares the errors of control calls with those of exo's own client.
func TestVectorControlErrors(t *testing.T) {
	n := 0
	shared.Lines(t, "golden/exo/eval_golden/real_app.jsonl", func(line int, r struct {
		Client []string
		Status int
		Str    string
	}) {
		if r.Client == nil {
			return
		}
		n++
		_, body, _ := strings.Cut(r.Str, ": ")
		err := &cluster.HTTPError{Method: r.Client[0], Path: r.Client[1], Status: r.Status, Body: body}
		if err.Error() != r.Str {
			t.Errorf("line %d: %q, want %q", line, err, r.Str)
		}
	})
	if n != 6 {
		t.Errorf("%d rows compared, want 6", n)
	}
}

func TestControlErrors(t *testing.T) {
	long := strings.Repeat("é", 400)
	tests := []struct {
		name   string
		status int // 0 for no answer
		body   string
		want   string
	}{
		{"status", 503, long, "HTTP 503 Service Unavailable: " + long[:600]},
		{"no JSON", 200, "<html>", "the answer to GET /models is not JSON: Expecting value: line 1 column 1 (char 0)"},
		{"odd JSON", 200, `{"data": [null, {"name": 3}]}`, "Model not found in /models: m"},
		{"nothing", 200, "", "Model not found in /models: m"},
		{"no connection", 0, "", "GET /models: connection refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			answer := func(req *http.Request) (*http.Response, error) {
				if req.Method != http.MethodGet || req.URL.Path != "/models" {
					t.Errorf("asked %s %s", req.Method, req.URL.Path)
				}
				if tt.status == 0 {
					return nil, syscall.ECONNREFUSED
				}
				return &http.Response{
					Status:     strconv.Itoa(tt.status) + " " + http.StatusText(tt.status),
					StatusCode: tt.status, Header: http.Header{}, ContentLength: -1, Request: req,
					Body: io.NopCloser(strings.NewReader(tt.body)),
				}, nil
			}
			client := &cluster.Client{HTTP: roundTripper(answer), BaseURL: "http://x"}
			_, err := cluster.Resolve(client, t.Context(), "m", false)
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
