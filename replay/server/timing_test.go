package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/server"
)

func TestParseTiming(t *testing.T) {
	for _, tt := range []struct {
		text, shown string
		want        server.Timing
	}{
		{"recorded", "recorded", server.Recorded},
		{"none", "none", server.AtOnce},
		{"x1", "recorded", server.Recorded},
		{"x2", "x2", 2},
		{"x0.25", "x0.25", 0.25},
	} {
		got, err := server.ParseTiming(tt.text)
		if err != nil || got != tt.want || got.String() != tt.shown {
			t.Errorf("ParseTiming(%q) = %v (%g), %v", tt.text, got, float64(got), err)
		}
	}
	for _, text := range []string{"", "x", "x0", "x-1", "xNaN", "x+Inf", "xinf", "2", "fast", "x1e-300", "x1e300"} {
		if _, err := server.ParseTiming(text); err == nil || !strings.Contains(err.Error(), "x2 (twice as fast)") {
			t.Errorf("ParseTiming(%q): error %v", text, err)
		}
	}
}

// sent is what a handler did at a time since its request.
type sent struct {
	What string
	At   time.Duration
}

// timedWriter notes when what is sent.
type timedWriter struct {
	header http.Header
	start  time.Time
	sent   []sent
	buf    bytes.Buffer
}

func newTimedWriter() *timedWriter { return &timedWriter{header: http.Header{}, start: time.Now()} }

func (w *timedWriter) note(what string) { w.sent = append(w.sent, sent{what, time.Since(w.start)}) }

func (w *timedWriter) Header() http.Header { return w.header }

func (w *timedWriter) WriteHeader(status int) { w.note(fmt.Sprint(status)) }

func (w *timedWriter) Write(p []byte) (int, error) { return w.buf.Write(p) }

func (w *timedWriter) Flush() {
	if w.buf.Len() > 0 {
		w.note(w.buf.String())
		w.buf.Reset()
	}
}

// run lets a handler answer a request, and returns what it did and when.
func run(t *testing.T, h http.Handler, r *http.Request) []sent {
	t.Helper()
	w := newTimedWriter()
	func() {
		defer func() {
			if p := recover(); p != nil {
				if p != http.ErrAbortHandler {
					panic(p)
				}
				w.note("broken off")
			}
		}()
		h.ServeHTTP(w, r)
		w.Flush()
		w.note("end")
	}()
	return w.sent
}

func zipped(t *testing.T, texts ...string) (coded []byte, ends []int) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, text := range texts {
		if _, err := io.WriteString(z, text); err != nil {
			t.Fatal(err)
		}
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, b.Len())
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), ends
}

func TestTiming(t *testing.T) {
	const stream = `{"request":{"method":"GET","url":"/events"},"response":{"status":200,"headers":{"Content-Type":["text/event-stream"]},"text":"one two three"},` +
		`"timing":{"ttfb_ms":100.000,"total_ms":1500.000,"pieces":[[0,100.000],[4,250.000],[8,1000.000]]},"ended":%q}`
	coded, ends := zipped(t, "one ", "two ")
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for _, tt := range []struct {
		name   string
		line   string
		timing server.Timing
		want   []sent
	}{
		{"recorded", fmt.Sprintf(stream, "complete"), server.Recorded,
			[]sent{{"200", ms(100)}, {"one ", ms(100)}, {"two ", ms(250)}, {"three", ms(1000)}, {"end", ms(1500)}}},
		{"twice as fast", fmt.Sprintf(stream, "complete"), 2,
			[]sent{{"200", ms(50)}, {"one ", ms(50)}, {"two ", ms(125)}, {"three", ms(500)}, {"end", ms(750)}}},
		{"half as fast", fmt.Sprintf(stream, "complete"), 0.5,
			[]sent{{"200", ms(200)}, {"one ", ms(200)}, {"two ", ms(500)}, {"three", ms(2000)}, {"end", ms(3000)}}},
		{"at once", fmt.Sprintf(stream, "complete"), server.AtOnce,
			[]sent{{"200", 0}, {"one ", 0}, {"two ", 0}, {"three", 0}, {"end", 0}}},
		{"a client that left", fmt.Sprintf(stream, "client_gone"), server.Recorded,
			[]sent{{"200", ms(100)}, {"one ", ms(100)}, {"two ", ms(250)}, {"three", ms(1000)}, {"broken off", ms(1500)}}},
		{"a whole body goes out with the end", `{"request":{"method":"GET","url":"/events"},"response":{"status":200,"headers":{"Content-Length":["8"]},"text":"one two "},` +
			`"timing":{"ttfb_ms":100.000,"total_ms":300.000,"pieces":[[0,100.000],[4,250.000]]}}`, server.Recorded,
			[]sent{{"200", ms(100)}, {"one ", ms(100)}, {"two ", ms(300)}, {"end", ms(300)}}},
		{"no response", `{"request":{"method":"GET","url":"/events"},"timing":{"total_ms":700.000},"ended":"client_gone"}`, server.Recorded,
			[]sent{{"broken off", ms(700)}}},
		{"decoded", fmt.Sprintf(`{"request":{"method":"GET","url":"/events"},"response":{"status":200,"headers":{"Content-Encoding":["gzip"]},"base64":%q},`+
			`"timing":{"ttfb_ms":10.000,"total_ms":90.000,"pieces":[[0,10.000],[%d,30.000],[%d,80.000]]}}`, base64.StdEncoding.EncodeToString(coded), ends[0], ends[1]), server.Recorded,
			[]sent{{"200", ms(10)}, {"one ", ms(10)}, {"two ", ms(30)}, {"end", ms(90)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := server.New(t.Context(), server.Config{Source: hand(t, tt.line), Timing: tt.timing, Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				got := run(t, s, httptest.NewRequest("GET", "/events", nil))
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A client that leaves is not waited for.
func TestTimingEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := server.New(t.Context(), server.Config{Timing: server.Recorded, Log: slog.New(slog.DiscardHandler), Source: hand(t,
			`{"request":{"method":"GET","url":"/events"},"response":{"status":200,"text":"one two"},"timing":{"ttfb_ms":10.000,"total_ms":9000.000,"pieces":[[0,10.000],[4,9000.000]]}}`)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := run(t, s, httptest.NewRequestWithContext(ctx, "GET", "/events", nil))
		want := []sent{{"200", 10 * time.Millisecond}, {"one ", 10 * time.Millisecond}, {"broken off", time.Second}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestGaps records a stream and measures, at a real client, the gaps between its pieces live and replayed. It bounds the median of how
// far they are apart. What else the machine does can only move them further apart, so the best of several attempts counts; the log has
// the figures.
func TestGaps(t *testing.T) {
	const pieces = 60
	// Steps of a decoder are a few to some tens of milliseconds apart.
	gap := func(i int) time.Duration { return time.Duration(2+i%9) * time.Millisecond }
	upstream := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		next := time.Now()
		for i := range pieces {
			next = next.Add(gap(i))
			time.Sleep(time.Until(next))
			fmt.Fprintf(w, "data: %d\n\n", i)
			http.NewResponseController(w).Flush()
		}
	})
	for range 10 {
		direct := measureGaps(t, newClient(t), upstream)
		source, live := recordGaps(t, upstream)
		_, base := serve(t, server.Config{Source: source, Timing: server.Recorded})
		replayed := measureGaps(t, newClient(t), base)
		if len(direct) != pieces-1 || len(live) != pieces-1 || len(replayed) != pieces-1 {
			t.Fatalf("%d gaps direct, %d recorded, %d replayed, want %d", len(direct), len(live), len(replayed), pieces-1)
		}
		median := medianDistance(live, replayed)
		t.Logf("half of the gaps are within %v of the recorded ones; of two live runs, within %v", median, medianDistance(live, direct))
		if median <= 5*time.Millisecond {
			return
		}
	}
	t.Error("half of the gaps are more than 5 ms off, each time")
}

// measureGaps returns the times between the events of a stream as they come in.
func measureGaps(t *testing.T, client *http.Client, base string) []time.Duration {
	t.Helper()
	resp, err := client.Get(base + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var times []time.Time
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf)
		now := time.Now()
		for range bytes.Count(buf[:n], []byte("\n\n")) { // several when the machine was busy
			times = append(times, now)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var gaps []time.Duration
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, times[i].Sub(times[i-1]))
	}
	return gaps
}

// recordGaps measures while the stream is recorded.
func recordGaps(t *testing.T, upstream string) (*tape.Tape, []time.Duration) {
	t.Helper()
	d, client := newRecorder(t, upstream)
	gaps := measureGaps(t, client, upstream)
	return d.Rewind(t), gaps
}

// medianDistance is the median of how far the values of two lists are apart.
func medianDistance(a, b []time.Duration) time.Duration {
	distances := make([]time.Duration, len(a))
	for i := range a {
		distances[i] = (a[i] - b[i]).Abs()
	}
	slices.Sort(distances)
	return distances[len(distances)/2]
}

// FuzzParseTiming: a timing that can be read is written as it is read.
func FuzzParseTiming(f *testing.F) {
	for _, s := range []string{"recorded", "none", "x2", "x0.25", "x1", "x0x1p-3", "x1_0", "xNaN", "x1e-6"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := server.ParseTiming(s)
		if err != nil {
			return
		}
		if again, err := server.ParseTiming(got.String()); err != nil || again != got {
			t.Errorf("%q is %g, written as %s it is %g, %v", s, float64(got), got, float64(again), err)
		}
	})
}
