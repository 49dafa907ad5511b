package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared/bugreports"
	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/server"
)

// TestBugReports holds the server to the cases about replay, and to those about recording whose bytes have to come back as they were. Each
// is recorded from a live server, and then served.
//
// Without the shared vectors the same ground is covered by TestSameAsLive and TestSameAsLiveHTTP (all), TestUndoesCodings (106), TestLength
// (119), TestTiming and TestServedInPieces (111, 112, 119), and TestInOrder (117).
func TestBugReports(t *testing.T) {
	bugreports.Run(t, "replay/server", bugreports.Tests{
		"106": testWithoutCoding,
		"108": testServedAlike, // it breaks off where its client hung up: nobody takes it for whole
		"110": testServedAlike,
		"111": testServedAlike,
		"112": testServedAlike,
		"113": testServedAlike,
		"117": testServedInOrder,
		"119": testPiecesAndLength,
		"120": testServedAlike,
		"121": testServedAlike,
		"122": testServedAlike,
	})
}

// played records a case, its pieces as they are, and returns the tape.
func played(t *testing.T, c *bugreports.Case) *tape.Tape {
	t.Helper()
	d := decktest.New(t, filepath.Join(t.TempDir(), "live.tape"), tape.Session{})
	bugreports.Play(t, c, d.Transport(t))
	return d.Rewind(t)
}

// replayed asks a server for the answer to the request of a case over a bare connection. It returns the head, and what was sent of the
// body in one go each; broken says that the connection ended before the response did.
func replayed(t *testing.T, base string, req *http.Request) (head *http.Response, pieces []string, broken bool) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req.Close = true
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	var raw bytes.Buffer
	head, err = http.ReadResponse(bufio.NewReader(io.TeeReader(conn, &raw)), req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, head.Body); err != nil {
		broken = true
	}
	_, body, _ := strings.Cut(raw.String(), "\r\n\r\n")
	if !slices.Contains(head.TransferEncoding, "chunked") {
		return head, []string{body}, broken
	}
	for {
		var size int
		line, rest, ok := strings.Cut(body, "\r\n")
		if _, err := fmt.Sscanf(line, "%x", &size); !ok || err != nil || size > len(rest) {
			return head, pieces, true
		}
		if size == 0 {
			return head, pieces, broken
		}
		pieces = append(pieces, rest[:size])
		body = strings.TrimPrefix(rest[size:], "\r\n")
	}
}

// servedPieces serves a recorded case and checks all but the pieces of the body, which it returns.
func servedPieces(t *testing.T, c *bugreports.Case) (*http.Response, []string) {
	t.Helper()
	_, base := serve(t, server.Config{Source: played(t, c)})
	head, pieces, broken := replayed(t, base, c.NewRequest(t, base))
	c.CheckHead(t, head)
	if want := c.Response.End == "client-closed"; broken != want {
		t.Errorf("the response broke off: %v, want %v", broken, want)
	}
	return head, pieces
}

// testServedAlike: the bytes are those that were recorded, and where they were sent as a stream, so are the pieces.
func testServedAlike(t *testing.T, c *bugreports.Case) {
	head, pieces := servedPieces(t, c)
	if want := string(c.Response.Bytes()); strings.Join(pieces, "") != want {
		t.Errorf("%d bytes, want %d: %.200q", len(strings.Join(pieces, "")), len(want), pieces)
	}
	// What fills the buffer of the recorder comes in as many reads as it takes.
	if len(c.Response.Bytes()) > 1<<20 || !slices.Contains(head.TransferEncoding, "chunked") {
		return
	}
	var want []string
	for _, piece := range c.Response.Pieces() {
		want = append(want, string(piece))
	}
	if diff := cmp.Diff(want, pieces); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
}

// testPiecesAndLength: pieces are sent one by one without a length; headers of the recorded connection are not sent.
func testPiecesAndLength(t *testing.T, c *bugreports.Case) {
	var want struct {
		Pieces   int      `json:"replay_pieces"`
		NoHeader []string `json:"no_header"`
		Fault    string   `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	head, pieces := servedPieces(t, c)
	if len(pieces) != want.Pieces {
		t.Errorf("%d pieces, want %d: %q", len(pieces), want.Pieces, pieces)
	}
	if !slices.Contains(want.NoHeader, "content-length") || head.Header.Get("Content-Length") != "" || head.ContentLength != -1 {
		t.Errorf("a length: %v", head.Header)
	}
	// net/http takes the one that frames the body out of the headers: a second one, a copy, would have made the response unreadable.
	if len(head.TransferEncoding) != 1 || head.Header.Get("Transfer-Encoding") != "" {
		t.Errorf("transfer encodings %v, %v", head.TransferEncoding, head.Header)
	}
	testServedAlike(t, c)

	// A whole answer that was recorded in chunks has no length of its own; one whose length does not fit its body gets the right one.
	source := hand(t, `{"request":{"method":"GET","url":"/state"},"response":{"status":200,"headers":{"Content-Length":["3"],"Connection":["keep-alive"],`+
		`"Keep-Alive":["timeout=5"],"Transfer-Encoding":["chunked"]},"body":{"tide":"high"}}}`)
	_, base := serve(t, server.Config{Source: source})
	req, err := http.NewRequest("GET", base+"/state", nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, whole, broken := replayed(t, base, req)
	if text := strings.Join(whole, ""); broken || text != `{"tide":"high"}` || plain.ContentLength != int64(len(text)) {
		t.Errorf("%q of length %d, broken off: %v", text, plain.ContentLength, broken)
	}
	for _, name := range []string{"Keep-Alive", "Transfer-Encoding"} {
		if plain.Header.Get(name) != "" {
			t.Errorf("the header %s is of the recorded connection", name)
		}
	}
}

// testWithoutCoding: a client that undoes the coding gets what was recorded, one that does not gets a body that it can read.
func testWithoutCoding(t *testing.T, c *bugreports.Case) {
	testServedAlike(t, c)
	_, base := serve(t, server.Config{Source: played(t, c)})
	req := c.NewRequest(t, base)
	req.Header.Set("Accept-Encoding", "identity")
	head, pieces, broken := replayed(t, base, req)
	for _, name := range []string{"Content-Encoding", "Content-Length"} {
		if got := head.Header.Get(name); got != "" {
			t.Errorf("header %s is %q", name, got)
		}
	}
	if diff := cmp.Diff(jsonOf(t, c.Response.Body), jsonOf(t, []byte(strings.Join(pieces, "")))); diff != "" || broken {
		t.Errorf("broken off: %v; the body (-want +got):\n%s", broken, diff)
	}
}

// testServedInOrder: equal requests get their answers in recorded order, and one too many is told so.
func testServedInOrder(t *testing.T, c *bugreports.Case) {
	var want struct {
		Recorded []string `json:"recorded_answers"`
		Replayed []string `json:"replay_expect"`
		Fourth   string
		Fault    string `json:"fault_if_violated"`
	}
	c.Record(t, &want)
	checkOrder(t, c.Request, c.Response.Body, want.Recorded, want.Replayed)
}

// checkOrder records answers with these texts to one request, and asks for them and for one more.
func checkOrder(t *testing.T, request, answer []byte, recorded, want []string) {
	t.Helper()
	var lines []string
	for _, text := range recorded {
		lines = append(lines, fmt.Sprintf(`{"request":{"method":"POST","url":"/v1/chat/completions","body":%s},"response":{"status":200,"body":%s}}`,
			compact(t, request), saying(t, answer, text)))
	}
	q := question{method: "POST", path: "/v1/chat/completions", body: string(request)}
	for _, reuse := range []bool{false, true} {
		s, base := serve(t, server.Config{Source: hand(t, lines...), Match: match.Options{Reuse: reuse}})
		client := newClient(t)
		for i, text := range want {
			if got := ask(t, client, base, q); !strings.Contains(got.Body, `"`+text+`"`) {
				t.Errorf("reuse %v: answer %d is %s, want %s", reuse, i+1, got.Body, text)
			}
		}
		more := ask(t, client, base, q)
		switch {
		case !reuse && (!strings.HasPrefix(more.Status, "400 ") || !strings.Contains(more.Body, "not_recorded")):
			t.Errorf("one too many got %s %s", more.Status, more.Body)
		case reuse && !strings.Contains(more.Body, `"`+want[len(want)-1]+`"`):
			t.Errorf("one too many got %s, want the last answer again", more.Body)
		}
		if missed := len(s.Report().Missed); missed == 0 != reuse {
			t.Errorf("reuse %v: %d missed", reuse, missed)
		}
	}
}

// TestInOrder: the answers to equal requests come in recorded order, each once. The one behind the last is an error, or the last again when
// that was asked for; it is never the first.
func TestInOrder(t *testing.T) {
	answer := []byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}`)
	said := []string{"heads", "tails", "heads", "edge"}
	checkOrder(t, []byte(`{"model":"m","messages":[{"role":"user","content":"Toss a coin"}]}`), answer, said, said)
}

// TestServedInPieces: a stream is sent as it came, wherever it was cut.
func TestServedInPieces(t *testing.T) {
	c := &bugreports.Case{API: "chat", Request: []byte(`{"stream":true}`)}
	c.Response.Status, c.Response.Headers = 200, map[string]string{"Content-Type": "text/event-stream"}
	for _, piece := range []string{"da", "ta: \xe6\xbd", "\xae\n", "\ndata: [DONE]\n", "\n"} {
		c.Response.Add(piece)
	}
	testServedAlike(t, c)
}

// saying is an answer with another text.
func saying(t *testing.T, answer []byte, text string) string {
	t.Helper()
	var body struct {
		Choices []struct {
			Index   int `json:"index"`
			Message struct {
				Role    string `json:"role"`
				Content string `json:"content"`
			} `json:"message"`
			Finish string `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer, &body); err != nil || len(body.Choices) != 1 {
		t.Fatalf("%v: %s", err, answer)
	}
	body.Choices[0].Message.Content = text
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// compact puts JSON on one line.
func compact(t *testing.T, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func jsonOf(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %q", err, data)
	}
	return v
}
