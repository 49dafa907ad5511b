package again_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/again"
)

// question is the first exchange of a recording with one answer.
func question(t *testing.T) *reading.Exchange {
	t.Helper()
	c := recording(t, said)
	recorded, err := c.Exchange(t.Context(), tape.Ref{Session: "s1", Seq: 1})
	if err != nil {
		t.Fatal(err)
	}
	x, err := reading.Of(t.Context(), c, recorded)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// askTape asks the question of a server onto a new tape and returns the new exchange, as the tape has it.
func askTape(t *testing.T, server *httptest.Server, timeout time.Duration) (*tape.Exchange, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.tape")
	recorder, err := tape.OpenRecorder(t.Context(), path, tape.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := recorder.StartSession(t.Context(), tape.Session{})
	if err != nil {
		t.Fatal(err)
	}
	upstream, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	asker := again.Asker{Client: &record.Transport{Base: server.Client().Transport, Session: session}, Upstream: upstream, Timeout: timeout}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ref, err := asker.Ask(ctx, question(t))
	if closed := recorder.Close(); closed != nil {
		t.Fatal(closed)
	}
	if err != nil {
		return nil, err
	}
	recorded, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer recorded.Close()
	return recorded.Exchange(t.Context(), ref)
}

func TestAsk(t *testing.T) {
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = fmt.Sprintf("%s %s %s %v", r.Method, r.URL, body, r.Header[record.LabelHeader])
		fmt.Fprint(w, `{}`)
	}))
	defer server.Close()
	got, err := askTape(t, server, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	want := "POST /v1/chat/completions " + string(question(t).RequestBody) + " []"
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("the server was asked (-want +got):\n%s", diff)
	}
	if got.Ended != tape.Complete || got.Labels[again.Label] != "s1/1" {
		t.Errorf("the tape has an exchange that ended %q, labels %v", got.Ended, got.Labels)
	}
}

// No answer, or half of one, is an outcome: it is on the tape.
func TestAskWithoutAnswer(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		want   tape.Ended
	}{
		{"none", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, tape.UpstreamError},
		{"half of one", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"object":`)
		}, tape.UpstreamTruncated},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.answer)
			defer server.Close()
			got, err := askTape(t, server, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if got.Ended != test.want {
				t.Errorf("ended %q, want %q", got.Ended, test.want)
			}
		})
	}
}

func TestAskTimeout(t *testing.T) {
	var arrived atomic.Bool
	left := make(chan struct{}, 3)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived.Store(true)
		_, _ = io.Copy(io.Discard, r.Body) // the server sees that a client leaves only then
		<-r.Context().Done()
		left <- struct{}{}
	}))
	defer server.Close()
	for _, timeout := range []time.Duration{50 * time.Millisecond, time.Second, 30 * time.Second} {
		got, err := askTape(t, server, timeout)
		if err != nil {
			t.Fatalf("a question that takes too long is an outcome; got %v", err)
		}
		if got.Ended == tape.Complete {
			t.Errorf("ended %q", got.Ended)
		}
		if arrived.Load() { // or the machine was so busy that the time was up before
			<-left
			return
		}
	}
	t.Error("the server was never asked")
}

func TestAskUnrecorded(t *testing.T) {
	upstream := &url.URL{Scheme: "http", Host: "localhost"}
	asker := again.Asker{Client: plain{}, Upstream: upstream}
	if ref, err := asker.Ask(t.Context(), question(t)); err == nil {
		t.Errorf("got exchange %v from a client that records nothing", ref)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := asker.Ask(ctx, question(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// plain answers without recording.
type plain struct{}

func (plain) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
}
