package thread_test

import (
	"bytes"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/thread"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestPrint(t *testing.T) {
	const picture = `{"role":"user","content":[{"type":"text","text":"Which harbour is this?\nLook closely."},` +
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,V2hpdGJ5"}},{"type":"input_audio","input_audio":{"data":"AAAA"}}]}`
	page := strings.Repeat("All harbours of the coast. ", 300)
	for _, tt := range []struct {
		name      string
		exchanges []exchange
	}{
		{"tools", []exchange{
			{request: list(`{"role":"system","content":"Be brief."}`, u1) + `,"tools":[{"type":"function","function":{"name":"get_tide"}}]`, response: chatCall("c", `{"harbour":"Whitby","day":1}`)},
			{request: list(`{"role":"system","content":"Be brief."}`, u1, chatCallMessage, chatResult), response: chat("High at noon.")},
		}},
		{"large", []exchange{
			{request: list(picture, `{"role":"user","content":"`+page+`"}`), response: chat("Whitby.")},
		}},
		{"rough", []exchange{
			{request: list(u1), status: 503, response: `{"error":{"message":"loading\u001b[2J"}}`},
			{request: list(u1), response: chat("High at noon.")},
			{request: list(u1, a1, u2), response: chat("At one.")},
			{request: list(u1, a1, u3), response: chat("Bye."), model: "n"},
			{request: list(u1, a1, u2, `{"role":"assistant","content":"At two."}`, u3), ended: tape.UpstreamError},
			{request: list(u1, a1, u3, `{"role":"assistant","content":"Bye."}`, u1), response: chat("")},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var g thread.Grouper
			read := make(map[tape.Ref]*reading.Exchange)
			for i, e := range tt.exchanges {
				x := e.read(t, int64(i+1))
				read[x.Ref] = x
				g.Add(x)
			}
			if n := len(g.Threads()); n != 1 {
				t.Fatalf("%d conversations", n)
			}
			var out bytes.Buffer
			err := thread.Print(&out, g.Threads()[0], func(ref tape.Ref) (*reading.Exchange, error) { return read[ref], nil })
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, *update, filepath.Join("testdata", tt.name+".txt"), out.Bytes())
		})
	}
}

// The error of what is printed from is passed on, and nothing is printed.
func TestPrintFails(t *testing.T) {
	var g thread.Grouper
	g.Add(exchange{request: list(u1)}.read(t, 1))
	var out bytes.Buffer
	err := thread.Print(&out, g.Threads()[0], func(tape.Ref) (*reading.Exchange, error) { return nil, tape.ErrDamaged })
	if err != tape.ErrDamaged || out.Len() > 0 {
		t.Errorf("error %v, printed %q", err, out.String())
	}
}
