package cassette_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
)

// recordedSession is a session of arbitrary exchanges.
type recordedSession struct {
	tape.Session
	exchanges []recordedExchange
}

type recordedExchange struct {
	tape.Start
	request                         []byte
	requestTrailer, responseTrailer http.Header
	status                          int
	reason, proto                   string
	noReason                        bool
	header                          http.Header
	head                            time.Duration
	pieces                          [][]byte
	at                              []time.Duration
	ended                           tape.Ended
	cause                           string
	total                           time.Duration
}

func genHeader() *rapid.Generator[http.Header] {
	return rapid.Custom(func(t *rapid.T) http.Header {
		h := http.Header{}
		for range rapid.IntRange(0, 3).Draw(t, "headers") {
			name := rapid.SampledFrom([]string{"Content-Type", "X-One", "Host", "Content-Length", "X-\"quoted\"", "x-lower"}).Draw(t, "name")
			h[name] = append(h[name], rapid.OneOf(rapid.String(), rapid.Just("\xff\xfe"), rapid.Just("12"), rapid.Just("text/event-stream")).Draw(t, "value"))
		}
		return h
	})
}

func genBody() *rapid.Generator[[]byte] {
	return rapid.OneOf(
		rapid.SliceOf(rapid.Byte()),
		rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) }),
		rapid.SampledFrom([][]byte{
			nil, []byte(`{"model":"m","a":1.50,"a":[1e3,"\u00e9\/"]}`), []byte(` {"a":1}`), []byte("{\"a\":\n1}"), []byte("{\"a\": \t1}\r"), []byte("null"), []byte(`"x"`), []byte("1"),
			[]byte("data: {\"x\":1}\n\n: c\n\ndata: [DONE]\n\n"), []byte("\ufeff{}"), []byte("\u2028"), []byte(`"\ud800"`), []byte("\x00\x01"),
			[]byte(strings.Repeat("[", 600) + strings.Repeat("]", 600)),
		}),
	)
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func genExchange(coded bool) *rapid.Generator[recordedExchange] {
	micros := func(most int) *rapid.Generator[time.Duration] {
		return rapid.Map(rapid.IntRange(0, most), func(n int) time.Duration { return time.Duration(n) * time.Microsecond })
	}
	return rapid.Custom(func(t *rapid.T) recordedExchange {
		x := recordedExchange{
			Start: tape.Start{
				Started:  time.Unix(rapid.Int64Range(0, 1e9).Draw(t, "sec"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")),
				Upstream: rapid.SampledFrom([]string{"http://up", "http://other", ""}).Draw(t, "upstream"),
				Method:   rapid.SampledFrom([]string{"GET", "POST", "BREW"}).Draw(t, "method"),
				URL:      "/" + rapid.String().Draw(t, "url"),
				Host:     rapid.SampledFrom([]string{"", "h:1"}).Draw(t, "host"),
				Proto:    rapid.SampledFrom([]string{"", "HTTP/1.1", "HTTP/2.0"}).Draw(t, "proto"),
				Header:   genHeader().Draw(t, "header"),
				Labels:   rapid.MapOfN(rapid.String(), rapid.String(), 0, 2).Draw(t, "labels"),
			},
			request:         genBody().Draw(t, "request"),
			requestTrailer:  genHeader().Draw(t, "request trailer"),
			responseTrailer: nil,
			ended:           rapid.SampledFrom([]tape.Ended{tape.Complete, tape.ClientGone, tape.UpstreamError, tape.UpstreamTruncated, tape.RecorderError, tape.Interrupted}).Draw(t, "ended"),
			cause:           rapid.String().Draw(t, "cause"),
		}
		if rapid.Bool().Draw(t, "answered") {
			x.status = rapid.IntRange(100, 999).Draw(t, "status")
			x.reason = rapid.SampledFrom([]string{"", "OK", "Fine"}).Draw(t, "reason")
			x.noReason = rapid.Bool().Draw(t, "no reason")
			x.proto = rapid.SampledFrom([]string{"HTTP/1.1", "HTTP/1.0"}).Draw(t, "response proto")
			x.header = genHeader().Draw(t, "response header")
			x.responseTrailer = genHeader().Draw(t, "response trailer")
			x.head = micros(1e6).Draw(t, "head")
			body := genBody().Draw(t, "response")
			if coded && rapid.Bool().Draw(t, "coded") {
				body = gzipped(body)
				x.header.Set("Content-Encoding", "gzip")
				if rapid.Bool().Draw(t, "length") {
					x.header.Set("Content-Length", fmt.Sprint(len(body)))
				}
				if rapid.Bool().Draw(t, "broken off") {
					body = body[:len(body)-1]
				}
			}
			at := x.head
			for len(body) > 0 {
				n := rapid.IntRange(1, len(body)).Draw(t, "piece")
				at += micros(1e5).Draw(t, "gap")
				x.pieces, x.at = append(x.pieces, body[:n]), append(x.at, at)
				body = body[n:]
			}
			x.total = at
		}
		x.total += micros(1e9).Draw(t, "rest")
		return x
	})
}

func genSessions(coded bool) *rapid.Generator[[]recordedSession] {
	return rapid.Custom(func(t *rapid.T) []recordedSession {
		var sessions []recordedSession
		for i := range rapid.IntRange(1, 3).Draw(t, "sessions") {
			sessions = append(sessions, recordedSession{
				tape.Session{
					Name: fmt.Sprintf("session-%d", i), Started: time.Unix(rapid.Int64Range(0, 3).Draw(t, "start"), 0),
					Upstream: "http://up", Labels: rapid.MapOfN(rapid.String(), rapid.String(), 0, 2).Draw(t, "session labels"),
				},
				rapid.SliceOfN(genExchange(coded), 1, 3).Draw(t, "exchanges"),
			})
		}
		return sessions
	})
}

// record makes a tape.
func record(ctx context.Context, path string, sessions []recordedSession) error {
	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{})
	if err != nil {
		return err
	}
	for _, s := range sessions {
		into, err := recorder.StartSession(ctx, s.Session)
		if err != nil {
			return err
		}
		for _, x := range s.exchanges {
			r := into.Begin(x.Start)
			r.RequestBody(x.request)
			r.RequestEnd(x.requestTrailer)
			if x.status != 0 {
				r.ResponseHead(x.status, x.reason, x.noReason, x.proto, x.header, x.head)
			}
			for i, p := range x.pieces {
				r.ResponseBody(p, x.at[i])
			}
			r.End(x.ended, x.cause, x.responseTrailer, x.total)
		}
	}
	return recorder.Close()
}

func export(t require, src cassette.Source) []byte {
	var b bytes.Buffer
	if _, err := cassette.Export(t.Context(), &b, src, cassette.ExportOptions{Fallback: "law", Generator: "exodeck test"}); err != nil {
		t.Fatalf("exporting: %v", err)
	}
	return b.Bytes()
}

// require is what both *testing.T and *rapid.T are.
type require interface {
	Context() context.Context
	Fatalf(string, ...any)
}

func open(t require, path string) cassette.Source {
	src, err := cassette.OpenSource(t.Context(), path)
	if err != nil {
		t.Fatalf("opening: %v", err)
	}
	return src
}

// facts are what must be equal of two recordings.
type facts struct {
	Digest  [32]byte
	Facts   tape.Facts
	Session string
}

func factsOf(t require, src cassette.Source) []facts {
	var all []facts
	for x, err := range src.Exchanges(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatalf("reading: %v", err)
		}
		all = append(all, facts{x.Digest(), x.Facts, x.Session})
	}
	return all
}

// TestLaw: importing an export and exporting it again gives the same file, byte for byte, and the tape in between holds what the cassette
// shows.
func TestLaw(t *testing.T) {
	for _, coded := range []bool{false, true} {
		t.Run(fmt.Sprintf("coded=%v", coded), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				law(t, genSessions(coded).Draw(t, "tape"), coded)
			})
		})
	}
}

func law(t *rapid.T, sessions []recordedSession, coded bool) {
	dir := tempDir(t)
	first := filepath.Join(dir, "first.tape")
	if err := record(t.Context(), first, sessions); err != nil {
		t.Fatalf("recording: %v", err)
	}
	src := open(t, first)
	defer src.Close()
	text := export(t, src)
	c, err := cassette.Read(bytes.NewReader(text), "law.cassette.jsonl")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !coded {
		if diff := cmp.Diff(factsOf(t, src), factsOf(t, c)); diff != "" {
			t.Fatalf("tape and cassette differ (-tape +cassette):\n%s", diff)
		}
	}
	second := filepath.Join(dir, "second.tape")
	if err := cassette.Import(t.Context(), c, second, decktest.Redactor()); err != nil {
		t.Fatalf("importing: %v", err)
	}
	again := open(t, second)
	defer again.Close()
	if diff := cmp.Diff(factsOf(t, c), factsOf(t, again)); diff != "" {
		t.Fatalf("cassette and tape differ (-cassette +tape):\n%s\n%s", diff, text)
	}
	if diff := cmp.Diff(string(text), string(export(t, again))); diff != "" {
		t.Fatalf("exported again (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(string(text), string(export(t, c))); diff != "" {
		t.Fatalf("exported from the cassette (-first +second):\n%s", diff)
	}
}

// tempDir is a folder for one check of a property.
func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "exodeck-law-*")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
