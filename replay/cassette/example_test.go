package cassette_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
)

const byHand = `{"request":{"method":"POST","url":"/v1/chat/completions","headers":{"X-Api-Key":"hunter22"},"body":{"model":"m","user":"Ada"}},"response":{"status":200,"body":{"choices":[]}}}
`

// A cassette that was written by hand is a recording like any other.
func ExampleRead() {
	c, err := cassette.Read(strings.NewReader(byHand), "by hand")
	if err != nil {
		fmt.Println(err)
		return
	}
	for x, err := range c.Exchanges(context.Background(), tape.Query{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(x.Session, x.Seq, x.Request.Method, x.Request.URL, x.Facts.Model, x.Response.Status)
	}
	// Output: s1 1 POST /v1/chat/completions m 200
}

// Exporting takes secrets out, and says in the first line by which rules.
func ExampleExport() {
	c, err := cassette.Read(strings.NewReader(byHand), "by hand")
	if err != nil {
		fmt.Println(err)
		return
	}
	user, err := redact.ParsePath("$.user")
	if err != nil {
		fmt.Println(err)
		return
	}
	done, err := cassette.Export(context.Background(), os.Stdout, c, cassette.ExportOptions{
		Name: "greeting", Generator: "exodeck v1.0.0", Redact: &redact.Rules{JSON: []redact.Path{user}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(done.Secrets, "secrets taken out")
	// Output:
	// {"cassette":1,"name":"greeting","created":"1970-01-01T00:00:00.000000000Z","generator":"exodeck v1.0.0","exchanges":1,"sha256":"1e2b8fc575f4e09d0e98b67e2f00529a10d9b4faceb8751c5ce30e0ae1328998","redaction":{"json":["$.user"]}}
	// {"session":"s1","upstream":""}
	// {"seq":1,"session":"s1","started":"1970-01-01T00:00:00.000000000Z","request":{"method":"POST","url":"/v1/chat/completions","proto":"HTTP/1.1","headers":{"X-Api-Key":["[redacted:header:1]"]},"body":{"model":"m","user":"[redacted:json:1]"}},"response":{"status":200,"body":{"choices":[]}},"timing":{"ttfb_ms":0.000,"total_ms":0.000,"pieces":[[0,0.000]]},"ended":"complete"}
	// 2 secrets taken out
}
