package replaytest_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/replaytest"
)

// recording has tests record in front of an upstream.
func recording(t *testing.T, upstream string) {
	t.Setenv("EXODECK_RECORD", "1")
	t.Setenv("EXODECK_UPSTREAM", upstream)
}

// live starts a stand-in for exo.
func live(t *testing.T) string {
	t.Helper()
	server := standin.New(standin.Options{Script: standin.Always(standin.Say("At nine, they say."))})
	if err := server.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server.URL()
}

// What was recorded live is replayed: whole answers, streams and control calls.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "testdata", "new.cassette.jsonl")
	stream := fmt.Sprintf(`{"model":%q,"stream":true,"messages":[{"role":"user","content":"Count."}]}`, standin.DefaultModel)
	var answers [][]string
	test := func(t testing.TB) {
		exo := replaytest.Open(t, path, replaytest.AllUsed())
		answer, err := askTide(exo.Client(), exo.URL()+"/v1", "Whitby")
		if err != nil {
			t.Errorf("%v", err)
		}
		resp, err := exo.Client().Post("http://exo/v1/chat/completions", "application/json", strings.NewReader(stream))
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Errorf("%v", err)
		}
		answers = append(answers, []string{answer, resp.Header.Get("Content-Type"), string(body), get(t, exo.Client(), exo.URL()+"/models")})
	}
	recording(t, live(t)+"/")
	if tb := runTest(t, test); tb.Failed() {
		t.Fatalf("recording: %s", tb.text())
	}
	t.Setenv("EXODECK_RECORD", "")
	if tb := runTest(t, test); tb.Failed() {
		t.Fatalf("replaying: %s", tb.text())
	}
	for i, want := range answers[0] {
		if answers[1][i] != want || want == "" {
			t.Errorf("live %q, replayed %q", want, answers[1][i])
		}
	}
	if want := "text/event-stream"; !strings.HasPrefix(answers[0][1], want) {
		t.Errorf("the stream is %s, want %s", answers[0][1], want)
	}
}

// Credentials and what else is named do not reach the cassette, which answers the request all the same.
func TestRecordRedacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.cassette.jsonl")
	user, err := redact.ParsePath("$.user")
	if err != nil {
		t.Fatal(err)
	}
	test := func(t testing.TB) {
		exo := replaytest.Open(t, path, replaytest.Redact(redact.Rules{JSON: []redact.Path{user}}))
		req, err := http.NewRequest("POST", exo.URL()+"/v1/chat/completions?api_key=sesame-sesame-sesame", strings.NewReader(
			`{"model":"`+standin.DefaultModel+`","user":"Ada Lovelace","messages":[{"role":"user","content":"My key is sk-proj-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4"}]}`))
		if err != nil {
			t.Fatalf("%v", err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer open-sesame-open")
		resp, err := exo.Client().Do(req)
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("status %s", resp.Status)
		}
	}
	recording(t, live(t))
	if tb := runTest(t, test); tb.Failed() {
		t.Fatalf("recording: %s", tb.text())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sesame", "Ada Lovelace", "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4", "fingerprint"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the cassette holds %s:\n%s", secret, text)
		}
	}
	t.Setenv("EXODECK_RECORD", "0")
	if tb := runTest(t, test); tb.Failed() {
		t.Errorf("replaying: %s", tb.text())
	}
}

// A test that fails, or asks nothing, leaves the cassette as it was.
func TestRecordKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.cassette.jsonl")
	if err := os.WriteFile(path, []byte("as it was"), 0o666); err != nil {
		t.Fatal(err)
	}
	recording(t, live(t))
	for _, tt := range []struct {
		name string
		test func(testing.TB)
		want string
	}{
		{"failed", func(t testing.TB) {
			exo := replaytest.Open(t, path)
			get(t, exo.Client(), exo.URL()+"/models")
			t.Errorf("no good")
		}, "no good"},
		{"nothing asked", func(t testing.TB) { replaytest.Open(t, path) }, "the test asked for nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tb := runTest(t, tt.test)
			if !strings.Contains(tb.text(), tt.want) {
				t.Errorf("failures %s", tb.text())
			}
			if text, err := os.ReadFile(path); string(text) != "as it was" {
				t.Errorf("the cassette is %q, %v", text, err)
			}
		})
	}
}

func TestRecordFails(t *testing.T) {
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	path := filepath.Join(t.TempDir(), "dead.cassette.jsonl")
	for _, tt := range []struct{ name, upstream, want string }{
		{"nobody listens", dead.URL, dead.URL + " gave no answer: "},
		{"no URL", "exo:52415", "EXODECK_UPSTREAM is no base URL; write it like http://localhost:52415"},
		{"a password", "http://ada:sesame@localhost:52415", "EXODECK_UPSTREAM is no base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			recording(t, tt.upstream)
			tb := runTest(t, func(t testing.TB) {
				exo := replaytest.Open(t, path)
				// What the client gets is one thing; that the test fails is another.
				_, _ = askTide(exo.Client(), exo.URL()+"/v1", "Whitby")
			})
			if len(tb.failures) != 1 || !strings.Contains(tb.text(), tt.want) || strings.Contains(tb.text(), "sesame") {
				t.Errorf("failures %q, want one with %q", tb.failures, tt.want)
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("a cassette was written: %v", err)
			}
		})
	}
}

// The cassette is where it was asked for, with no trace of how it got there, and does not depend on the port of the test.
func TestRecordedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "models.cassette.jsonl")
	upstream := live(t)
	recording(t, upstream)
	var base string
	if tb := runTest(t, func(t testing.TB) {
		exo := replaytest.Open(t, path)
		base = strings.TrimPrefix(exo.URL(), "http://")
		get(t, exo.Client(), exo.URL()+"/models")
	}); tb.Failed() {
		t.Fatal(tb.text())
	}
	var files []string
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || files[0] != path {
		t.Errorf("files %q, want %s alone", files, path)
	}
	c, err := cassette.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if h := c.Head(); h.Name != "models" || h.Exchanges != 1 {
		t.Errorf("head %+v", h)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), base) || !strings.Contains(string(text), upstream) {
		t.Errorf("the cassette does not speak of %s alone:\n%s", upstream, text)
	}
}
