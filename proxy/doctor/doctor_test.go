package doctor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/doctor"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// setting is a machine to examine: exo, an exodeck that records in front of it, and the files.
type setting struct {
	doctor.Config
	exo *standin.Server
}

// newSetting makes one in which all is well. adjust may change the configuration of the proxy, nil starts none.
func newSetting(t *testing.T, adjust func(*proxy.Config)) *setting {
	t.Helper()
	dir := t.TempDir()
	s := &setting{exo: standin.New(standin.Options{})}
	if err := s.exo.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.exo.Close() })
	s.Config = doctor.Config{
		Upstream: parse(t, s.exo.URL()), Listen: deadAddress, Tape: filepath.Join(dir, "a.tape"), StateDir: filepath.Join(dir, "state"),
		Start: "exodeck record", Timeout: time.Minute,
	}
	if _, err := record.LoadKey(s.StateDir); err != nil {
		t.Fatal(err)
	}
	if adjust != nil {
		s.Listen = s.record(t, s.Tape, adjust)
	}
	return s
}

// record starts a proxy that records and returns its address.
func (s *setting) record(t *testing.T, path string, adjust func(*proxy.Config)) string {
	t.Helper()
	d := decktest.New(t, path, tape.Session{Upstream: s.Upstream.String()})
	cfg := proxy.Config{Upstream: s.Upstream, Session: d.Session, Redactor: decktest.Redactor(), Log: slog.New(slog.DiscardHandler)}
	adjust(&cfg)
	server, err := proxy.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	base, _ := decktest.Serve(t, server)
	return strings.TrimPrefix(base, "http://")
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// deadAddress is one that nothing listens on. A port that was just freed would be given to the next listener, and then be alive.
const deadAddress = "127.0.0.1:1"

// serve starts a server that answers as h does.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

func straight(*proxy.Config) {}

// examined is what Examine says, as lines, for one check or for all.
func examined(s *setting, name string) string {
	var lines []string
	for _, c := range doctor.Examine(context.Background(), s.Config) {
		if name == "" || c.Name == name {
			lines = append(lines, fmt.Sprintf("%s %s: %s → %s", c.Status, c.Name, c.Detail, c.Next))
		}
	}
	return strings.Join(lines, "\n")
}

func TestAllWell(t *testing.T) {
	s := newSetting(t, straight)
	got := examined(s, "")
	for _, want := range []string{
		`^ok upstream: exo answers at http://127.0.0.1:\d+ as node \S+ \(its API tells no version\) → $`,
		`^ok models: \d+(: | are known, \d+ downloaded: ).* → $`,
		`^ok instances: 1: ` + regexp.QuoteMeta(standin.DefaultModel) + ` → $`,
		`^ok proxy: GET /models through 127.0.0.1:\d+ is exchange \S+/1 of .*a.tape \([0-9.]+ ms\) → $`,
		`^ok tape: .*a.tape holds 1 exchanges of 1 sessions; .* is recording on it → $`,
		`^(ok|warning) disk: \d+\.\d GB are free for .*a.tape → `,
		`^ok key: in .*state → $`,
	} {
		if !regexp.MustCompile("(?m)" + want).MatchString(got) {
			t.Errorf("nothing matches %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "problem ") {
		t.Errorf("a problem where there is none:\n%s", got)
	}
}

// The label does not reach exo, and nothing else does that could do harm.
func TestHarmless(t *testing.T) {
	s := newSetting(t, straight)
	examined(s, "")
	log := s.exo.Log()
	if len(log) == 0 {
		t.Fatal("exo was asked nothing")
	}
	for _, r := range log {
		if r.Method != http.MethodGet || r.Header.Get(record.LabelHeader) != "" {
			t.Errorf("%s %s %v", r.Method, r.Target, r.Header)
		}
	}
}

func TestFindings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		adjust func(*proxy.Config) // nil: no proxy
		change func(t *testing.T, s *setting)
		check  string
		want   string
	}{
		{"nothing answers", nil, func(t *testing.T, s *setting) { s.Upstream = parse(t, "http://127.0.0.1:2") }, "upstream",
			`^problem upstream: nothing answers at http://127.0.0.1:\d+: .*refused → start exo, or name where it is with --upstream URL$`},
		{"the upstream is the proxy", straight, func(t *testing.T, s *setting) { s.Upstream = parse(t, "http://localhost:"+port(s.Listen)) }, "upstream",
			`^problem upstream: http://localhost:\d+ is the address that exodeck listens on: it would ask itself → name exo's own address with --upstream`},
		{"a model server that is not exo", nil, func(t *testing.T, s *setting) {
			s.Upstream = parse(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Server", "llama.cpp")
				if r.URL.Path != "/v1/models" {
					http.NotFound(w, r)
					return
				}
				io.WriteString(w, `{"data":[{"id":"org/Tide-1B"}]}`)
			}).URL)
		}, "upstream", `^warning upstream: what answers at \S+ is a model server, but not exo \(it calls itself "llama.cpp"\) → record it if that is meant`},
		{"no model server", nil, func(t *testing.T, s *setting) {
			s.Upstream = parse(t, serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }).URL)
		}, "upstream", `^problem upstream: what answers at \S+ is neither exo nor another model server → name where exo is with --upstream URL$`},
		{"no model is loaded", nil, func(t *testing.T, s *setting) {
			exo := standin.New(standin.Options{Cluster: &standin.Cluster{Nodes: standin.OneNode().Nodes, Models: standin.OneNode().Models}})
			s.Upstream = parse(t, serve(t, exo.ServeHTTP).URL)
		}, "instances", `^warning instances: no model is loaded: .* → exodeck run exo --model NAME`},
		{"nothing listens", nil, nil, "proxy", `^warning proxy: nothing listens on 127.0.0.1:\d+: nothing is being recorded there → exodeck record$`},
		{"something else listens", nil, func(t *testing.T, s *setting) {
			srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Server", "nginx")
				io.WriteString(w, "hello")
			})
			s.Listen = srv.Listener.Addr().String()
		}, "proxy", `^problem proxy: what listens on \S+ is no exodeck \(it calls itself "nginx"\): nothing is recorded there → stop it, or choose another port: `},
		{"exo itself listens", nil, func(t *testing.T, s *setting) {
			srv := serve(t, standin.New(standin.Options{}).ServeHTTP)
			s.Listen = srv.Listener.Addr().String()
		}, "proxy", `^problem proxy: what listens on \S+ is no exodeck \(it calls itself "hypercorn-h11"\): nothing is recorded there`},
		{"what listens is mute", nil, func(t *testing.T, s *setting) {
			srv := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			s.Listen, s.Timeout = srv.Listener.Addr().String(), time.Second
		}, "proxy", `^problem proxy: what is on \S+ gives no answer: no answer within 1s → see what it is`},
		{"exodeck records on another tape", straight, func(t *testing.T, s *setting) { s.Tape += "2" }, "proxy",
			`^problem proxy: an exodeck listens on \S+, but does not record on \S+a.tape2 → name the tape that it records on with --tape$`},
		{"exodeck has named upstreams only", func(c *proxy.Config) {
			c.Named = []proxy.Named{{Name: "gpu", URL: c.Upstream, Session: c.Session}}
			c.Upstream, c.Session = nil, nil
		}, nil, "proxy", `^warning proxy: an exodeck listens on \S+, but answers GET /models with status 404: no upstream serves this path: use /gpu .* → do what it says`},
		{"exodeck stands before another exo", func(c *proxy.Config) {}, func(t *testing.T, s *setting) {
			s.Upstream = parse(t, serve(t, standin.New(standin.Options{}).ServeHTTP).URL)
		}, "proxy", `^warning proxy: GET /models .* is exchange \S+/1 of \S+, but went to http://127.0.0.1:\d+, not to http://127.0.0.1:\d+ → name with --upstream what is meant$`},
		{"exo is gone behind exodeck", straight, func(t *testing.T, s *setting) { s.exo.Close() }, "proxy",
			`^problem proxy: GET /models .* is exchange \S+/1 of \S+, but has status 502: .* → see above about the upstream$`},
		{"a forward proxy", func(c *proxy.Config) {
			c.Forward = &proxy.Forward{Hosts: []proxy.Host{{Name: "exo.local"}}, Session: c.Session}
		}, func(t *testing.T, s *setting) { s.Tape += "2" }, "proxy", `^problem proxy: an exodeck listens on \S+, but does not record on`},
		{"no tape yet", nil, nil, "tape", `^ok tape: \S+a.tape is not there yet; recording makes it → $`},
		{"no place for a tape", nil, func(t *testing.T, s *setting) { s.Tape = filepath.Join(t.TempDir(), "gone", "a.tape") }, "tape",
			`^problem tape: \S+a.tape is not there, and cannot be made: .* → choose another place with --tape FILE$`},
		{"no tape at all", nil, func(t *testing.T, s *setting) { write(t, s.Tape, "a note") }, "tape",
			`^problem tape: \S+a.tape cannot be read: .*not a tape.* → name a file made by exodeck record$`},
		{"nobody records", nil, func(t *testing.T, s *setting) {
			r, err := tape.OpenRecorder(t.Context(), s.Tape, tape.RecorderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}, "tape", `^ok tape: \S+a.tape holds 0 exchanges of 0 sessions; nobody is recording on it → $`},
		{"no key yet", nil, func(t *testing.T, s *setting) { s.StateDir += "2" }, "key", `^ok key: there is none in \S+state2 yet; the first recording makes it → $`},
		{"half a key", nil, func(t *testing.T, s *setting) { write(t, key(t, s), "short") }, "key", `^problem key: .*5 bytes instead of 32.* → mend it`},
		{"a key for all to read", nil, func(t *testing.T, s *setting) {
			if err := os.Chmod(key(t, s), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "key", `^warning key: others can read \S+, .* → chmod 600 \S+$`},
		{"no home", nil, func(t *testing.T, s *setting) { s.StateDir = "" }, "key", `^problem key: no folder .* → set EXODECK_HOME to one$`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSetting(t, tt.adjust)
			if tt.change != nil {
				tt.change(t, s)
			}
			if got := examined(s, tt.check); !regexp.MustCompile(tt.want).MatchString(got) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func port(address string) string {
	_, p, _ := net.SplitHostPort(address)
	return p
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func key(t *testing.T, s *setting) string {
	t.Helper()
	keys, err := filepath.Glob(filepath.Join(s.StateDir, "*.key"))
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	return keys[0]
}

func TestVariables(t *testing.T) {
	const listen = "127.0.0.1:52416"
	for _, tt := range []struct {
		name string
		v    doctor.Variable
		no   string // NO_PROXY
		want string // "" for no line
	}{
		{"not set", doctor.Variable{Name: "OPENAI_BASE_URL", Want: "http://127.0.0.1:52416/v1"}, "", `^ok environment: OPENAI_BASE_URL not set; exodeck record -- COMMAND sets`},
		{"right", doctor.Variable{Name: "OPENAI_BASE_URL", Value: "http://localhost:52416/v1/", Want: "http://127.0.0.1:52416/v1"}, "", `^ok environment: OPENAI_BASE_URL leads through exodeck`},
		{"right, in Ollama's way", doctor.Variable{Name: "OLLAMA_HOST", Value: "127.0.0.1:52416/ollama", Want: "http://127.0.0.1:52416/ollama"}, "", `^ok environment: OLLAMA_HOST leads through exodeck`},
		{"another path", doctor.Variable{Name: "OPENAI_BASE_URL", Value: "http://localhost:52416", Want: "http://127.0.0.1:52416/v1"}, "",
			`^warning environment: OPENAI_BASE_URL is http://localhost:52416, which leads to exodeck, but not to the right path → export OPENAI_BASE_URL=http://127.0.0.1:52416/v1$`},
		{"straight to exo", doctor.Variable{Name: "OPENAI_BASE_URL", Value: "http://localhost:52415/v1", Want: "http://127.0.0.1:52416/v1"}, "",
			`^warning environment: OPENAI_BASE_URL is http://localhost:52415/v1: what heeds it is not recorded → export OPENAI_BASE_URL=`},
		{"a secret in it", doctor.Variable{Name: "OPENAI_BASE_URL", Value: "https://me:hunter2hunter2@example.org/v1?key=hunter2hunter2", Want: "x"}, "",
			`^warning environment: OPENAI_BASE_URL is https://example.org/v1 \(and more that is not shown\): `},
		{"no address", doctor.Variable{Name: "OPENAI_BASE_URL", Value: "hunter2 hunter2://", Want: "x"}, "", `^warning environment: OPENAI_BASE_URL is no address: `},
		{"a proxy", doctor.Variable{Name: "HTTP_PROXY", Value: "http://proxy.example:3128"}, "", `^warning environment: HTTP_PROXY is set: .*http://proxy.example:3128 even to this machine → export NO_PROXY=`},
		{"a proxy for other hosts", doctor.Variable{Name: "HTTP_PROXY", Value: "http://proxy.example:3128"}, "example.org, localhost", ``},
		{"exodeck as a proxy", doctor.Variable{Name: "HTTP_PROXY", Value: "http://127.0.0.1:52416"}, "", `^ok environment: HTTP_PROXY leads through exodeck`},
		{"no proxy", doctor.Variable{Name: "HTTP_PROXY"}, "", ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSetting(t, nil)
			s.Listen, s.NoProxy, s.Variables, s.Timeout = listen, tt.no, []doctor.Variable{tt.v}, time.Millisecond
			got := examined(s, "environment")
			if strings.Contains(got, "hunter2") {
				t.Errorf("a secret is told: %s", got)
			}
			if tt.want == "" && got != "" || !regexp.MustCompile(tt.want).MatchString(got) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Interrupted, it comes to its end at once.
func TestInterrupted(t *testing.T) {
	s := newSetting(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	began := time.Now()
	doctor.Examine(ctx, s.Config)
	if took := time.Since(began); took > s.Timeout/2 {
		t.Errorf("it took %v", took)
	}
}

func ExampleExamine() {
	exo := standin.New(standin.Options{})
	if err := exo.Start(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	defer exo.Close()
	upstream, err := url.Parse(exo.URL())
	if err != nil {
		fmt.Println(err)
		return
	}
	checks := doctor.Examine(context.Background(), doctor.Config{Upstream: upstream, Listen: "127.0.0.1:1", Tape: "a.tape", Start: "exodeck record"})
	for _, c := range checks {
		if c.Name == "instances" || c.Name == "proxy" {
			text, err := json.Marshal(c)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(string(text))
		}
	}
	// Output:
	// {"name":"instances","status":"ok","detail":"1: standin/Echo-1B-4bit"}
	// {"name":"proxy","status":"warning","detail":"nothing listens on 127.0.0.1:1: nothing is being recorded there","next":"exodeck record"}
}
