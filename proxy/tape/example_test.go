package tape_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Example records one exchange and reads it back.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "tape")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "exodeck.tape")

	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	session, err := recorder.StartSession(ctx, tape.Session{Upstream: "http://localhost:52415", Version: "example"})
	if err != nil {
		log.Fatal(err)
	}
	x := session.Begin(tape.Start{
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Upstream: "http://localhost:52415",
		Method: "POST", URL: "/v1/chat/completions", Host: "localhost:52416", Proto: "HTTP/1.1",
		Header: http.Header{"Content-Type": {"application/json"}},
	})
	x.RequestBody([]byte(`{"model":"tiny","stream":true,"messages":[]}`))
	x.RequestEnd(nil)
	x.ResponseHead(200, "", true, "HTTP/1.1", http.Header{"Content-Type": {"text/event-stream"}}, 20*time.Millisecond)
	x.ResponseBody([]byte("data: one\n\n"), 25*time.Millisecond)
	x.ResponseBody([]byte("data: [DONE]\n\n"), 40*time.Millisecond)
	x.End(tape.Complete, "", nil, 41*time.Millisecond)
	if err := recorder.Close(); err != nil {
		log.Fatal(err)
	}

	t, err := tape.Open(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	for x, err := range t.Exchanges(ctx, tape.Query{API: tape.OpenAI}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(x.Request.Method, x.Request.URL, x.Response.Status, x.Ended, x.Facts.Model, x.Facts.Stream)
		body, err := t.Body(ctx, x.Response.Body)
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(body)
		if err != nil {
			log.Fatal(err)
		}
		for i, piece := range x.Pieces {
			end := int64(len(text))
			if i+1 < len(x.Pieces) {
				end = x.Pieces[i+1].Offset
			}
			fmt.Printf("%v %q\n", piece.At, text[piece.Offset:end])
		}
	}
	// Output:
	// POST /v1/chat/completions 200 complete tiny true
	// 25ms "data: one\n\n"
	// 40ms "data: [DONE]\n\n"
}
