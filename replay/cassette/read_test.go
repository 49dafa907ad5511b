package cassette_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
)

const (
	handRequest  = `"request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","a":1}}`
	handResponse = `"response":{"status":200,"text":"hello"}`
)

// TestByHand: what a person leaves out is filled in, and what an editor adds (a byte order mark, other line ends, blank lines) does
// not count.
func TestByHand(t *testing.T) {
	c, err := cassette.Read(strings.NewReader("\ufeff{"+handRequest+","+handResponse+"}\r\n\n{\"note\":[1, 2],"+handRequest+",\"ended\":\"upstream_error\"}\n"), "hand")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := cassette.Export(t.Context(), &out, c, cassette.ExportOptions{Name: "hand", Generator: "test"}); err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(out.String(), "\n")
	const want = `{"session":"s1","upstream":""}
{"seq":1,"session":"s1","started":"1970-01-01T00:00:00.000000000Z","request":{"method":"POST","url":"/v1/chat/completions","proto":"HTTP/1.1","body":{"model":"m","a":1}},"response":{"status":200,"text":"hello"},"timing":{"ttfb_ms":0.000,"total_ms":0.000,"pieces":[[0,0.000]]},"ended":"complete"}
{"seq":2,"session":"s1","started":"1970-01-01T00:00:01.000000000Z","request":{"method":"POST","url":"/v1/chat/completions","proto":"HTTP/1.1","body":{"model":"m","a":1}},"timing":{"ttfb_ms":0.000,"total_ms":0.000},"ended":"upstream_error","note":[1, 2]}
`
	if lines != want {
		t.Errorf("got\n%s\nwant\n%s", lines, want)
	}
	x, err := c.Exchange(t.Context(), tape.Ref{Session: "s1", Seq: 1})
	if err != nil || x.Facts != (tape.Facts{API: tape.OpenAI, Model: "m"}) {
		t.Errorf("facts %+v, %v", x.Facts, err)
	}
	if _, err := c.Exchange(t.Context(), tape.Ref{Session: "s1", Seq: 9}); !errors.Is(err, tape.ErrNoExchange) {
		t.Errorf("an exchange that is not there: %v", err)
	}
	if _, err := c.Body(t.Context(), tape.Body{Size: 1}); !errors.Is(err, tape.ErrNoBody) {
		t.Errorf("a body that is not there: %v", err)
	}
}

// TestHeaderNames: a cassette that was written by hand may have names of headers in any case; one with a digest is kept to the letter.
func TestHeaderNames(t *testing.T) {
	const lines = `{"request":{"method":"POST","url":"/v1/chat/completions","headers":{"x-b":["1","2"]},"body":{"model":"m"},"trailers":{"x-t":"1"}},` +
		`"response":{"status":200,"headers":{"content-type":"text/event-stream","x-odd name":"1"},"text":"data: {}\n\n","trailers":{"x-u":"1"}}}` + "\n"
	c, err := cassette.Read(strings.NewReader(lines), "hand")
	if err != nil {
		t.Fatal(err)
	}
	x, err := c.Exchange(t.Context(), tape.Ref{Session: "s1", Seq: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !x.Facts.Stream {
		t.Error("the stream is taken for a whole answer")
	}
	got := []http.Header{x.Request.Header, x.Request.Trailer, x.Response.Header, x.Response.Trailer}
	want := []http.Header{{"X-B": {"1", "2"}}, {"X-T": {"1"}}, {"Content-Type": {"text/event-stream"}, "x-odd name": {"1"}}, {"X-U": {"1"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by hand (-want +got)\n%s", diff)
	}
	for x, err := range c.Exchanges(t.Context(), tape.Query{}) {
		if err != nil || x.Response.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("exchanges yield %v, %v", x, err)
		}
	}

	sum := sha256.Sum256([]byte(lines))
	c, err = cassette.Read(strings.NewReader(fmt.Sprintf(`{"cassette":1,"exchanges":1,"sha256":"%x"}`, sum)+"\n"+lines), "written")
	if err != nil {
		t.Fatal(err)
	}
	if x, err = c.Exchange(t.Context(), tape.Ref{Session: "s1", Seq: 1}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(http.Header{"x-b": {"1", "2"}}, x.Request.Header); diff != "" {
		t.Errorf("with a digest (-want +got)\n%s", diff)
	}
}

// TestUnknown: keys this version does not know survive the way to a tape and back, wherever they stand.
func TestUnknown(t *testing.T) {
	text := `{"cassette":1,"name":"n","x":{"a": [1,2.50]}}
{"session":"a","upstream":"http://up","y":"\u00e9"}
{"session":"b","upstream":"http://up"}
{"seq":1,"session":"a","request":{"method":"GET","url":"/","r":1,"encoding":"br"},"response":{"status":200,"s":[]},"timing":{"t":{}},"l":null,"m":"x"}
{"seq":1,"session":"b","request":{"method":"GET","url":"/"},"response":{"status":200},"z":true}
`
	c, err := cassette.Read(strings.NewReader(text), "unknown")
	if err != nil {
		t.Fatal(err)
	}
	first := export(t, c)
	for _, kept := range []string{`"x":{"a": [1,2.50]}`, `"y":"\u00e9"`, `"r":1`, `"encoding":"br"`, `"s":[]`, `"t":{}`, `"m":"x"`, `"z":true`} {
		if !strings.Contains(string(first), kept) {
			t.Errorf("%s is missing in\n%s", kept, first)
		}
	}
	c, err = cassette.Read(bytes.NewReader(first), "first")
	if err != nil {
		t.Fatal(err)
	}
	src, _ := imported(t, c)
	if again := export(t, src); !bytes.Equal(again, first) {
		t.Errorf("came back as\n%s\nwas\n%s", again, first)
	}
}

// gzipBomb packs so many zero bytes or some more: a file of 1 MiB of them, as often as it takes.
func gzipBomb(size int) []byte {
	const part = 1 << 20
	return bytes.Repeat(gzipped(make([]byte, part)), (size+part-1)/part)
}

// TestHostile: what is wrong with a cassette is told, with the place, whoever made it.
func TestHostile(t *testing.T) {
	exchange := func(members string) string { return "{" + handRequest + "," + handResponse + "," + members + "}" }
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "reading cassette x: not a cassette: there is nothing in it (take the file from where it came again)"},
		{"no JSON", "hello", "line 1: not a cassette"},
		{"an array", "[1]", "line 1: not a cassette: an object is needed, not an array"},
		{"newer", `{"cassette":2}`, "line 1: cassette: cassette of a newer exodeck: version 2, this exodeck reads version 1 (use a newer exodeck)"},
		{"no version", `{"cassette":0}`, "there is no version 0"},
		{"10 GB of exchanges", `{"cassette":1,"exchanges":10000000000}`, "line 1: exchanges: the cassette is not as it was written: the head speaks of 2147483647 exchanges, there are 0"},
		{"another digest", `{"cassette":1,"sha256":"00"}` + "\n" + exchange(`"a":1`), "line 1: sha256: the cassette is not as it was written"},
		{"two heads", `{"cassette":1}` + "\n" + `{"cassette":1}`, `line 2: the line with "cassette" stands first`},
		{"two sessions of a name", `{"session":"a"}` + "\n" + `{"session":"a"}`, "line 2: session: there are two sessions called a"},
		{"a session that leads elsewhere", `{"session":"../../etc"}`, "session: the name \"../../etc\" holds a slash"},
		{"a session that moves the cursor", exchange(`"session":"a\u001b[2J"`), "holds a slash or a character that cannot be seen"},
		{"which of the sessions", `{"session":"a"}` + "\n" + `{"session":"b"}` + "\n" + exchange(`"a":1`), "line 3: session: it is missing, and there are several sessions"},
		{"a key twice", exchange(`"seq":1,"seq":2`), "seq: the key comes twice"},
		{"a header twice", `{"request":{"method":"GET","url":"/","headers":{"A":["x"],"A":["y"]}}}`, "request.headers.A: the key comes twice"},
		{"a header twice in different cases", `{"request":{"method":"GET","url":"/","headers":{"x-a":"x","X-A":"y"}},"ended":"interrupted"}`, "request.headers.x-a: the header X-A comes twice, in different cases; write its values in one list"},
		{"numbers backwards", exchange(`"seq":2`) + "\n" + exchange(`"seq":1`), "line 2: seq: 1 does not follow 2"},
		{"a number of a TB", exchange(`"seq":1000000000000000000000`), "seq: 1000000000000000000000 is no whole number"},
		{"two bodies", `{"request":{"method":"GET","url":"/","text":"a","base64":""}}`, `request.base64: there is "text" already; a body is one of body, text and base64`},
		{"no base64", `{"request":{"method":"GET","url":"/","base64":"?"}}`, "request.base64: illegal base64"},
		{"no method", `{"request":{"url":"/"},"response":{"status":200}}`, "request.method: it is missing"},
		{"a method of two lines", `{"request":{"method":"GET\n/x","url":"/"},"response":{"status":200}}`, `line 1: request.method: "GET\n/x" holds a blank or a character that cannot be seen; write one word, such as POST`},
		{"no URL", `{"request":{"method":"GET"},"response":{"status":200}}`, "request.url: it is missing; a path is enough"},
		{"no status", "{" + handRequest + `,"response":{}}`, "response.status: it is missing"},
		{"a status that is none", "{" + handRequest + `,"response":{"status":-1}}`, "response.status: -1 is no whole number from 0 to 999"},
		{"a header that is a number", `{"request":{"method":"GET","url":"/","headers":{"A":[1]}}}`, "request.headers.A[0]: a string is needed, not a number"},
		{"a piece at 10 GB", exchange(`"timing":{"pieces":[[0,1],[10000000000,2]]}`), "timing.pieces[1]: offset 10000000000 is beyond the response body of 5 bytes"},
		{"pieces backwards", exchange(`"timing":{"pieces":[[0,2],[2,1]]}`), "timing.pieces[1]: it arrived before the piece before it"},
		{"a piece twice", exchange(`"timing":{"pieces":[[0,2],[0,2]]}`), "timing.pieces[1]: offset 0 is not behind"},
		{"a piece without a time", exchange(`"timing":{"pieces":[[0]]}`), "timing.pieces[0]: a piece has an offset and a time"},
		{"a time without end", exchange(`"timing":{"total_ms":1e300}`), "timing.total_ms: 1e300 is no number of milliseconds"},
		{"a time that is none", exchange(`"started":"yesterday"`), `started: "yesterday" is no time; write 2026-01-31T15:04:05Z`},
		{"an end that is none", exchange(`"ended":"well"`), `ended: "well" is none of`},
		{"nested deeply", exchange(`"x":` + strings.Repeat("[", 1_000_000)), "x: "},
		{"a body nested deeply", `{"request":{"method":"GET","url":"/","body":` + strings.Repeat("[", 1_000_000) + `}}`, "request.body: "},
		{"not UTF-8", exchange("\"x\":\"\xff\""), "x: "},
		{"something behind", exchange(`"a":1`) + "}", "something follows the object"},
		{"broken off", `{"request":{"method":"GE`, "line 1: request.method: it is no JSON at byte 25 of the line: unexpected EOF (a line is one JSON object; mend it, or take the file from where it came again)"},
		{"over several lines", "{\n" + handRequest + "}", "line 1: not a cassette: it is no JSON at byte 2 of the line: unexpected EOF (a cassette has an exchange a line"},
		{"a mistake in the first line", `{"request":{"method":"GET"}}`, "line 1: request.url: it is missing; a path is enough"},
		{"a number in quotes", `{"cassette":1,"exchanges":"3"}`, "line 1: exchanges: a number is needed, not a string"},
		{"no JSON further down", exchange(`"a":1`) + "\nhello", "line 2: it is no JSON at byte 1 of the line: invalid character 'h' at start of value (a line is one JSON object"},
		{"no response", "{" + handRequest + `,"respones":{"status":200}}`, `line 1: response: it is missing; where none came, say how the exchange ended, such as "ended":"upstream_error"`},
		{"a tape", "SQLite format 3\x00\x10", "line 1: not a cassette: it is a tape (exodeck cassette export --tape FILE makes a cassette of it)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := cassette.Read(strings.NewReader(tt.text), "x")
			if e, ok := errors.AsType[*cassette.Error](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v (%T), want %q", err, e, tt.want)
			}
			if err != nil && len(err.Error()) > 500 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
		})
	}
}

// TestEndless: a line that does not end is given up, and takes no more memory than the longest that is allowed.
func TestEndless(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 128 MiB")
	}
	path := filepath.Join(t.TempDir(), "endless.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"x":"`); err != nil {
		t.Fatal(err)
	}
	// A hole of 10 GB takes no room on the disk.
	if err := errors.Join(f.Truncate(10<<30), f.Close()); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = cassette.Open(path)
	if !errors.Is(err, cassette.ErrTooLarge) || !strings.Contains(err.Error(), "line 1: too large for a cassette: the line is longer than 128 MiB") {
		t.Errorf("error %v", err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<30 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}

// TestBomb: a coded body that decodes to more than is allowed stays as it is, and is not what a redacted cassette shows.
func TestBomb(t *testing.T) {
	bomb := gzipBomb(cassette.MaxBody + 1)
	path := filepath.Join(t.TempDir(), "bomb.tape")
	var session recordedSession
	session.Name = "s"
	x := recordedExchange{Start: tape.Start{Method: "GET", URL: "/"}, status: 200, pieces: [][]byte{bomb}, at: make([]time.Duration, 1), ended: tape.Complete}
	x.header = http.Header{"Content-Encoding": {"gzip"}, "Content-Length": {fmt.Sprint(len(bomb))}}
	session.exchanges = []recordedExchange{x}
	if err := record(t.Context(), path, []recordedSession{session}); err != nil {
		t.Fatal(err)
	}
	src := open(t, path)
	defer src.Close()
	text := string(export(t, src))
	if !strings.Contains(text, `"Content-Encoding":["gzip"]`) || !strings.Contains(text, `"base64":"H4sI`) {
		t.Errorf("exported as %.500s", text)
	}
	var out bytes.Buffer
	if _, err := cassette.Export(t.Context(), &out, src, cassette.ExportOptions{Redact: &redact.Rules{}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"headers":{"Content-Length":["23"]},"text":"[redacted:coded-body:1]"`) {
		t.Errorf("redacted as %.500s", out.String())
	}
}

func TestOpenSource(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "neither a tape nor a cassette: the file is empty (name a file made by exodeck record or exodeck cassette export)"},
		{"text", "hello, this is no tape", "neither a tape nor a cassette"},
		{"json", "{}", "not a cassette"},
	} {
		path := filepath.Join(dir, tt.name)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if src, err := cassette.OpenSource(t.Context(), path); err == nil || src != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := cassette.OpenSource(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "neither a tape nor a cassette: it is a folder") || !errors.Is(err, tape.ErrNotTape) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := cassette.OpenSource(t.Context(), filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// FuzzRead: whatever can be read can be exported and read again, and is then the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte("{" + handRequest + "," + handResponse + "}\n"))
	f.Add([]byte(`{"cassette":1,"name":"n","created":"2026-01-01T00:00:00Z","exchanges":1}` + "\n" + `{"session":"a","upstream":"u","labels":{"k":"v"}}` + "\n" +
		`{"seq":3,"session":"a","started":"2026-01-01T00:00:00.1Z","upstream":"w","request":{"method":"GET","url":"/x?y","host":"h","proto":"HTTP/2.0","headers":{"A":"x","B":[{"base64":"/w=="}]},"base64":"/w==","trailers":{"T":[]}},` +
		`"response":{"status":204,"reason":"","proto":"HTTP/1.0","body":[1.0, 2],"u":{}},"timing":{"ttfb_ms":1.5,"total_ms":2,"pieces":[[0,1.5],[2,1.75]]},"ended":"interrupted","cause":"c","labels":{"l":"m"},"v":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := cassette.Read(bytes.NewReader(data), "fuzz")
		if err != nil || c.Head().Exchanges == 0 {
			return
		}
		first := export(t, c)
		again, err := cassette.Read(bytes.NewReader(first), "again")
		if err != nil {
			t.Fatalf("%v in %q", err, first)
		}
		if second := export(t, again); !bytes.Equal(first, second) {
			t.Fatalf("%q became %q", first, second)
		}
	})
}
