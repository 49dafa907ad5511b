package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/google/go-cmp/cmp"
)

// server answers and fails in the ways of a model server, told by the question in the body.
func server(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		rc := http.NewResponseController(w)
		switch kind := kindOf(question); kind {
		case "stream", "cut", "stall":
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			w.Header().Set("Trailer", "X-Sum")
			for i := range 3 {
				fmt.Fprintf(w, "data: {\"n\":%d,\"of\":%q}\n\n", i, question)
				rc.Flush()
			}
			switch kind {
			case "cut":
				panic(http.ErrAbortHandler)
			case "stall":
				<-r.Context().Done()
			}
			w.Header().Set("X-Sum", "3")
		case "gone":
			panic(http.ErrAbortHandler)
		case "reset":
			conn, _, err := rc.Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		case "refusal":
			conn, buf, err := rc.Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(buf, "HTTP/1.1 404 \r\nContent-Length: 9\r\nConnection: close\r\n\r\nno model\n")
			buf.Flush()
			conn.Close()
		case "empty":
			w.WriteHeader(http.StatusOK)
			rc.Flush()
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"echo":%q}`, question)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// kindOf tells the kind of answer a question asks for: the user it names.
func kindOf(question []byte) string {
	var q struct{ User string }
	if err := json.Unmarshal(question, &q); err != nil {
		return err.Error()
	}
	return q.User
}

// outcome is all that a suite sees of one question.
type outcome struct {
	Status, Proto, Body, Error string
	Header, Trailer            http.Header
	ContentLength              int64
	Exchange                   tape.Ref
	Elapsed                    time.Duration
}

var errTimedOut = errors.New("timed out")

// asked is what the suite of this test asks: the same in every sample but for the kind of answer.
var asked = []string{"whole", "stream", "cut", "gone", "reset", "refusal", "empty", "stall"}

const repeats = 5

// runSuite asks all questions of a transport and returns what came, by sample and repeat.
func runSuite(t *testing.T, rt http.RoundTripper, base string, concurrency int, live bool) map[string]outcome {
	got := map[string]outcome{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, concurrency)
	for repeat := range repeats {
		for _, kind := range asked {
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				o := question(t, rt, base, kind, repeat, live)
				mu.Lock()
				defer mu.Unlock()
				got[kind+"/"+strconv.Itoa(repeat)] = o
			})
		}
	}
	wg.Wait()
	return got
}

// question asks one question. Live, it gives up on an answer that stalls.
func question(t *testing.T, rt http.RoundTripper, base, kind string, repeat int, live bool) (o outcome) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"tide?"}],"user":%q}`, kind)
	req, err := http.NewRequestWithContext(ctx, "POST", base+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return o
	}
	req.Header[record.LabelHeader] = []string{"suite=test", "sample=" + kind, "repeat=" + strconv.Itoa(repeat)}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		o.Error = err.Error()
		return o
	}
	defer resp.Body.Close()
	var text strings.Builder
	buf := make([]byte, 512)
	for err == nil {
		var n int
		n, err = resp.Body.Read(buf)
		text.Write(buf[:n])
		if live && kind == "stall" && strings.Count(text.String(), "\n\n") == 3 {
			cancel(errTimedOut)
		}
	}
	if err != io.EOF {
		o.Error = err.Error()
		if context.Cause(ctx) == errTimedOut || os.IsTimeout(err) {
			o.Error = errTimedOut.Error()
		}
	}
	o.Status, o.Proto, o.Body = resp.Status, resp.Proto, text.String()
	o.Header, o.Trailer, o.ContentLength = resp.Header, resp.Trailer, resp.ContentLength
	if err != io.EOF {
		o.Trailer = nil // announced live, but never come: the tape does not know of them
	}
	if src, ok := record.SourceOf(resp); ok {
		o.Exchange, o.Elapsed = src.Exchange(), src.Elapsed()
	}
	return o
}

// recorder makes a transport that records on a new tape, and a function that opens the tape.
func recorder(t testing.TB) (*record.Transport, func() *tape.Tape) {
	t.Helper()
	d := decktest.New(t, filepath.Join(t.TempDir(), "run.tape"), tape.Session{})
	base := &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	return &record.Transport{Base: base, Session: d.Session}, func() *tape.Tape { return d.Rewind(t) }
}

// The law of the deck: a suite sees offline what it saw live, whatever the concurrency of either run, failures included.
func TestOfflineIsAsLive(t *testing.T) {
	base := server(t)
	live, rewind := recorder(t)
	want := runSuite(t, live, base, 8, true)
	tp := rewind()
	for _, concurrency := range []int{1, 16} {
		offline, err := replay.NewTransport(t.Context(), tp, match.Default())
		if err != nil {
			t.Fatal(err)
		}
		got := runSuite(t, offline, base, concurrency, false)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("concurrency %d (-live +offline)\n%s", concurrency, diff)
		}
		r := offline.Report()
		if n := r.Answered(match.Label); n != len(want) || len(r.Unused)+len(r.Missed) > 0 {
			t.Errorf("concurrency %d: %s", concurrency, r)
		}
	}
}

// A suite can be scored from what another client recorded: other bytes, other options, no labels.
func TestForeignRecording(t *testing.T) {
	base := server(t)
	live, rewind := recorder(t)
	foreign := `{ "temperature": 0.7, "user": "stream", "stream": true,` +
		` "messages": [{"content": "tide?", "role": "user"}], "model": "m" }`
	resp, err := (&http.Client{Transport: live}).Post(base+"/v1/chat/completions", "application/json", strings.NewReader(foreign))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	offline, err := replay.NewTransport(t.Context(), rewind(), match.Default())
	if err != nil {
		t.Fatal(err)
	}
	got := question(t, offline, base, "whole", 0, false)
	if got.Error != "" || !strings.HasPrefix(got.Body, "data: ") || got.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Errorf("outcome %+v, want the recorded stream", got)
	}
	if r := offline.Report(); r.Answered(match.Meaning) != 1 {
		t.Errorf("report: %s, want one answer by meaning", r)
	}
}
