package replay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
)

// The same program asks a live server, which records, and then the tape, with no server left.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "replay")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "exodeck.tape")

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "low water at ten past six")
	}))
	ask := func(client *http.Client, question string) {
		body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, question)
		resp, err := client.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			var miss *match.Miss
			if errors.As(err, &miss) {
				fmt.Println(miss.Reason)
			}
			return
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		fmt.Println(string(answer), err)
	}

	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	session, err := recorder.StartSession(ctx, tape.Session{Upstream: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	live := &http.Client{Transport: &record.Transport{Session: session}}
	ask(live, "When is low water?")
	if err := recorder.Close(); err != nil {
		log.Fatal(err)
	}
	server.Close()

	recorded, err := tape.Open(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer recorded.Close()
	transport, err := replay.NewTransport(ctx, recorded, match.Default())
	if err != nil {
		log.Fatal(err)
	}
	offline := &http.Client{Transport: transport}
	ask(offline, "When is low water?")
	ask(offline, "When is low water?")
	fmt.Println(transport.Report())
	// Output:
	// low water at ten past six <nil>
	// low water at ten past six <nil>
	// recorded once, but already used: --reuse lets it answer again
	// 1 answered (1 exact), 1 missed, 0 recorded exchanges unused
}
