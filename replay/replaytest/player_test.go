package replaytest_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/replaytest"
	"github.com/exodeck/exodeck/replay/server"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

const tide = "testdata/tide.cassette.jsonl"

func get(t testing.TB, client *http.Client, url string) string {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Errorf("%v", err)
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("%v", err)
	}
	return string(body)
}

// A test that asks what is recorded passes, whatever its client.
func TestOpen(t *testing.T) {
	other := &http.Client{Transport: &http.Transport{}}
	defer other.CloseIdleConnections()
	for _, tt := range []struct {
		name string
		ask  func(exo *replaytest.Player) (string, error)
	}{
		{"own client", func(exo *replaytest.Player) (string, error) { return askTide(exo.Client(), exo.URL()+"/v1", "Whitby") }},
		{"own client, another host", func(exo *replaytest.Player) (string, error) {
			return askTide(exo.Client(), "https://exo.example:52415/v1", "Whitby")
		}},
		{"another client", func(exo *replaytest.Player) (string, error) { return askTide(other, exo.URL()+"/v1", "Whitby") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var answer string
			var err error
			tb := runTest(t, func(t testing.TB) { answer, err = tt.ask(replaytest.Open(t, tide)) })
			if answer != "At nine." || err != nil || tb.Failed() {
				t.Errorf("answer %q, %v, failures %q", answer, err, tb.failures)
			}
		})
	}
}

// A test that asks for something else fails, and says what is nearest and how to record it.
func TestMiss(t *testing.T) {
	tb := runTest(t, func(t testing.TB) {
		exo := replaytest.Open(t, tide)
		if _, err := askTide(exo.Client(), exo.URL()+"/v1", "Robin Hood's Bay"); err == nil || !strings.Contains(err.Error(), "no recorded answer") {
			t.Errorf("error %v", err)
		}
	})
	for _, want := range []string{
		tide + ": no recorded answer to POST /v1/chat/completions",
		"nearest: exchange s1/1",
		"+  text | When is high tide in Robin Hood's Bay?",
		"EXODECK_RECORD=1 EXODECK_UPSTREAM=http://localhost:52415 go test -run '^TestTide$'",
	} {
		if !strings.Contains(tb.text(), want) {
			t.Errorf("it does not say %q:\n%s", want, tb.text())
		}
	}
	if len(tb.failures) != 2 {
		t.Errorf("%d failures: %q", len(tb.failures), tb.failures)
	}
}

func TestMatch(t *testing.T) {
	twice := func(t testing.TB, opts ...replaytest.Option) {
		exo := replaytest.Open(t, tide, opts...)
		for range 2 {
			// A second answer is what the options are about.
			_, _ = askTide(exo.Client(), exo.URL()+"/v1", "Whitby")
		}
	}
	tb := runTest(t, func(t testing.TB) { twice(t) })
	if !strings.Contains(tb.text(), "already used: --reuse") || !strings.Contains(tb.text(), "options of replaytest.Match: AnyModel and Reuse") {
		t.Errorf("failures %s", tb.text())
	}
	tb = runTest(t, func(t testing.TB) { twice(t, replaytest.Match(match.Options{Reuse: true})) })
	if tb.Failed() {
		t.Errorf("failures %s", tb.text())
	}
}

func TestAllUsed(t *testing.T) {
	tb := runTest(t, func(t testing.TB) {
		exo := replaytest.Open(t, tide, replaytest.AllUsed())
		get(t, exo.Client(), exo.URL()+"/models")
	})
	if want := tide + ": nothing asked for exchange s1/1, POST /v1/chat/completions"; tb.text() != want {
		t.Errorf("failures %s\nwant %s", tb.text(), want)
	}
}

func TestTiming(t *testing.T) {
	took := func(opts ...replaytest.Option) time.Duration {
		var took time.Duration
		tb := runTest(t, func(t testing.TB) {
			exo := replaytest.Open(t, tide, opts...)
			start := time.Now()
			get(t, exo.Client(), exo.URL()+"/models")
			took = time.Since(start)
		})
		if tb.Failed() {
			t.Errorf("failures %s", tb.text())
		}
		return took
	}
	if got := took(replaytest.Timing(server.Recorded)); got < 80*time.Millisecond {
		t.Errorf("an answer that took 80 ms came in %v", got)
	}
	if got := took(replaytest.Timing(20)); got < 4*time.Millisecond {
		t.Errorf("an answer that takes 4 ms came in %v", got)
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.cassette.jsonl")
	if err := os.WriteFile(broken, []byte("{\"cassette\":1}\n{\"seq\":\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, want string }{
		{filepath.Join(dir, "none.cassette.jsonl"), "none.cassette.jsonl is not there; record it against a live exo:\n\tEXODECK_RECORD=1 "},
		{broken, "line 2"},
	} {
		tb := runTest(t, func(t testing.TB) {
			replaytest.Open(t, tt.path)
			t.Errorf("it went on")
		})
		if len(tb.failures) != 1 || !strings.Contains(tb.text(), tt.want) {
			t.Errorf("failures %s\nwant %s", tb.text(), tt.want)
		}
	}
}
