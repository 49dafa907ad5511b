package cassette_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// benchTape makes a tape of n exchanges as an agent has them: a long request that is mostly the same, and a stream of 100 tokens.
func benchTape(b *testing.B, n int) string {
	b.Helper()
	var session recordedSession
	session.Name = "bench"
	var stream strings.Builder
	var pieces [][]byte
	var at []time.Duration
	for i := range 100 {
		start := stream.Len()
		fmt.Fprintf(&stream, "data: {\"id\":\"chatcmpl-5f2b8c9d\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word%d\"},\"finish_reason\":null}]}\n\n", i)
		pieces = append(pieces, []byte(stream.String()[start:]))
		at = append(at, time.Duration(i)*time.Millisecond)
	}
	system, _ := json.Marshal(strings.Repeat("You steer a harbour office. Answer in one sentence; call get_tide(\"harbour\") when asked.\n", 60))
	for i := range n {
		session.exchanges = append(session.exchanges, recordedExchange{
			Start:   tape.Start{Started: time.Unix(int64(i), 0), Method: "POST", URL: "/v1/chat/completions", Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}, "User-Agent": {"bench/1.0"}}},
			request: fmt.Appendf(nil, `{"model":"org/Small-1B","messages":[{"role":"system","content":%s},{"role":"user","content":"What of tide number %d? {\"path\": \"docs/a_long_file_name-%d.txt\"}"}],"stream":true}`, system, i, i),
			status:  200, header: http.Header{"Content-Type": {"text/event-stream"}}, pieces: pieces, at: at, total: time.Second, ended: tape.Complete,
		})
	}
	path := filepath.Join(b.TempDir(), "bench.tape")
	if err := record(b.Context(), path, []recordedSession{session}); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkCassette measures what is done with 10,000 exchanges, in bytes of the cassette.
func BenchmarkCassette(b *testing.B) {
	src, err := cassette.OpenSource(b.Context(), benchTape(b, 10_000))
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	rules := redact.Rules{}
	var text bytes.Buffer
	if _, err := cassette.Export(b.Context(), &text, src, cassette.ExportOptions{Redact: &rules}); err != nil {
		b.Fatal(err)
	}
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"verify", func() error {
			problems, err := cassette.Verify(b.Context(), bytes.NewReader(text.Bytes()), rules)
			if len(problems) > 0 {
				return fmt.Errorf("%v", problems[0])
			}
			return err
		}},
		{"export", func() error {
			_, err := cassette.Export(b.Context(), io.Discard, src, cassette.ExportOptions{Redact: &rules})
			return err
		}},
		{"export without redaction", func() error {
			_, err := cassette.Export(b.Context(), io.Discard, src, cassette.ExportOptions{})
			return err
		}},
		{"read", func() error {
			_, err := cassette.Read(bytes.NewReader(text.Bytes()), "bench")
			return err
		}},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if err := step.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
