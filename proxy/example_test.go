package proxy_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// A server in front of one upstream, run as an [http.Handler]; [proxy.Server.Serve] runs it on a listener and ends it in order.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "proxy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	recorder, err := tape.OpenRecorder(ctx, filepath.Join(dir, "example.tape"), tape.RecorderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer recorder.Close()
	session, err := recorder.StartSession(ctx, tape.Session{})
	if err != nil {
		log.Fatal(err)
	}

	exo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"data":[]}`) }))
	defer exo.Close()
	upstream, err := url.Parse(exo.URL)
	if err != nil {
		log.Fatal(err)
	}
	server, err := proxy.New(proxy.Config{
		Upstream: upstream,
		Session:  session,
		OnEnd:    func(ev record.Event) { fmt.Println(ev.Seq, ev.Method, ev.URL, ev.Status, ev.Ended) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	front := httptest.NewServer(server)
	defer front.Close()
	resp, err := http.Get(front.URL + "/models")
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	// Output: 1 GET /models 200 complete
}
