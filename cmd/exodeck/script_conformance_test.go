package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/exodeck/exodeck/proxy/tape"
)

// tapedExchange is a line of the file that cmdTaped reads. A response that is a string is sent as text, anything else as JSON.
type tapedExchange struct {
	URL      string          `json:"url"`
	Request  json.RawMessage `json:"request"`
	Status   int             `json:"status"` // 0 is 200
	Type     string          `json:"type"`   // "" is application/json
	Response json.RawMessage `json:"response"`
}

// cmdTaped makes a tape of exchanges that a script writes down, one a line: taped FILE EXCHANGES.
func cmdTaped(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: taped FILE EXCHANGES")
	}
	var all []tapedExchange
	sc := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[1])))
	for sc.Scan() {
		var x tapedExchange
		ts.Check(json.Unmarshal(sc.Bytes(), &x))
		all = append(all, x)
	}
	ts.Check(writeTaped(context.Background(), ts.MkAbs(args[0]), all))
}

func writeTaped(ctx context.Context, path string, all []tapedExchange) error {
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{Now: func() time.Time { return start }})
	if err != nil {
		return err
	}
	session, err := recorder.StartSession(ctx, tape.Session{Name: "s1", Upstream: "http://localhost:52415", Version: "v0.0.0"})
	if err != nil {
		return err
	}
	for i, x := range all {
		recording := session.Begin(tape.Start{
			Started: start.Add(time.Duration(i) * time.Second), Upstream: "http://localhost:52415",
			Method: "POST", URL: x.URL, Host: "localhost:52416", Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}},
		})
		recording.RequestBody(x.Request)
		recording.RequestEnd(nil)
		if x.Status == 0 {
			x.Status = 200
		}
		if x.Type == "" {
			x.Type = "application/json"
		}
		body := []byte(x.Response)
		var text string
		if json.Unmarshal(body, &text) == nil {
			body = []byte(text)
		}
		recording.ResponseHead(x.Status, "", true, "HTTP/1.1", http.Header{"Content-Type": {x.Type}}, 10*time.Millisecond)
		recording.ResponseBody(body, 20*time.Millisecond)
		recording.End(tape.Complete, "", nil, 30*time.Millisecond)
	}
	return recorder.Close()
}
