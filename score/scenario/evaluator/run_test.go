package evaluator_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/score/scenario/cluster"
	"github.com/exodeck/exodeck/score/scenario/evaluator"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/google/go-cmp/cmp"
)

// exchange is a scripted request and its answer.
type exchange struct {
	Method, Path string
	Body         json.RawMessage
	Status       int
	Response     json.RawMessage
	Fault        string
}

// stage answers requests as a recorded run of exo's script saw them answered.
type stage struct {
	t *testing.T
	// order holds words of the questions in the order in which they are answered, for runs with several at once.
	order []string

	mu       sync.Mutex
	replies  map[string][]exchange
	answered int // tasks
	changed  *sync.Cond
}

func newStage(t *testing.T, script []exchange) *stage {
	s := &stage{t: t, replies: map[string][]exchange{}}
	s.changed = sync.NewCond(&s.mu)
	for _, x := range script {
		key := stageKey(x.Method, x.Path, x.Body)
		s.replies[key] = append(s.replies[key], x)
	}
	return s
}

// stageKey names a request. Of control calls the path is enough.
func stageKey(method, path string, body []byte) string {
	if !strings.HasPrefix(path, "/v1/") {
		return method + " " + path
	}
	return method + " " + path + " " + asciiJSON(body)
}

// asciiJSON is body as Python's compact ASCII JSON.
func asciiJSON(body []byte) string {
	v, err := pyjson.Decode(body)
	if err != nil {
		return string(body)
	}
	text, err := pyjson.Encode(v, pyjson.Options{ItemSep: ",", KeySep: ":", EnsureASCII: true, AllowNaN: true})
	if err != nil {
		return string(body)
	}
	return string(text)
}

func (s *stage) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	key := stageKey(req.Method, req.URL.RequestURI(), body)
	s.mu.Lock()
	queue := s.replies[key]
	x := exchange{Status: 404, Response: json.RawMessage(`{}`)}
	if len(queue) > 0 {
		x = queue[0]
		if len(queue) > 1 || req.Method != http.MethodGet {
			s.replies[key] = queue[1:]
		}
	}
	if turn := slices.IndexFunc(s.order, func(words string) bool { return bytes.Contains(body, []byte(words)) }); turn >= 0 {
		for s.answered < turn {
			s.changed.Wait()
		}
	}
	s.mu.Unlock()
	content := io.Reader(strings.NewReader(responseText(s.t, x.Response)))
	switch x.Fault {
	case "hang":
		return nil, os.ErrDeadlineExceeded
	case "refused":
		return nil, syscall.ECONNREFUSED
	case "close":
		return nil, io.EOF
	case "reset":
		return nil, syscall.ECONNRESET
	case "incomplete_chunked":
		x.Status, content = 200, iotest.ErrReader(io.ErrUnexpectedEOF)
	}
	phrase := http.StatusText(x.Status)
	if x.Status == 422 {
		phrase = "Unprocessable Content" // RFC 9110's name, which Python took over in 3.13
	}
	elapsed := 10*time.Millisecond + time.Duration(len(asciiJSON(body))%64)*500*time.Microsecond
	return &http.Response{
		Status:     strconv.Itoa(x.Status) + " " + phrase,
		StatusCode: x.Status, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: -1, Request: req,
		Body: timed{io.NopCloser(content), elapsed},
	}, nil
}

// done counts a task that has its answer.
func (s *stage) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answered++
	s.changed.Broadcast()
}

// responseText is the body of an answer: a text as it is, anything else as JSON.
func responseText(t *testing.T, response json.RawMessage) string {
	if len(response) == 0 {
		return ""
	}
	if response[0] != '"' {
		return string(response)
	}
	v, err := pyjson.Decode(response)
	if err != nil {
		t.Fatal(err)
	}
	return string(v.(pyvalue.Str))
}

// timed is a body that knows how long its exchange took.
type timed struct {
	io.ReadCloser
	elapsed time.Duration
}

func (timed) Exchange() tape.Ref       { return tape.Ref{} }
func (t timed) Elapsed() time.Duration { return t.elapsed }

// config is what exo's script is called with.
type config struct {
	cluster             cluster.Options
	api                 string
	scenarios           []string
	repeat, concurrency int
	timeout             time.Duration
	toStdout, verbose   bool
	jsonOut             string
}

// parse reads the flags of exo's script.
func parse(t *testing.T, args []string) config {
	c := config{cluster: cluster.DefaultOptions(), api: "all", repeat: 1, concurrency: 1}
	for i := 0; i < len(args); i++ {
		value := func() string { i++; return args[i] }
		number := func() float64 {
			n, err := strconv.ParseFloat(value(), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		switch arg := args[i]; arg {
		case "--host", "--port":
			value()
		case "--model":
			c.cluster.Model = value()
		case "--force-download":
			c.cluster.ForceDownload = true
		case "--min-nodes":
			c.cluster.MinNodes = int(number())
		case "--max-nodes":
			c.cluster.MaxNodes = int(number())
		case "--instance-meta":
			c.cluster.Meta = value()
		case "--sharding":
			c.cluster.Sharding = value()
		case "--skip-pipeline-jaccl":
			c.cluster.SkipPipelineJaccl = true
		case "--skip-tensor-ring":
			c.cluster.SkipTensorRing = true
		case "--settle-timeout":
			c.cluster.SettleTimeout = time.Duration(number() * float64(time.Second))
		case "--danger-delete-downloads":
			c.cluster.DeleteDownloads = true
		case "--reuse-instance":
			c.cluster.ReuseInstance = true
		case "--timeout":
			c.timeout = time.Duration(number() * float64(time.Second))
		case "--api":
			c.api = value()
		case "--repeat":
			c.repeat = int(number())
		case "--concurrency":
			c.concurrency = int(number())
		case "--stdout":
			c.toStdout = true
		case "--verbose":
			c.verbose = true
		case "--json-out":
			c.jsonOut = value()
		case "--scenarios":
			for i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
				c.scenarios = append(c.scenarios, value())
			}
		default:
			t.Fatalf("flag %q", arg)
		}
	}
	return c
}

// outcome is what a run leaves.
type outcome struct {
	stdout, json string // json without the key "exodeck"
	exit         int
	err          error
}

// program runs the evaluator as the command does.
func program(t *testing.T, s *stage, c config, file *scenario.File) outcome {
	var out outcome
	var stdout bytes.Buffer
	// With --stdout the result goes where the log goes otherwise.
	log := io.Writer(&stdout)
	if c.toStdout {
		log = io.Discard
	}
	selected, _ := file.Select(c.scenarios)
	if len(selected) == 0 {
		out.exit = score.ExitMissing
		return out
	}
	apis, err := scenario.APIsOf(c.api)
	if err != nil {
		t.Fatal(err)
	}
	var clock cluster.Clock
	run := evaluator.Evaluator{
		Settings: scenario.Settings{BaseURL: "http://127.0.0.1:1", Model: c.cluster.Model, APIs: apis, Repeat: c.repeat,
			Stream: scenario.StreamOff, Cluster: &c.cluster},
		Scenarios:   selected,
		Client:      s,
		Concurrency: c.concurrency,
		Timeout:     c.timeout,
		Text:        taskWriter{log, s},
		Cluster:     cluster.Client{Now: clock.Now, Sleep: clock.Sleep},
	}
	if c.verbose {
		run.Verbose = io.Discard
	}
	result, err := run.Run(t.Context())
	if result != nil {
		data, err := report.JSON(score.RunFile{Verdicts: result.Verdicts}, result.Snapshot)
		if err != nil {
			t.Fatal(err)
		}
		// exo's file is ours without the last key.
		i := bytes.LastIndex(data, []byte(",\n  \"exodeck\": "))
		out.json = strings.ReplaceAll(string(data[:i])+"\n}\n", "127.0.0.1:1/", "127.0.0.1:PORT/")
		if c.toStdout {
			stdout.WriteString(out.json)
		} else if err := result.Text.Written(c.jsonOut); err != nil {
			t.Fatal(err)
		}
		out.exit = score.ExitStatus(result.Verdicts)
	}
	if out.err = err; err != nil {
		out.exit = 4
	}
	out.stdout = strings.ReplaceAll(stdout.String(), "127.0.0.1:1", "127.0.0.1:PORT")
	return out
}

// taskWriter tells the stage when a task has been printed.
type taskWriter struct {
	io.Writer
	stage *stage
}

func (w taskWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("    [ tool_call]")) {
		w.stage.done()
	}
	return w.Writer.Write(p)
}

// run is a row of run.jsonl.
type run struct {
	Run      string
	Argv     []string
	Exit     int `json:"exit_code"`
	Stdout   string
	Stderr   string
	JSON     *string `json:"json_text"`
	Requests []struct {
		exchange
		Repeats int
	}
}

// Flags are the command's, and so are the errors about them.
var flagRuns = []string{"concurrency_0", "concurrency_negative", "missing_model_arg", "bad_api_choice", "bad_repeat", "bad_env_port"}

// cannotRun are the runs that exo's script ends with status 1 before it asks anything, and we with 4.
var cannotRun = map[string]string{
	"model_hf_id_wrong_case":       "Model not found in /models: MLX-COMMUNITY/QWEN3-0.6B-4BIT",
	"model_not_found":              "Model not found in /models: ",
	"no_placements":                "No valid placements matched your filters.",
	"no_placements_settle":         "No valid placements matched your filters.",
	"runner_failed":                "Failed to initialize placement: Runner ",
	"runner_failed_null_message":   "Failed to initialize placement: Runner ",
	"instance_vanishes":            "Failed to initialize placement: Instance i-1 was deleted (runner may have failed)",
	"create_instance_400":          "HTTP 400 Bad Request: {\"error\":",
	"server_down":                  "connection refused",
	"download_failed":              "Download failed on 12D3KooWNodeAAAA: HTTP 403",
	"insufficient_disk":            "Insufficient disk on 12D3KooWNodeAAAA: need 0GB, have 0GB. Use --danger-delete-downloads to free space.",
	"danger_delete_not_enough":     "Could not free enough space on 12D3KooWNodeAAAA",
	"force_download_not_forwarded": "adding the model ",
}

// different are the runs in which exo's script has a bug; each has a test of its own below.
var different = []string{"repeat_0_division_by_zero", "openai_response_without_choices_crashes", "concurrency_crash",
	"delete_500_raises", "instance_never_gone", "unknown_scenario"}

func TestVectorRuns(t *testing.T) {
	file, err := scenario.Load(shared.Dir(t, "data", "exo", "scenarios.toml"))
	if err != nil {
		t.Fatal(err)
	}
	compared, flags, others := 0, 0, 0
	shared.Lines(t, "golden/exo/eval_golden/run.jsonl", func(line int, r run) {
		if slices.Contains(flagRuns, r.Run) {
			flags++
			return
		}
		var script []exchange
		for _, q := range r.Requests {
			for range max(q.Repeats, 1) {
				script = append(script, q.exchange)
			}
		}
		t.Run(r.Run, func(t *testing.T) {
			s := newStage(t, script)
			c := parse(t, r.Argv)
			switch r.Run {
			case "env_host_port":
				c.jsonOut = "bench/eval_results.json"
			case "concurrency_3":
				s.order = []string{"electronics under", "3847 * 926", "capital of Japan", "joke about cats", "weather like in Tokyo"}
			case "server_down":
				s.replies["GET /models"] = []exchange{{Fault: "refused"}}
			}
			got := program(t, s, c, file)
			if slices.Contains(different, r.Run) {
				others++
				checkDifferent(t, r, got)
				return
			}
			compared++
			if diff := cmp.Diff(r.Stdout, got.stdout); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			wantJSON := ""
			if r.JSON != nil {
				wantJSON = *r.JSON
			}
			if r.Run == "concurrency_3" {
				// exo's file has the order of completion, ours that of the samples.
				wantJSON, got.json = sortedResults(t, wantJSON), sortedResults(t, got.json)
			}
			if !c.toStdout {
				if diff := cmp.Diff(wantJSON, got.json); diff != "" {
					t.Errorf("result file (-want +got):\n%s", diff)
				}
			}
			wantExit := r.Exit
			if want, ok := cannotRun[r.Run]; ok {
				wantExit = 4
				if got.err == nil || !strings.Contains(got.err.Error(), want) {
					t.Errorf("error %v, want %q", got.err, want)
				}
			} else if got.err != nil {
				t.Errorf("error %v", got.err)
			}
			if got.exit != wantExit {
				t.Errorf("exit status %d, want %d", got.exit, wantExit)
			}
		})
	})
	if compared != 55 || flags != 6 || others != 6 {
		t.Errorf("compared %d runs, left %d to the command, %d differ; want 55, 6, 6", compared, flags, others)
	}
}

// checkDifferent says what ours does where exo's script ends with an exception.
func checkDifferent(t *testing.T, r run, got outcome) {
	switch r.Run {
	case "unknown_scenario":
		if got.exit != score.ExitMissing || got.stdout != "" {
			t.Errorf("exit status %d, stdout %q", got.exit, got.stdout)
		}
	case "repeat_0_division_by_zero":
		// The command refuses it; the suite takes it for 1.
		if got.err != nil || !strings.Contains(got.stdout, "Total: ") {
			t.Errorf("error %v, stdout\n%s", got.err, got.stdout)
		}
	case "openai_response_without_choices_crashes", "concurrency_crash":
		if got.err != nil || got.exit != score.ExitFailed || !strings.Contains(got.json, "Unusable answer: ") ||
			!strings.Contains(got.stdout, "Total:       0/2 passed") {
			t.Errorf("error %v, exit status %d, stdout\n%s", got.err, got.exit, got.stdout)
		}
	case "delete_500_raises", "instance_never_gone":
		// The results are kept although the instance is not gone.
		want := "HTTP 500 "
		if r.Run == "instance_never_gone" {
			want = "Instance i-1 did not get deleted within timeout=3.0"
		}
		if got.exit != 4 || got.err == nil || !strings.Contains(got.err.Error(), want) {
			t.Errorf("exit status %d, error %v", got.exit, got.err)
		}
		if got.json == "" || !strings.HasPrefix(got.stdout, r.Stdout) {
			t.Errorf("stdout\n%s\nwant it to begin with\n%s", got.stdout, r.Stdout)
		}
	default:
		t.Fatal(errors.New("no expectation for " + r.Run))
	}
}

// sortedResults is a result file with its results in the order of their names.
func sortedResults(t *testing.T, text string) string {
	v, err := pyjson.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	results, _ := v.(*pyvalue.Dict).GetStr("results")
	slices.SortFunc(results.(*pyvalue.List).Items, func(a, b pyvalue.Value) int {
		return strings.Compare(pyvalue.Repr(a), pyvalue.Repr(b))
	})
	return pyvalue.Repr(v)
}
