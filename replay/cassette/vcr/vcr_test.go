package vcr_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/cassettetest"
	"github.com/exodeck/exodeck/replay/cassette/vcr"
)

// lines are the exchanges of a cassette as our format has them.
func lines(t *testing.T, c *cassette.Cassette) []string {
	t.Helper()
	var out bytes.Buffer
	if _, err := cassette.Export(t.Context(), &out, c, cassette.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")[1:]
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		file string
		want []string
	}{
		{"go-vcr.yaml", []string{
			`{"session":"s1","upstream":"http://exo.example:52415"}`,
			`{"seq":1,"session":"s1","started":"1970-01-01T00:00:00.000000000Z","request":{"method":"POST","url":"/v1/chat/completions?x=1","host":"exo.example:52415","proto":"HTTP/1.1",` +
				`"headers":{"Content-Type":["application/json"]},"body":{"model":"m"}},"response":{"status":200,"headers":{"Content-Type":["text/event-stream"]},` +
				`"text":"data: {\"choices\":[{\"delta\":{\"content\":\"订购\"}}]}\n\ndata: [DONE]\n\n"},"timing":{"ttfb_ms":41.500,"total_ms":41.500,"pieces":[[0,41.500]]},"ended":"complete"}`,
		}},
		{"vcrpy.yaml", []string{
			`{"session":"s1","upstream":"https://exo.example"}`,
			`{"seq":1,"session":"s1","started":"1970-01-01T00:00:00.000000000Z","request":{"method":"POST","url":"/v1/messages","host":"exo.example","proto":"HTTP/1.1","headers":{"Accept":["*/*"]},` +
				`"body":{"model": "m", "messages": [{"role": "user", "content": "It's a long question"}]}},"response":{"status":529,"reason":"Overloaded",` +
				`"headers":{"Content-Length":["12"],"Content-Type":["application/json"]},"encoding":"gzip","body":{"error":{}}},"timing":{"ttfb_ms":0.000,"total_ms":0.000,"pieces":[[0,0.000]]},"ended":"complete"}`,
			`{"seq":2,"session":"s1","started":"1970-01-01T00:00:01.000000000Z","request":{"method":"GET","url":"/state","host":"exo.example","proto":"HTTP/1.1","headers":{"Accept":["*/*"]}},` +
				`"response":{"status":200,"headers":{"Content-Type":["application/json"]},"encoding":"br","body":{"a": "b\n", "long": "x y"}},"timing":{"ttfb_ms":0.000,"total_ms":0.000,"pieces":[[0,0.000]]},"ended":"complete"}`,
		}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			f, err := os.Open("testdata/" + tt.file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			c, err := vcr.Read(f, tt.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, lines(t, c)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "reading VCR cassette x.yaml: there are no interactions; is it a cassette of go-vcr or VCR.py?"},
		{"no YAML", "a: [", "yaml: "},
		{"a list", "- a", "yaml: "},
		{"a key twice", "interactions: []\ninteractions: []", "already defined"},
		{"a method of two words", "interactions: [{request: {method: GET x, uri: /}}]", `interactions[0]: request.method: "GET x" holds a blank`},
		{"no URL", "interactions: [{request: {method: GET}}]", "interactions[0]: request.url: it is missing"},
		{"no method", "interactions: [{request: {uri: /}}]", "interactions[0]: request.method: it is missing"},
		{"no status", "interactions: [{request: {method: GET, uri: /}}]", "interactions[0]: response.code: it is missing"},
		{"a status that is none", "interactions: [{request: {method: GET, uri: /}, response: {code: 7}}]", "interactions[0]: response.code: 7 is no status"},
		{"a header that is none", "interactions: [{request: {method: GET, uri: /, headers: {A: {b: c}}}, response: {code: 200}}]", "header A: "},
		{"aliases without end", bomb + "interactions: [{request: {method: GET, uri: /, headers: {A: *a11}}, response: {code: 200}}]", "yaml: "},
		{"nested deeply", "interactions: " + strings.Repeat("[", 100_000), "yaml: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := vcr.Read(strings.NewReader(tt.text), "x.yaml")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := vcr.Read(errorReader{}, "x.yaml"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, os.ErrClosed }

// FuzzRead: what can be read has whole exchanges, and is a cassette.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"go-vcr.yaml", "vcrpy.yaml"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := vcr.Read(bytes.NewReader(data), "fuzz.yaml")
		if err != nil {
			return
		}
		for x, err := range c.Entries(t.Context(), tape.Query{}) {
			if err != nil || x.Response.Status < 100 {
				t.Errorf("%v: %+v", err, x)
			}
		}
		cassettetest.ExportsTheSame(t, c)
	})
}

func Example() {
	const text = `
interactions:
- request: {method: GET, uri: "http://exo:52415/state"}
  response: {status: {code: 200, message: OK}, body: {string: "{}"}}
`
	c, err := vcr.Read(strings.NewReader(text), "x.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Head().Exchanges, "exchange")
	// Output: 1 exchange
}
