package cassette_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/match"
)

// redactedText is a cassette of what was written by hand, redacted at a JSON path.
func redactedText(t *testing.T, hand, at string) string {
	t.Helper()
	c, err := cassette.Read(strings.NewReader(hand), "hand")
	if err != nil {
		t.Fatal(err)
	}
	path, err := redact.ParsePath(at)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := cassette.Export(t.Context(), &text, c, cassette.ExportOptions{Redact: &redact.Rules{JSON: []redact.Path{path}}}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// redactedTransport replays what was written by hand, redacted at a JSON path, and returns what asks it for answers.
func redactedTransport(t *testing.T, hand, at string, options match.Options) (*replay.Transport, func(body string, labels ...string) string) {
	t.Helper()
	c, err := cassette.Read(strings.NewReader(redactedText(t, hand, at)), "redacted")
	if err != nil {
		t.Fatal(err)
	}
	if options, err = cassette.Matching(t.Context(), c, options); err != nil {
		t.Fatal(err)
	}
	transport, err := replay.NewTransport(t.Context(), c, options)
	if err != nil {
		t.Fatal(err)
	}
	return transport, func(body string, labels ...string) string {
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://exo/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range labels {
			req.Header.Add("X-Exodeck-Label", label)
		}
		resp, err := transport.RoundTrip(req)
		if miss, ok := errors.AsType[*match.Miss](err); ok {
			return "miss: " + miss.Reason
		} else if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
}

// handLine is a line of a cassette that was written by hand.
func handLine(request, response, labels string) string {
	return fmt.Sprintf(`{"request":{"method":"POST","url":"/v1/chat/completions","body":%s},"response":{"status":200,"body":%s},"labels":{%s}}`+"\n",
		request, response, labels)
}

func saying(content string) string {
	return `{"model":"m","messages":[{"role":"user","content":"` + content + `"}]}`
}

// TestReplayKnownElsewhere: a value that is a secret because of another exchange is redacted in a request that does not tell so, and
// a replay answers that request all the same, also when it is asked alone.
func TestReplayKnownElsewhere(t *testing.T) {
	const secret = "the harbour master"
	transport, ask := redactedTransport(t, handLine(saying("Who signs?"), `{"signer":"`+secret+`"}`, "")+
		handLine(saying("Write to "+secret+" now."), `{"n":2}`, "")+
		handLine(saying("Call "+secret+" now."), `{"n":3}`, ""), "$.signer", match.Default())
	for content, want := range map[string]string{"Call " + secret + " now.": `{"n":3}`, "Write to " + secret + " now.": `{"n":2}`} {
		if got := ask(saying(content)); got != want {
			t.Errorf("%s got %s, want %s", content, got, want)
		}
	}
	if got := ask(saying("Write to the lock keeper now.")); !strings.Contains(got, "exchange s1/2, but that has answered already") {
		t.Errorf("another text in the place of the same secret got %s", got)
	}
	if report := transport.Report(); report.Filled(match.Meaning) != 2 {
		t.Errorf("%v", report)
	}
}

// TestReplayOfTwoPeople: what was recorded of one person is not the answer for another. The requests tell nobody apart once they are
// redacted, so they are answered by their labels, or not at all.
func TestReplayOfTwoPeople(t *testing.T) {
	recorded := func(user, answer, labels string) string {
		body := fmt.Sprintf(`{"model":"m","user":%q,"messages":[{"role":"user","content":"What does %s owe?"}]}`, user, user)
		return handLine(body, `"`+answer+`"`, labels)
	}
	ada, grace := saying("What does Ada Lovelace owe?"), saying("What does Grace Hopper owe?")
	_, ask := redactedTransport(t, recorded("Ada Lovelace", "She owes 5.", "")+recorded("Grace Hopper", "She owes 7000.", ""), "$.user", match.Default())
	for _, body := range []string{grace, ada} {
		if got := ask(body); !strings.Contains(got, "ambiguous: 2 recorded requests") || !strings.Contains(got, "s1/1, s1/2") {
			t.Errorf("%s got %s", body, got)
		}
	}
	_, ask = redactedTransport(t, recorded("Ada Lovelace", "She owes 5.", `"sample":"a"`)+recorded("Grace Hopper", "She owes 7000.", `"sample":"g"`), "$.user", match.Default())
	if got := ask(grace, "sample=g"); got != `"She owes 7000."` {
		t.Errorf("Grace got %s", got)
	}
	if got := ask(ada, "sample=a"); got != `"She owes 5."` {
		t.Errorf("Ada got %s", got)
	}
}

// TestReplayRedacted: a redacted cassette, and a tape made of it, answer the requests with the real secrets, each with its own answer.
func TestReplayRedacted(t *testing.T) {
	const key, other = "sk-proj-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4", "sk-proj-QUJDREVGR0hJSktMTU5PUFFSU1RVVldY"
	bodies := []string{
		`{"model":"m","user":"Ada Lovelace","messages":[{"role":"user","content":"store ` + other + ` please"}]}`,
		`{"model":"m","user":"Ada Lovelace","messages":[{"role":"user","content":"use ` + key + ` for Ada Lovelace"}]}`,
		`{"model":"m","user":"Grace Hopper","messages":[{"role":"user","content":"no key"}]}`,
	}
	var session recordedSession
	session.Name = "s"
	for i, body := range bodies {
		session.exchanges = append(session.exchanges, recordedExchange{
			Start:   tape.Start{Method: "POST", URL: "/v1/chat/completions?q=" + key, Started: time.Unix(int64(i), 0), Header: http.Header{"Content-Type": {"application/json"}}},
			request: []byte(body), status: 200, header: http.Header{}, pieces: [][]byte{[]byte(`{"answer":` + string(rune('1'+i)) + `}`)}, at: []time.Duration{1}, ended: tape.Complete,
		})
	}
	path := filepath.Join(t.TempDir(), "a.tape")
	if err := record(t.Context(), path, []recordedSession{session}); err != nil {
		t.Fatal(err)
	}
	src := open(t, path)
	defer src.Close()
	user, err := redact.ParsePath("$.user")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	done, err := cassette.Export(t.Context(), &text, src, cassette.ExportOptions{Redact: &redact.Rules{JSON: []redact.Path{user}}})
	if err != nil {
		t.Fatal(err)
	}
	if done.Secrets != 4 {
		t.Errorf("%d secrets were found, want 4", done.Secrets)
	}
	for _, secret := range []string{key, other, "Ada Lovelace", "Grace Hopper"} {
		if strings.Contains(text.String(), secret) {
			t.Errorf("%s is in\n%s", secret, text.String())
		}
	}
	c, err := cassette.Read(&text, "redacted.cassette.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	again, _ := imported(t, c)
	for name, src := range map[string]cassette.Source{"cassette": c, "tape": again} {
		t.Run(name, func(t *testing.T) {
			options, err := cassette.Matching(t.Context(), src, match.Default())
			if err != nil {
				t.Fatal(err)
			}
			transport, err := replay.NewTransport(t.Context(), src, options)
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Transport: transport}
			for _, i := range []int{2, 1, 0} {
				resp, err := client.Post("http://exo/v1/chat/completions?q="+key, "application/json", strings.NewReader(bodies[i]))
				if err != nil {
					t.Fatal(err)
				}
				answer, err := io.ReadAll(resp.Body)
				if want := `{"answer":` + string(rune('1'+i)) + `}`; err != nil || string(answer) != want {
					t.Errorf("request %d got %s, want %s (%v)", i+1, answer, want, err)
				}
				resp.Body.Close()
			}
			if report := transport.Report(); report.Answered(match.Exact) != 3 {
				t.Errorf("%v", report)
			}
			// What it cannot answer it does not show either.
			_, err = client.Post("http://exo/v1/chat/completions?q="+key, "application/json", strings.NewReader(bodies[1]))
			miss, ok := errors.AsType[*match.Miss](err)
			if !ok || strings.Contains(miss.Error(), key) {
				t.Errorf("a request too many: %v", err)
			}
		})
	}
}

// TestReplayMembers: a request whose body carries credentials is answered from a cassette that holds none of them, by every rule that
// compares bodies, also when the credentials are others by now.
func TestReplayMembers(t *testing.T) {
	const request = `{"model":"m","api_key":"quay-side-0001","metadata":{"client_secret":"ebb-and-flow","run":"7"},"messages":[{"role":"user","content":"Is it high tide?"}]}`
	for _, tt := range []struct {
		name, body string
		want       match.Rule
	}{
		{"exact", request, match.Exact},
		{"other credentials", strings.NewReplacer("quay-side-0001", "lock-gate-0002", "ebb-and-flow", "spring-and-neap").Replace(request), match.Exact},
		{"meaning", `{"messages":[{"content":"Is it high tide?","role":"user"}],"metadata":{"client_secret":"ebb-and-flow"},"temperature":0.5,"model":"m"}`, match.Meaning},
		{"any model", strings.Replace(request, `"m"`, `"n"`, 1), match.AnyModel},
	} {
		t.Run(tt.name, func(t *testing.T) {
			options := match.Default()
			options.AnyModel = true
			transport, ask := redactedTransport(t, handLine(request, `"yes"`, ""), "$.user", options)
			if got := ask(tt.body); got != `"yes"` {
				t.Errorf("got %s", got)
			}
			if report := transport.Report(); report.Answered(tt.want) != 1 {
				t.Errorf("%v", report)
			}
		})
	}
	_, ask := redactedTransport(t, handLine(request, `"yes"`, ""), "$.user", match.Default())
	if got := ask(strings.Replace(request, "high", "low", 1)); !strings.HasPrefix(got, "miss: ") {
		t.Errorf("another question got %s", got)
	}
}

// TestReplayLabels: secrets in labels are taken out, and verified to be; who asks with the label as it was finds the answer.
func TestReplayLabels(t *testing.T) {
	const key, token, account = "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefGHIJ01", "quay-side-0001", "the harbour master"
	labels := func(value string) string {
		return fmt.Sprintf(`"sample":"of %s","auth_token":"%s-%[1]s","auth":"off"`, value, token)
	}
	hand := handLine(`{"model":"m","user":"`+account+`"}`, `"none"`, `"sample":"of `+account+`"`) +
		handLine(saying("tide"), `"one"`, labels(key)) + handLine(saying("tide"), `"two"`, labels("nobody"))
	if diff := cmp.Diff([]string{
		"line 2: labels.sample: openai-key sk-p…", "line 2: labels.auth_token: a value of a label that is named as a credential",
		"line 2: labels.auth_token: openai-key sk-p…", "line 3: labels.auth_token: a value of a label that is named as a credential",
	}, strings.Split(verified(t, hand), "\n")); diff != "" {
		t.Errorf("problems of what was not redacted (-want +got)\n%s", diff)
	}
	out := redactedText(t, hand, "$.user")
	for _, secret := range []string{key, token, account} {
		if strings.Contains(out, secret) {
			t.Errorf("%s is in %s", secret, out)
		}
	}
	if got := verified(t, out); got != "" {
		t.Errorf("still there: %s", got)
	}
	transport, ask := redactedTransport(t, hand, "$.user", match.Default())
	if got := ask(saying("tide"), "sample=of nobody"); got != `"two"` {
		t.Errorf("the label without a secret got %s", got)
	}
	if got := ask(saying("tide"), "sample=of "+key, "auth_token="+token+"-"+key, "auth=off"); got != `"one"` {
		t.Errorf("the label with a secret got %s", got)
	}
	if report := transport.Report(); report.Answered(match.Label) != 2 {
		t.Errorf("%v", report)
	}
}
