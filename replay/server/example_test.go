package server_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/server"
)

func Example() {
	recording, err := cassette.Read(strings.NewReader(
		`{"request":{"method":"POST","url":"/ollama/api/chat","body":{"model":"m","stream":false,"messages":[{"role":"user","content":"When is high tide?"}]}},`+
			`"response":{"status":200,"body":{"message":{"content":"At nine."},"done":true}}}`), "tide.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	replay, err := server.New(context.Background(), server.Config{Source: recording, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Server.Serve is for listeners; any other HTTP server will do too.
	exo := httptest.NewServer(replay)
	defer exo.Close()
	resp, err := http.Post(exo.URL+"/ollama/api/chat", "application/json",
		strings.NewReader(`{"messages":[{"content":"When is high tide?","role":"user"}],"model":"m","stream":false}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	fmt.Println(string(answer), err)
	fmt.Println(replay.Report())
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// {"message":{"content":"At nine."},"done":true} <nil>
	// 1 answered (1 exact), 0 missed, 0 recorded exchanges unused
}
