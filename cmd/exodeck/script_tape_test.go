package main

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/exodeck/exodeck/proxy/tape"
)

// cmdSeed makes a tape whose every byte that commands print is known: seed FILE. It holds one session with a conversation over
// Chat Completions that calls a tool, a stream over Ollama that its client left, and a control call that failed.
func cmdSeed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: seed FILE")
	}
	ts.Check(seedTape(context.Background(), ts.MkAbs(args[0])))
}

// written is an exchange that a test writes on a tape, of known times.
type written struct {
	method, url, request string
	status               int // 0: no response
	contentType          string
	pieces               []string
	ended                tape.Ended
	cause                string
}

// writeTape makes a tape of one session. Its exchanges start a second apart from each other.
func writeTape(ctx context.Context, path string, s tape.Session, all []written) error {
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{Now: func() time.Time { return start }})
	if err != nil {
		return err
	}
	s.Upstream, s.Version = "http://localhost:52415", "v0.0.0"
	session, err := recorder.StartSession(ctx, s)
	if err != nil {
		return err
	}
	for i, x := range all {
		recording := session.Begin(tape.Start{
			Started:  start.Add(time.Duration(i) * time.Second),
			Upstream: s.Upstream, Method: x.method, URL: x.url, Host: "localhost:52416", Proto: "HTTP/1.1",
			Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}},
			Labels: s.Labels,
		})
		recording.RequestBody([]byte(x.request))
		recording.RequestEnd(nil)
		if x.status != 0 {
			recording.ResponseHead(x.status, "", true, "HTTP/1.1", http.Header{"Content-Type": {x.contentType}}, 10*time.Millisecond)
			for n, piece := range x.pieces {
				recording.ResponseBody([]byte(piece), time.Duration(20+10*n)*time.Millisecond)
			}
		}
		recording.End(x.ended, x.cause, nil, 50*time.Millisecond)
	}
	return recorder.Close()
}

func seedTape(ctx context.Context, path string) error {
	return writeTape(ctx, path, tape.Session{Name: "20260304T050607Z-abcdef", Labels: map[string]string{"bench": "a"}}, seeds)
}

var seeds = []written{
	{
		method: "POST", url: "/v1/chat/completions",
		request: `{"model":"org/Small-1B","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"It's time: what's the tide in Whitby?"}],` +
			`"tools":[{"type":"function","function":{"name":"get_tide","description":"Tell the tide","parameters":{"type":"object","properties":{"harbour":{"type":"string"},"day":{"type":"string"}},"required":["harbour"]}}}],"temperature":0}`,
		status: 200, contentType: "application/json",
		pieces: []string{`{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",` +
			`"function":{"name":"get_tide","arguments":"{\"harbour\": \"Whitby\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":40,"completion_tokens":9,"total_tokens":49}}`},
		ended: tape.Complete,
	},
	{
		method: "POST", url: "/ollama/api/chat",
		request: `{"model":"org/Small-1B","messages":[{"role":"user","content":"Count to three."}]}`,
		status:  200, contentType: "application/x-ndjson",
		pieces: []string{
			`{"model":"org/Small-1B","message":{"role":"assistant","content":"One, "},"done":false}` + "\n",
			`{"model":"org/Small-1B","message":{"role":"assistant","content":"two"},"done":false}` + "\n",
		},
		ended: tape.ClientGone, cause: "context canceled",
	},
	{
		method: "GET", url: "/state",
		ended: tape.UpstreamError, cause: "dial tcp 127.0.0.1:52415: connect: connection refused",
	},
}

// cmdPatch overwrites bytes of a file with a number in four bytes, its highest first: patch FILE OFFSET NUMBER.
func cmdPatch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: patch FILE OFFSET NUMBER")
	}
	offset, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	n, err := strconv.ParseUint(args[2], 10, 32)
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, offset)
	ts.Check(err)
	ts.Check(f.Close())
}
