package replay_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared/bugreports"
	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/match"
)

// TestBugReports holds redaction and replay to the cases that were made after reports of secrets in recordings, of recordings that redaction
// spoilt, and of replays that answer with the wrong exchange.
//
// Without the shared vectors the same ground is covered by the tests of replay/cassette (TestCanary, TestRedactedLaw, TestReplayRedacted) and
// of replay/cassette/redact (TestProse), and by TestUnlabelledSequenceIsDeterministic of replay/match.
func TestBugReports(t *testing.T) {
	bugreports.Run(t, "replay", bugreports.Tests{
		"114": testSecretsTakenOut,
		"115": testPayloadUntouched,
		"116": testRedactedRequestMatches,
		"117": testAnswersInOrder,
	})
}

func newDeck(t *testing.T) *decktest.Deck {
	t.Helper()
	return decktest.New(t, filepath.Join(t.TempDir(), "case.tape"), tape.Session{})
}

// tapeOf records a case so many times, as the proxy would: with credentials redacted on the tape.
func tapeOf(t *testing.T, c *bugreports.Case, times int) *tape.Tape {
	t.Helper()
	d := newDeck(t)
	for range times {
		bugreports.Play(t, c, d.Transport(t))
	}
	return d.Rewind(t)
}

// redacted exports a tape as a cassette that is redacted. It returns the text, and the cassette read from it.
func redacted(t *testing.T, src cassette.Source, rules redact.Rules) (string, *cassette.Cassette, cassette.Exported) {
	t.Helper()
	var text bytes.Buffer
	done, err := cassette.Export(t.Context(), &text, src, cassette.ExportOptions{Name: "case", Redact: &rules})
	if err != nil {
		t.Fatal(err)
	}
	c, err := cassette.Read(bytes.NewReader(text.Bytes()), "case.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), c, done
}

// ask asks what a recording answers to the request of a case.
func ask(t *testing.T, src cassette.Source, requests ...*http.Request) (*replay.Transport, []string, error) {
	t.Helper()
	options, err := cassette.Matching(t.Context(), src, match.Default())
	if err != nil {
		t.Fatal(err)
	}
	transport, err := replay.NewTransport(t.Context(), src, options)
	if err != nil {
		t.Fatal(err)
	}
	var answers []string
	for _, req := range requests {
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return transport, answers, err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, string(body))
	}
	return transport, answers, nil
}

// testSecretsTakenOut: of what was recorded with all of the secrets in it nothing is left in an export, in any writing. Equal values have
// one placeholder.
func testSecretsTakenOut(t *testing.T, c *bugreports.Case) {
	var want struct {
		Not   []string `json:"must_not_contain"`
		Fault string   `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	src := tapeOf(t, c, 2)
	text, cut, _ := redacted(t, src, redact.Rules{})
	for _, secret := range want.Not {
		for _, writing := range writings(secret) {
			if strings.Contains(text, writing) {
				t.Errorf("%s is in the cassette, as %s:\n%s", secret, writing, text)
			}
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	placeholder := regexp.MustCompile(`\[redacted:[^]]*\]`)
	var found [2][]string
	for i, line := range lines[len(lines)-2:] {
		found[i] = placeholder.FindAllString(line, -1)
	}
	if diff := cmp.Diff(found[0], found[1]); diff != "" || len(found[0]) == 0 {
		t.Errorf("placeholders of equal exchanges (-first +second):\n%s", diff)
	}
	// And the request with the real secrets still finds its answer.
	if _, answers, err := ask(t, cut, c.NewRequest(t, "http://exo")); err != nil || !equalJSON(t, answers[0], c.Response.Body) {
		t.Errorf("replay answers %q, %v", answers, err)
	}
}

// writings are ways to write a secret: as it is, percent-encoded, hexadecimal, and what is the same of it in base64 at each alignment.
func writings(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret))}
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
		from := (shift*8 + 5) / 6
		to := (shift + len(secret)) * 8 / 6
		all = append(all, text[from:to])
	}
	return all
}

func equalJSON(t *testing.T, got string, want []byte) bool {
	t.Helper()
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(got), &a), json.Unmarshal(want, &b)); err != nil {
		t.Error(err)
	}
	return cmp.Equal(a, b)
}

// testPayloadUntouched: what only looks like a secret by its name or its length is left alone.
func testPayloadUntouched(t *testing.T, c *bugreports.Case) {
	var want struct {
		Unchanged bool   `json:"payload_unchanged"`
		Fault     string `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	src := tapeOf(t, c, 1)
	for name, rules := range map[string]redact.Rules{"usual": {}, "personal data too": {PII: true}} {
		_, cut, done := redacted(t, src, rules)
		if done.Secrets != 0 || !want.Unchanged {
			t.Errorf("%s: %d secrets were found", name, done.Secrets)
		}
		for x, err := range cut.Exchanges(t.Context(), tape.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, body := range []struct {
				of   tape.Body
				want []byte
			}{{x.Request.Body, c.Request}, {x.Response.Body, c.Response.Bytes()}} {
				rc, err := cut.Body(t.Context(), body.of)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(rc)
				rc.Close()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(body.want), string(got)); diff != "" {
					t.Errorf("%s: a body (-recorded +redacted):\n%s", name, diff)
				}
			}
		}
	}
}

// testRedactedRequestMatches: the recording has a placeholder where the live request has an address.
func testRedactedRequestMatches(t *testing.T, c *bugreports.Case) {
	var want struct {
		Differs string `json:"replay_request_differs_only_by"`
		Match   bool   `json:"must_match"`
		Fault   string `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	const address = "ana@example.org"
	text, cut, done := redacted(t, tapeOf(t, c, 1), redact.Rules{PII: true})
	if done.Secrets != 1 || strings.Contains(text, address) || !strings.Contains(text, "[redacted:") {
		t.Errorf("%d secrets were taken out of\n%s", done.Secrets, text)
	}
	transport, answers, err := ask(t, cut, c.NewRequest(t, "http://exo"))
	if err != nil || !want.Match || !equalJSON(t, answers[0], c.Response.Body) {
		t.Errorf("replay answers %q, %v", answers, err)
	}
	if report := transport.Report(); report.Answered(match.Exact) != 1 {
		t.Errorf("%v", report)
	}
	// What differs by more does not match.
	other := *c
	other.Request = bytes.Replace(c.Request, []byte("tide in Vigo?"), []byte("tide in Faro?"), 1)
	if _, _, err := ask(t, cut, other.NewRequest(t, "http://exo")); err == nil {
		t.Error("another question was answered too")
	}
}

// testAnswersInOrder: equal requests get the recorded answers in their order, and the one behind the last is told that there is none.
func testAnswersInOrder(t *testing.T, c *bugreports.Case) {
	var want struct {
		Recorded []string `json:"recorded_answers"`
		Replayed []string `json:"replay_expect"`
		Fourth   string
		Fault    string `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	d := newDeck(t)
	for _, text := range want.Recorded {
		said := *c
		said.Response.Body = bytes.Replace(c.Response.Body, []byte(`"Three."`), []byte(`"`+text+`"`), 1)
		bugreports.Play(t, &said, d.Transport(t))
	}
	var requests []*http.Request
	for range len(want.Replayed) + 1 {
		requests = append(requests, c.NewRequest(t, "http://exo"))
	}
	_, answers, err := ask(t, d.Rewind(t), requests...)
	if len(answers) != len(want.Replayed) {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	for i, text := range want.Replayed {
		if !strings.Contains(answers[i], `"`+text+`"`) {
			t.Errorf("answer %d is %s, want %s", i+1, answers[i], text)
		}
	}
	if miss, ok := errors.AsType[*match.Miss](err); !ok || want.Fourth != "explicit" {
		t.Errorf("one too many: %v", err)
	} else if !strings.Contains(miss.Error(), "--reuse") {
		t.Errorf("one too many does not say that the answers are used up:\n%v", miss)
	}
}
