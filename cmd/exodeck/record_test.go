package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/watch"
)

// recording is `exodeck record` while it runs within the test.
type recording struct {
	banner string
	path   string // of the tape
	stop   func() (status int, stderr string)
}

// startRecord runs `exodeck record` until its banner is there.
func startRecord(t *testing.T, args ...string) *recording {
	t.Helper()
	dir := t.TempDir()
	r := &recording{path: filepath.Join(dir, "test.tape")}
	pr, pw := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	status := make(chan int, 1)
	go func() {
		e := testEnv(dir, pw)
		status <- run(ctx, append([]string{"exodeck", "record", "--tape", r.path, "--listen", "127.0.0.1:0"}, args...), e)
		pw.Close()
	}()
	lines := bufio.NewScanner(pr)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Ctrl-C") {
		r.banner += lines.Text() + "\n"
	}
	var rest bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
			rest.WriteString(lines.Text() + "\n")
		}
	}()
	r.stop = func() (int, string) {
		cancel()
		code := <-status
		<-read
		return code, rest.String()
	}
	t.Cleanup(func() {
		cancel()
		<-read
	})
	return r
}

func testEnv(home string, stderr io.Writer) env {
	return env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr, getenv: func(name string) string {
		if name == "EXODECK_HOME" {
			return home
		}
		return ""
	}}
}

// shown finds a value of the banner.
func (r *recording) shown(t *testing.T, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(r.banner)
	if m == nil {
		t.Fatalf("the banner has nothing like %q:\n%s", pattern, r.banner)
	}
	return m[1]
}

// exchangeLines are the exchanges of a tape as `tape ls` lists them, each as "upstream label, method, URL".
func exchangeLines(t *testing.T, path string) []string {
	t.Helper()
	output := func(args ...string) string {
		var out, stderr bytes.Buffer
		e := testEnv(t.TempDir(), &stderr)
		e.stdout = &out
		if status := run(t.Context(), append([]string{"exodeck"}, args...), e); status != 0 {
			t.Fatalf("%v: exit status %d: %s", args, status, stderr.String())
		}
		return out.String()
	}
	var stats struct {
		Sessions []struct {
			Name, Upstream string
			Labels         map[string]string
		}
	}
	if err := json.Unmarshal([]byte(output("tape", "stats", "--tape", path, "--format", "json")), &stats); err != nil {
		t.Fatal(err)
	}
	labels := make(map[string]string)
	for _, s := range stats.Sessions {
		labels[s.Name] = s.Labels["upstream"]
	}
	var lines []string
	for line := range strings.Lines(output("tape", "ls", "--tape", path, "--format", "json")) {
		var x struct {
			Session, Method, URL string
			Labels               map[string]string
		}
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %v", labels[x.Session], x.Method, x.URL, x.Labels))
	}
	slices.Sort(lines)
	return lines
}

func get(t *testing.T, client *http.Client, url string) (int, string) {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestRecordSeveralUpstreams records two named upstreams, one of them through a listener of its own, and a host that is forwarded to.
func TestRecordSeveralUpstreams(t *testing.T) {
	serve := func(name string) *httptest.Server {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s %s", name, r.RequestURI) }))
		t.Cleanup(srv.Close)
		return srv
	}
	gpu, cpu, far := serve("gpu"), serve("cpu"), serve("far")
	r := startRecord(t, "--upstream", "gpu="+gpu.URL, "--upstream", "cpu="+cpu.URL, "--listen-for", "cpu=127.0.0.1:0",
		"--forward", "--allow-host", "127.0.0.1", "--admin", "127.0.0.1:0", "--label", "bench=a", "--log-level", "warn")
	if want := "recording gpu=" + gpu.URL + ", cpu=" + cpu.URL + ", forward to 127.0.0.1 to "; !strings.HasPrefix(r.banner, want) {
		t.Errorf("the banner does not begin with %q:\n%s", want, r.banner)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	root := r.shown(t, `HTTP_PROXY=(\S+)`)
	proxied := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: func(*http.Request) (*url.URL, error) { return url.Parse(root) }}}
	cpuPort := r.shown(t, `EXO_PORT=(\d+)`) // only cpu is reached without a prefix
	for _, q := range []struct {
		client *http.Client
		url    string
		want   string
	}{
		{client, r.shown(t, `OPENAI_BASE_URL=(\S+/gpu/v1)`) + "/models", "gpu /v1/models"},
		{client, "http://" + net.JoinHostPort("127.0.0.1", cpuPort) + "/state", "cpu /state"},
		{client, root + "/cpu/models?a=b", "cpu /models?a=b"},
		{proxied, far.URL + "/v1/models", "far /v1/models"},
	} {
		if status, body := get(t, q.client, q.url); status != 200 || body != q.want {
			t.Errorf("%s: %d %s, want %s", q.url, status, body, q.want)
		}
	}
	if status, body := get(t, client, root+"/models"); status != 404 || !strings.Contains(body, "/gpu or /cpu") {
		t.Errorf("a path of no upstream: %d %s", status, body)
	}
	if status, body := get(t, proxied, "http://192.0.2.7/v1/models"); status != 403 || !strings.Contains(body, "--allow-host 192.0.2.7") {
		t.Errorf("a host that is not allowed: %d %s", status, body)
	}
	if status, body := get(t, client, r.shown(t, `(http://\S+/healthz)`)); status != 200 || body != "ok\n" {
		t.Errorf("healthz: %d %q", status, body)
	}
	if _, body := get(t, client, r.shown(t, `(http://\S+/metrics)`)); !strings.Contains(body, `exodeck_exchanges_total{api="control",ended="complete",status="2xx"} 4`) {
		t.Errorf("metrics:\n%s", body)
	}
	status, stderr := r.stop()
	if status != 0 || strings.Contains(stderr, "msg=exchange") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	want := []string{
		"cpu GET /models?a=b map[bench:a]",
		"cpu GET /state map[bench:a]",
		"forward GET /v1/models map[bench:a]",
		"gpu GET /v1/models map[bench:a]",
	}
	if got := exchangeLines(t, r.path); !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

func TestRecordForwardOnly(t *testing.T) {
	r := startRecord(t, "--forward", "--allow-host", "exo.local")
	if !strings.HasPrefix(r.banner, "recording forward to exo.local to ") || strings.Contains(r.banner, "OPENAI_BASE_URL") {
		t.Errorf("the banner:\n%s", r.banner)
	}
	status, body := get(t, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, r.shown(t, `HTTP_PROXY=(\S+)`)+"/models")
	if status != 403 || !strings.Contains(body, "--upstream URL") {
		t.Errorf("%d %s", status, body)
	}
	if status, stderr := r.stop(); status != 0 {
		t.Errorf("exit status %d: %s", status, stderr)
	}
}

// TestRecordCommandSeesItsProxy looks at the variables of a wrapped command.
func TestRecordCommandSeesItsProxy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	for _, tt := range []struct {
		name string
		args []string
		want string // of the output, with addresses cut down to their paths
	}{
		{"one upstream", nil, "openai /v1 port yes proxy no"},
		{"named", []string{"--upstream", "gpu=localhost:1", "--upstream", "cpu=localhost:2"}, "openai /gpu/v1 port no proxy no"},
		{"named, with a port", []string{"--upstream", "gpu=localhost:1", "--listen-for", "gpu=127.0.0.1:0"}, "openai /v1 port yes proxy no"},
		{"forward", []string{"--forward", "--allow-host", "exo"}, "openai none port no proxy yes"},
		{"both", []string{"--forward", "--allow-host", "exo", "--upstream", "localhost:1"}, "openai /v1 port yes proxy yes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"OPENAI_BASE_URL", "EXO_PORT", "HTTP_PROXY", "http_proxy"} {
				t.Setenv(name, "") // those of whoever runs the test
			}
			dir := t.TempDir()
			stderr, err := os.Create(filepath.Join(dir, "stderr")) // which the program writes to, too
			if err != nil {
				t.Fatal(err)
			}
			defer stderr.Close()
			var out bytes.Buffer
			e := testEnv(dir, stderr)
			e.stdout = &out
			args := slices.Concat([]string{"exodeck", "record", "--listen", "127.0.0.1:0", "--tape", filepath.Join(dir, "test.tape")}, tt.args,
				[]string{"--", "sh", "-c", `echo openai ${OPENAI_BASE_URL:-none} port ${EXO_PORT:+yes} ${EXO_PORT:-no} proxy ${HTTP_PROXY:+yes} ${http_proxy:-no}`})
			if status := run(t.Context(), args, e); status != 0 {
				said, err := os.ReadFile(stderr.Name())
				t.Fatalf("exit status %d: %s (%v)", status, said, err)
			}
			got := regexp.MustCompile(`http://127\.0\.0\.1:\d+| \d+`).ReplaceAllString(out.String(), "")
			if got = strings.Join(strings.Fields(got), " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRecordTakenAddress(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	taken := ln.Addr().String()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", taken}, "choose another port with --listen 127.0.0.1:0"},
		{[]string{"--listen", "127.0.0.1:0", "--upstream", "gpu=localhost:1", "--listen-for", "gpu=" + taken}, "choose another port with --listen-for gpu=127.0.0.1:0"},
		{[]string{"--listen", "127.0.0.1:0", "--admin", taken}, "choose another port with --admin 127.0.0.1:0"},
	} {
		var stderr bytes.Buffer
		dir := t.TempDir()
		status := run(t.Context(), append([]string{"exodeck", "record", "--tape", filepath.Join(dir, "test.tape")}, tt.args...), testEnv(dir, &stderr))
		if status != exitCannotRun || !strings.Contains(stderr.String(), tt.want) {
			t.Errorf("%v: exit status %d: %s", tt.args, status, stderr.String())
		}
	}
}

func TestRecordRefusesFlags(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--forward"}, "--forward needs --allow-host HOST[:PORT]"},
		{[]string{"--allow-host", "exo"}, "add --forward"},
		{[]string{"--forward", "--allow-host", "*"}, "write HOST or HOST:PORT"},
		{[]string{"--forward", "--allow-host", "exo:http"}, `"http" is no port`},
		{[]string{"--upstream", "a=localhost:1", "--upstream", "a=localhost:2"}, "two upstreams are called a"},
		{[]string{"--upstream", "localhost:1", "--upstream", "localhost:2"}, "write all but one as NAME=URL"},
		{[]string{"--upstream", "v1=localhost:1"}, "choose another name"},
		{[]string{"--upstream", "forward=localhost:1"}, "choose another name"},
		{[]string{"--upstream", "a b=localhost:1"}, "use letters, digits"},
		{[]string{"--listen-for", "127.0.0.1:0"}, "write it like gpu=127.0.0.1:52417"},
		{[]string{"--listen-for", "gpu=127.0.0.1:0"}, "add --upstream gpu=URL"},
		{[]string{"--upstream", "gpu=localhost:1", "--listen-for", "gpu=:0"}, "add --allow-remote"},
		{[]string{"--admin", "0.0.0.0:9100"}, "read the metrics; add --allow-remote"},
		{[]string{"--admin", "9100"}, "is no address and port"},
		{[]string{"--log-level", "loud"}, "--log-level is debug, info, warn or error"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			var stderr bytes.Buffer
			dir := t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			status := run(ctx, append([]string{"exodeck", "record", "--tape", filepath.Join(dir, "refused.tape")}, tt.args...), testEnv(dir, &stderr))
			if status != exitUsage || !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("exit status %d: %s", status, stderr.String())
			}
			if names, _ := filepath.Glob(filepath.Join(dir, "refused*")); len(names) > 0 {
				t.Errorf("left behind: %q", names)
			}
		})
	}
}

func TestLeftOut(t *testing.T) {
	for _, tt := range []struct {
		totals watch.Totals
		want   string
	}{
		{watch.Totals{Judged: 9}, ""},
		{watch.Totals{Dropped: 2}, "left out: 2 that there was no time to judge; exodeck score conformance --tape 'a b.tape' judges all that is on the tape"},
		{watch.Totals{Dropped: 2, Unread: 1, LastError: io.ErrUnexpectedEOF}, "left out: 2 that there was no time to judge, 1 that could not be read (unexpected EOF); exodeck score conformance --tape 'a b.tape' judges all that is on the tape"},
	} {
		if got := leftOut(tt.totals, "a b.tape"); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.totals, got, tt.want)
		}
	}
}

// TestProblemLine: what is told of a problem is short and safe for a terminal, has the evidence for this problem alone, and the call that was
// meant where a text came in its place.
func TestProblemLine(t *testing.T) {
	server := conformance.Server
	r := &conformance.Report{
		Session: "s1", Seq: 7, API: tape.OpenAI, Blame: &server,
		Evidence: []string{"call-in-content: it stands in the text", "empty-answer: it ended at once", "the stream (s1/6) got it right"},
		Recovered: []conformance.Intended{
			{Family: "hermes", Name: "get\u009btide", Arguments: []byte(`{"port":"` + strings.Repeat("Vigo ", 200) + `"}`), From: "text"},
			{Family: "hermes", Name: "get_wind", Arguments: []byte(`{}`), From: "text"},
		},
	}
	for _, tt := range []struct {
		problem conformance.Problem
		want    string
	}{
		{conformance.Problem{Code: "call-in-content", Severity: conformance.Error, Group: conformance.Content, Detail: "a call\nof\x1b[2J it"},
			`error    s1/7  openai  call-in-content: a call of\x1b[2J it; meant get\u009btide {"port":"Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo Vigo … (hermes, in the text) and 1 more; blame server, because it stands in the text; the stream (s1/6) got it right`},
		{conformance.Problem{Code: "usage-mismatch", Severity: conformance.Warning, Group: conformance.Protocol, Detail: strings.Repeat("9 ", 400)},
			`warning  s1/7  openai  usage-mismatch: ` + strings.Repeat("9 ", 119) + `9…; blame server, because the stream (s1/6) got it right`},
	} {
		l := lineOf(r, &tt.problem)
		if got := l.text(); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

// TestProblemLineBlame: the fault of the exchange is told with its gravest problems; a warning beside an error has its own side.
func TestProblemLineBlame(t *testing.T) {
	model := conformance.Model
	mistake := conformance.Problem{Code: "unknown-tool", Severity: conformance.Error, Side: conformance.Server}
	warning := conformance.Problem{Code: "missing-usage", Severity: conformance.Warning, Side: conformance.Server}
	for _, tt := range []struct {
		name     string
		problems []conformance.Problem
		want     []conformance.Side
	}{
		{"an error and a warning", []conformance.Problem{mistake, warning}, []conformance.Side{conformance.Model, conformance.Server}},
		{"a warning alone", []conformance.Problem{warning}, []conformance.Side{conformance.Model}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &conformance.Report{Blame: &model, Problems: tt.problems}
			for i, want := range tt.want {
				if got := lineOf(r, &r.Problems[i]).blame; got != want {
					t.Errorf("%s is laid at %q, want %q", r.Problems[i].Code, got, want)
				}
			}
		})
	}
}
