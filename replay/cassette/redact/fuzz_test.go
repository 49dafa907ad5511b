package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzBody: whatever a body is, redacting it ends, takes out a known secret, leaves nothing to find, changes nothing the second
// time, and JSON stays JSON.
func FuzzBody(f *testing.F) {
	for _, s := range []string{
		`{"a":"b"}`, "data: {\"choices\":[{\"delta\":{\"content\":\"sk-\"}}]}\n\ndata: x\n\n", "1.2.3.4. 5.6.7.8@9.de::1:2", `{"logprobs":{"content":[{"token":"a","bytes":[97]}]}}`,
		"%5Bredacted%3Ax%3A1%5D \\u0073k-proj", "-----BEGIN PRIVATE KEY-----\nx", "QUtJQUlPU0ZPRE5ON1BMQU5URUQ=", "{\"message\":{\"content\":\"x\"}}\n{\"done\":true}\n", "Ada Lovelace", "[[[[", "data:\ndata: {\ndata: }\n\n",
		`{"n":[123456789,-1234567890.5],"m":{"k":[1, 2]},"s":"{\"n\":123456789}"}`, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x4b\x04\x00\x43\xbe\xb7\xe8\x01\x00\x00\x00",
	} {
		f.Add([]byte(s), uint8(3))
	}
	path, err := ParsePath("$..user")
	if err != nil {
		f.Fatal(err)
	}
	rules := Rules{PII: true, JSON: []Path{path}}
	const secret = "Ada Lovelace"
	f.Fuzz(func(t *testing.T, body []byte, cut uint8) {
		at := int(cut) % (len(body) + 1)
		body = append(append(bytes.Clone(body[:at]), secret...), body[at:]...)
		r := New(rules)
		r.Body([]byte(`[{"user":"`+secret+`"},{"user":123456789},{"user":{"k":[1, 2]}}]`), "", nil)
		r.Body(body, "", nil)
		r.Learned()
		offsets := []int64{0, int64(at), int64(len(body) - 1)}
		got := r.Body(body, "", offsets)
		if r.Err() != nil {
			return
		}
		if strings.Contains(string(got), secret) {
			t.Errorf("%q became %q", body, got)
		}
		if valid := jsontext.Value(body).IsValid(); valid && !jsontext.Value(got).IsValid() {
			t.Errorf("%q became %q, which is no JSON", body, got)
		}
		if again := r.Body(got, "", nil); !bytes.Equal(again, got) {
			t.Errorf("%q became %q, then %q", body, got, again)
		}
		for i, offset := range offsets {
			if offset < 0 || offset > int64(len(got)) || i > 0 && offset < offsets[i-1] {
				t.Errorf("offsets %v in %d bytes", offsets, len(got))
			}
		}
	})
}

// spellings are ways of writing a text that are undone when it is searched.
var spellings = []struct {
	name  string
	write func(text string) string
}{
	{"as it is", func(text string) string { return text }},
	{"in JSON", func(text string) string {
		var b strings.Builder
		for i := range len(text) {
			fmt.Fprintf(&b, `\u%04x`, text[i])
		}
		return b.String()
	}},
	{"in percent", func(text string) string {
		var b strings.Builder
		for i := range len(text) {
			fmt.Fprintf(&b, "%%%02X", text[i])
		}
		return b.String()
	}},
	{"in hexadecimal", func(text string) string { return hex.EncodeToString([]byte(text)) }},
	{"in base64", func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }},
	{"in base64 for URLs", func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }},
}

// FuzzSpelled: a secret is gone from a body in whatever two ways it is written, one inside the other, and whatever stands around it. Within
// the first of them, too: base64 has it at every alignment.
func FuzzSpelled(f *testing.F) {
	for i := range len(spellings) * len(spellings) {
		f.Add(uint8(i), "[", "]", `{"a":"`, `"}`)
		f.Add(uint8(i), "ab", "", "data: {\"choices\":[{\"delta\":{\"content\":\"", "\"}}]}\n\ndata: [DONE]\n\n")
	}
	const secret = "Ada Lovelace 1815"
	path, err := ParsePath("$..user")
	if err != nil {
		f.Fatal(err)
	}
	rules := Rules{JSON: []Path{path}}
	f.Fuzz(func(t *testing.T, how uint8, before, after, head, tail string) {
		outer, inner := spellings[int(how)%len(spellings)], spellings[int(how)/len(spellings)%len(spellings)]
		written := outer.write(before + inner.write(secret) + after)
		body := head + " " + written + " " + tail // beside more of a code it would be part of another text
		r := New(rules)
		r.RequestBody([]byte(`[{"user":"`+secret+`"}]`), "application/json")
		r.Body([]byte(body), "", nil)
		r.Learned()
		got := string(r.Body([]byte(body), "", nil))
		if r.Err() != nil {
			return
		}
		if strings.Contains(got, written) {
			t.Errorf("%s, %s inside, %q became %q", outer.name, inner.name, body, got)
		}
	})
}

// FuzzParsePath: a path that can be read is kept as it is written, and leads where another reading of its steps says.
func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"$.user", "$.messages[*].name", "$..token", "$.a.*..b[2]", `$["a key"]['b']`, "$..[0]", "$.a[", "$..a..a..a"} {
		f.Add(s, "a/0/b/a")
	}
	f.Fuzz(func(t *testing.T, text, to string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		if p.String() != text {
			t.Errorf("%q is written %q", text, p)
		}
		var at []place
		for name := range strings.SplitSeq(to, "/") {
			if n, err := strconv.Atoi(name); err == nil && n >= 0 {
				at = append(at, place{index: n})
			} else {
				at = append(at, place{name: name, index: -1})
			}
		}
		if len(at) > 32 || len(p.steps) > 8 {
			return // the time is that of the many ways
		}
		// reached says which places are behind the steps so far.
		reached := make([]bool, len(at)+1)
		reached[0] = true
		for _, s := range p.steps {
			next := make([]bool, len(at)+1)
			for from, ok := range reached {
				for i := from; ok && i < len(at) && (i == from || s.deep); i++ {
					next[i+1] = next[i+1] || s.takes(at[i])
				}
			}
			reached = next
		}
		if got := p.matches(at); got != reached[len(at)] {
			t.Errorf("%q leads to %q: %v", text, to, got)
		}
	})
}
