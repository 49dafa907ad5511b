package tape

import (
	"net/http"
	"strings"
	"testing"
)

var modelTexts = []struct{ name, text, want string }{
	{"first", `{"model":"tiny","messages":[]}`, "tiny"},
	{"last", `{"messages":[{"role":"user","content":"\"model\":\"no\""}],"model" : "tiny"}`, "tiny"},
	{"nested only", `{"a":{"model":"no"},"b":[{"model":"no"}]}`, ""},
	{"nested before", `{"a":{"model":"no"},"model":"tiny"}`, "tiny"},
	{"as a value", `{"a":"model","b":"no"}`, ""},
	{"escapes", `{"m\u006fdel":"mlx-community\/ti\u006ey \"8B\""}`, `mlx-community/tiny "8B"`},
	{"whitespace", " \n{\t\"model\"\r\n: \"tiny\" }", "tiny"},
	{"first of two", `{"model":"tiny","model":"no"}`, "tiny"},
	{"number", `{"model":7,"x":"no"}`, ""},
	{"null", `{"model":null,"x":"no"}`, ""},
	{"object", `{"model":{"id":"no"},"x":"no"}`, ""},
	{"array", `[{"model":"no"}]`, ""},
	{"string", `"model"`, ""},
	{"empty name", `{"":"no","model":"tiny"}`, "tiny"},
	{"long name", `{"` + strings.Repeat("x", 5000) + `":"no","model":"tiny"}`, "tiny"},
	{"long value before", `{"x":"` + strings.Repeat("y", 5000) + `","model":"tiny"}`, "tiny"},
	{"too long", `{"model":"` + strings.Repeat("y", 5000) + `","x":"no"}`, ""},
	{"cut off", `{"model":"ti`, ""},
	{"no JSON", "model=tiny&x={}", ""},
	{"after the end", `{} {"model":"no"}`, ""},
	{"empty", "", ""},
	{"closing first", `}{"model":"no"}`, ""},
	{"Unicode", `{"model":"模型"}`, "模型"},
}

func scanModel(pieces ...string) string {
	var s modelScanner
	for _, p := range pieces {
		s.Write([]byte(p))
	}
	return s.model
}

func TestModelScanner(t *testing.T) {
	for _, test := range modelTexts {
		t.Run(test.name, func(t *testing.T) {
			if got := scanModel(test.text); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
			if got := scanModel(strings.Split(test.text, "")...); got != test.want {
				t.Errorf("byte by byte: found %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzModelScanner(f *testing.F) {
	for _, test := range modelTexts {
		f.Add(test.text, len(test.text)/2)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		whole := scanModel(text)
		if len(whole) > maxModel {
			t.Errorf("a name of %d bytes", len(whole))
		}
		if at < 0 || at > len(text) {
			return
		}
		if cut := scanModel(text[:at], text[at:]); cut != whole {
			t.Errorf("found %q, and %q when cut at %d", whole, cut, at)
		}
	})
}

func TestStreams(t *testing.T) {
	for kind, want := range map[string]bool{
		"text/event-stream": true, "text/event-stream; charset=utf-8": true, "Application/X-NDJSON": true, "application/ndjson": true,
		"application/json": false, "": false, ";": false, "text/event-streams": false,
	} {
		if got := streams(http.Header{"Content-Type": {kind}}); got != want {
			t.Errorf("%q: %v", kind, got)
		}
	}
}
