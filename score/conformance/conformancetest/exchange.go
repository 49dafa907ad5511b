// Package conformancetest writes down exchanges for tests of what judges them: requests, answers of each API, and what became of them.
//
// They are read as from a tape ([Exchange.Read]) or put on one ([Record]). Nothing here judges.
package conformancetest

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// bodies is a source of nothing but bodies, by their digest.
type bodies map[[32]byte]string

func (b bodies) put(text string) tape.Body {
	digest := [32]byte{byte(len(b) + 1)}
	b[digest] = text
	return tape.Body{Size: int64(len(text)), SHA256: digest}
}

func (b bodies) Body(_ context.Context, body tape.Body) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(b[body.SHA256])), nil
}

// Paths has an endpoint of each API.
var Paths = map[tape.API]string{
	tape.OpenAI: "/v1/chat/completions", tape.Claude: "/v1/messages", tape.Responses: "/v1/responses",
	tape.Ollama: "/ollama/api/chat", tape.OllamaGenerate: "/ollama/api/generate",
}

// Exchange is one as a test writes it down.
type Exchange struct {
	API               tape.API
	Request, Response string
	Status            int // 0 is 200; see [NoResponse]
	Header            http.Header
	Ended             tape.Ended // "" is complete
	Cause             string
	Total             time.Duration
	Pieces            []tape.Piece
}

// NoResponse is the status of an exchange without a response.
const NoResponse = -1

// inMode lets a request that does not say in which mode it wants its answer want that of the response.
func (s Exchange) inMode() Exchange {
	if wire.Streamed(s.API, s.Header.Get("Content-Type"), []byte(s.Response)) && !strings.Contains(s.Request, `"stream":`) {
		s.Request = strings.Replace(s.Request, `{"`, `{"stream":true,"`, 1)
	}
	return s
}

// Read makes the exchange that a tape would hand out.
func (s Exchange) Read(t testing.TB) *reading.Exchange {
	t.Helper()
	s = s.inMode()
	src := bodies{}
	x := &tape.Exchange{
		Ref:      tape.Ref{Session: "s", Seq: 1},
		Request:  tape.Request{Method: "POST", URL: Paths[s.API], Body: src.put(s.Request)},
		Response: tape.Response{Status: s.Status, Header: s.Header, Body: src.put(s.Response)},
		Ended:    s.Ended, Cause: s.Cause, Total: s.Total, Pieces: s.Pieces,
		Facts: tape.Facts{API: s.API},
	}
	switch {
	case s.Status == NoResponse:
		x.Response.Status = 0
	case s.Status == 0 && s.Ended != tape.UpstreamError:
		x.Response.Status = 200
	}
	if s.Ended == "" {
		x.Ended = tape.Complete
	}
	r, err := reading.Of(t.Context(), src, x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Chat is an exchange of Chat Completions.
func Chat(request, response string) Exchange {
	return Exchange{API: tape.OpenAI, Request: request, Response: response}
}

// EndedAs is the exchange with another end than a complete one.
func (s Exchange) EndedAs(ended tape.Ended, cause string, total time.Duration) Exchange {
	s.Ended, s.Cause, s.Total = ended, cause, total
	return s
}

// As is the exchange with another status and Content-Type of its response.
func (s Exchange) As(status int, contentType string) Exchange {
	s.Status, s.Header = status, http.Header{"Content-Type": {contentType}}
	return s
}

// Record writes exchanges on a tape, in their order, and opens it.
func Record(t testing.TB, n int, exchange func(i int) Exchange) *tape.Tape {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.tape")
	began := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	recorder, err := tape.OpenRecorder(t.Context(), path, tape.RecorderOptions{Now: func() time.Time { return began }})
	if err != nil {
		t.Fatal(err)
	}
	session, err := recorder.StartSession(t.Context(), tape.Session{Name: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s := exchange(i).inMode()
		r := session.Begin(tape.Start{Started: began.Add(time.Duration(i) * time.Second), Method: "POST", URL: Paths[s.API], Proto: "HTTP/1.1", Header: http.Header{}})
		r.RequestBody([]byte(s.Request))
		r.RequestEnd(nil)
		if s.Ended != tape.UpstreamError && s.Status != NoResponse {
			status := s.Status
			if status == 0 {
				status = 200
			}
			r.ResponseHead(status, "", true, "HTTP/1.1", s.Header, time.Millisecond)
			r.ResponseBody([]byte(s.Response), 2*time.Millisecond)
		}
		ended := s.Ended
		if ended == "" {
			ended = tape.Complete
		}
		r.End(ended, s.Cause, nil, max(s.Total, 3*time.Millisecond))
		if i%512 == 511 { // the recorder holds back what it cannot write at once
			if err := recorder.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	opened, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened
}
