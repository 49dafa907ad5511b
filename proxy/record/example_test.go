package record_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// A client records what it asks, and the tape tells what it was answered.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "exodeck.tape")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "low water at ten past six (%d labels came)", len(r.Header[record.LabelHeader]))
	}))
	defer server.Close()

	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	session, err := recorder.StartSession(ctx, tape.Session{Upstream: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	key, err := record.LoadKey(dir)
	if err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: &record.Transport{Session: session, Redactor: &record.Redactor{Key: key}}}
	req, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/tide?harbour=Vigo", nil)
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set(record.LabelHeader, "sample=tide")
	resp, err := client.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	fmt.Println(string(answer), err)
	source, _ := record.SourceOf(resp)
	if err := recorder.Close(); err != nil {
		log.Fatal(err)
	}

	recorded, err := tape.Open(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer recorded.Close()
	x, err := recorded.Exchange(ctx, source.Exchange())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Request.Method, x.Request.URL, x.Response.Status, x.Ended, x.Labels)
	fmt.Println(x.Total == source.Elapsed())
	client.CloseIdleConnections()
	// Output:
	// low water at ten past six (0 labels came) <nil>
	// GET /tide?harbour=Vigo 200 complete map[sample:tide]
	// true
}

// The tape holds a fingerprint where the credential was.
func ExampleRedactor() {
	r := &record.Redactor{Key: []byte("known to this user only")}
	fmt.Println(r.Header(http.Header{"Authorization": {"Bearer sk-4711"}, "Accept": {"*/*"}}))
	fmt.Println(r.URL("/v1/models?api_key=sk-4711&limit=2"))
	// Output:
	// map[Accept:[*/*] Authorization:[Bearer [fingerprint:2c34b562c04d79ad]]]
	// /v1/models?api_key=%5Bfingerprint%3A2c34b562c04d79ad%5D&limit=2
}
