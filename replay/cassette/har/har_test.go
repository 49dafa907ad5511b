package har_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/har"
)

const recorded = `{"session":"a","upstream":"http://exo:52415"}
{"seq":1,"session":"a","started":"2026-03-04T05:06:07.123456789Z","request":{"method":"POST","url":"/v1/chat/completions?x=%7e&y","host":"localhost:1","proto":"HTTP/1.1","headers":{"Content-Type":["application/json"],"Accept":["a","b"]},"body":{"model":"m"}},"response":{"status":200,"reason":"","headers":{"Content-Type":["text/event-stream"]},"encoding":"gzip","text":"data: {\"x\":1}\n\ndata: [DONE]\n\n"},"timing":{"ttfb_ms":20.125,"total_ms":50.000,"pieces":[[0,20.125],[15,50.000]]},"ended":"client_gone","cause":"context canceled","labels":{"sample":"tide"}}
{"seq":2,"session":"a","started":"2026-03-04T05:06:08.000000000Z","request":{"method":"GET","url":"/state","proto":"HTTP/1.1"},"timing":{"ttfb_ms":0.000,"total_ms":1.000},"ended":"upstream_error","cause":"connection refused"}
{"seq":3,"session":"a","started":"2026-03-04T05:06:09.000000000Z","request":{"method":"PUT","url":"/image","proto":"HTTP/1.1","base64":"/wA="},"response":{"status":418,"reason":"Short and stout","headers":{"Content-Type":["image/png"]},"base64":"/v8="},"timing":{"ttfb_ms":1.000,"total_ms":1.000,"pieces":[[0,1.000]]},"ended":"complete"}
`

func read(t testing.TB, text string) *cassette.Cassette {
	t.Helper()
	c, err := cassette.Read(strings.NewReader(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func digests(t *testing.T, c *cassette.Cassette) []string {
	t.Helper()
	var all []string
	for x, err := range c.Entries(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		x.RequestEncoding, x.ResponseEncoding = "", ""
		all = append(all, fmt.Sprintf("%s/%d %x %q %q", x.Session, x.Seq, x.Digest(), x.RequestBody, x.ResponseBody))
	}
	return all
}

// TestThereAndBack: exchanges survive the way through an archive, streams with their pieces included.
func TestThereAndBack(t *testing.T) {
	c := read(t, recorded)
	var text bytes.Buffer
	if err := har.Write(t.Context(), &text, c, "test"); err != nil {
		t.Fatal(err)
	}
	again, err := har.Read(bytes.NewReader(text.Bytes()), "x.har")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text.String())
	}
	if diff := cmp.Diff(digests(t, c), digests(t, again)); diff != "" {
		t.Errorf("(-cassette +archive)\n%s", diff)
	}
	// What the format demands, and what browsers need to show it.
	var a struct {
		Log struct {
			Version string
			Creator map[string]string
			Entries []map[string]any
		}
	}
	if err := json.Unmarshal(text.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	if a.Log.Version != "1.2" || a.Log.Creator["name"] != "exodeck" || len(a.Log.Entries) != 3 {
		t.Errorf("log: %+v", a.Log)
	}
	for i, e := range a.Log.Entries {
		for _, path := range []string{
			"startedDateTime", "time", "cache", "request.method", "request.url", "request.httpVersion", "request.cookies", "request.headers", "request.queryString", "request.headersSize",
			"request.bodySize", "response.status", "response.statusText", "response.httpVersion", "response.cookies", "response.headers", "response.content.size", "response.content.mimeType",
			"response.redirectURL", "response.headersSize", "response.bodySize", "timings.send", "timings.wait", "timings.receive",
		} {
			var v any = e
			for key := range strings.SplitSeq(path, ".") {
				m, _ := v.(map[string]any)
				v = m[key]
			}
			if v == nil {
				t.Errorf("entry %d has no %s", i, path)
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite the cassettes in testdata")

// TestBrowser: an archive as a browser saves it, of a connection over HTTP/2.
func TestBrowser(t *testing.T) {
	f, err := os.Open("testdata/browser.har")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := har.Read(f, "browser.har")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := cassette.Export(t.Context(), &out, c, cassette.ExportOptions{Generator: "test"}); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/browser.cassette.jsonl", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/browser.cassette.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "reading HAR file x.har: "},
		{"no archive", "{}", "there is no list of entries; is it a HAR file?"},
		{"a key twice", `{"log":{"entries":[],"entries":[]}}`, "duplicate"},
		{"null", `{"log":{"entries":[null]}}`, "log.entries[0] is null"},
		{"no URL", `{"log":{"entries":[{"request":{"method":"GET"}}]}}`, "log.entries[0]: request.url: it is missing"},
		{"in an archive in another order", `{"log":{"entries":[{"startedDateTime":"2026-03-04T05:06:08Z","request":{"method":"GET","url":"/"},"response":{}},{"startedDateTime":"2026-03-04T05:06:07Z","request":{"method":"GET"}}]}}`, "log.entries[1]: request.url: it is missing"},
		{"a method of two words", `{"log":{"entries":[{"request":{"method":"GET x","url":"http://a/"}}]}}`, `request.method: "GET x" holds a blank`},
		{"no method", `{"log":{"entries":[{"request":{"url":"http://a/"}}]}}`, "request.method: it is missing"},
		{"a status that is none", `{"log":{"entries":[{"request":{"method":"GET","url":"/"},"response":{"status":1000}}]}}`, "1000 is no status"},
		{"an encoding that is none", `{"log":{"entries":[{"request":{"method":"GET","url":"/"},"response":{"status":200,"content":{"text":"x","encoding":"rot13"}}}]}}`, `"rot13" is not known`},
		{"nested deeply", `{"log":{"entries":[],"x":` + strings.Repeat("[", 100_000), "depth"},
		{"a session that leads elsewhere", `{"log":{"entries":[{"request":{"method":"GET","url":"/"},"response":{},"_exodeck":{"session":"../x","ended":"complete"}}]}}`, "slash"},
		{"an end that is none", `{"log":{"entries":[{"request":{"method":"GET","url":"/"},"response":{},"_exodeck":{"ended":"well"}}]}}`, "is none of"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := har.Read(strings.NewReader(tt.text), "x.har")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// FuzzRead: what can be read can be written, and read again as the same exchanges; and writing those gives the same archive.
func FuzzRead(f *testing.F) {
	browser, err := os.ReadFile("testdata/browser.har")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(browser)
	f.Add([]byte(`{"log":{"entries":[{"request":{"method":"GET","url":"/"},"response":{"status":200,"content":{"text":"abc"}},"_frames":[{"offset":0,"ms":1},{"offset":2,"ms":2}],"time":1e300}]}}`))
	var written bytes.Buffer
	if err := har.Write(f.Context(), &written, read(f, recorded), "test"); err != nil {
		f.Fatal(err)
	}
	f.Add(written.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := har.Read(bytes.NewReader(data), "fuzz.har")
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := har.Write(t.Context(), &first, c, "test"); err != nil {
			t.Fatal(err)
		}
		again, err := har.Read(bytes.NewReader(first.Bytes()), "again.har")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(digests(t, c), digests(t, again)); diff != "" {
			t.Errorf("(-read +read again)\n%s", diff)
		}
		if err := har.Write(t.Context(), &second, again, "test"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.String(), second.String()); diff != "" {
			t.Errorf("(-written +written again)\n%s", diff)
		}
	})
}

func Example() {
	const text = `{"log":{"entries":[{"startedDateTime":"2026-03-04T05:06:07Z","request":{"method":"GET","url":"http://exo:52415/state"},"response":{"status":200,"content":{"text":"{}"}}}]}}`
	c, err := har.Read(strings.NewReader(text), "x.har")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Head().Exchanges, "exchange")
	// Output: 1 exchange
}
