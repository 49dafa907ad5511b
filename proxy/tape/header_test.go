package tape

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeaderText(t *testing.T) {
	h := http.Header{"B": {"2", ""}, "A": {`"quoted" <&> ` + "\u2028"}, "Latin": {"caf\xe9"}, "Z": {}}
	const want = `{"A":["\"quoted\" <&> ` + "\u2028" + `"],"B":["2",""],"Latin":[{"base64":"Y2Fm6Q=="}],"Z":[]}`
	got := encodeHeader(h)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	back, err := decodeHeader(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, back); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if encodeHeader(nil) != nil || encodeHeader(http.Header{}) != nil {
		t.Error("an empty header has a text")
	}
}

func FuzzHeader(f *testing.F) {
	f.Add("Content-Type", "application/json", "caf\xe9")
	f.Add("", "", "\x00")
	f.Fuzz(func(t *testing.T, name, one, two string) {
		h := http.Header{"Fixed": {one, two}, http.CanonicalHeaderKey(name): {two}}
		back, err := decodeHeader(encodeHeader(h))
		if err != nil {
			t.Fatal(err)
		}
		// Only names that HTTP allows come back as they were: all are ASCII.
		if diff := cmp.Diff(h["Fixed"], back["Fixed"]); name != "Fixed" && diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
}

func FuzzDecodeHeader(f *testing.F) {
	f.Add([]byte(`{"A":["b",{"base64":"Yw=="}]}`))
	f.Add([]byte(`{"A":null}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := decodeHeader(text)
		if err != nil {
			return
		}
		again, err := decodeHeader(encodeHeader(h))
		if err != nil || len(h) > 0 && !cmp.Equal(h, again) {
			t.Errorf("%q was read as %v, and that as %v, %v", text, h, again, err)
		}
	})
}

// BenchmarkDecodeHeader reads the header of a request of an SDK.
func BenchmarkDecodeHeader(b *testing.B) {
	text := encodeHeader(http.Header{"Content-Type": {"application/json"}, "User-Agent": {"OpenAI/Python 1.99"}, "Accept": {"*/*"},
		"Accept-Encoding": {"gzip, deflate, br"}, "Authorization": {"[fingerprint:0123456789abcdef]"}, "Content-Length": {"6100"}})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeHeader(text); err != nil {
			b.Fatal(err)
		}
	}
}
