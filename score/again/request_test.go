package again

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

// exchange is a recorded request.
func exchange(api tape.API, target, body string, header http.Header) *reading.Exchange {
	x := &tape.Exchange{Ref: tape.Ref{Session: "s1", Seq: 1}, Facts: tape.Facts{API: api}}
	x.Request = tape.Request{Method: "POST", URL: target, Header: header}
	return reading.New(x, []byte(body), nil)
}

func TestRequestBody(t *testing.T) {
	for _, test := range []struct {
		name    string
		api     tape.API
		body    string
		changes Changes
		want    string
	}{
		{"nothing changes", tape.OpenAI, `{ "model": "m", "messages": [] }`, Changes{}, `{ "model": "m", "messages": [] }`},
		{"the mode that was recorded changes nothing", tape.OpenAI, `{ "stream": true}`, Changes{Stream: On}, `{ "stream": true}`},
		{"on", tape.OpenAI, `{"model":"m","messages":[]}`, Changes{Stream: On}, `{"model":"m","messages":[],"stream":true}`},
		{"off", tape.OpenAI, `{"stream":true,"stream_options":{"include_usage":true},"model":"m"}`, Changes{Stream: Off}, `{"stream":false,"model":"m"}`},
		{"flip to a stream", tape.Claude, `{"stream":false,"model":"m"}`, Changes{Stream: Flip}, `{"stream":true,"model":"m"}`},
		{"flip to a whole answer", tape.Claude, `{"stream":true,"model":"m"}`, Changes{Stream: Flip}, `{"stream":false,"model":"m"}`},
		{"Ollama streams unless told not to", tape.Ollama, `{"model":"m"}`, Changes{Stream: Flip}, `{"model":"m","stream":false}`},
		{"model", tape.OpenAI, `{"model":"m","seed":1.0e0}`, Changes{Model: `m"2`}, `{"model":"m\"2","seed":1.0e0}`},
		{"a model that none was named before", tape.OpenAI, `{}`, Changes{Model: "n"}, `{"model":"n"}`},
		{"a name that is written otherwise", tape.OpenAI, `{"\u006dodel":"m"}`, Changes{Model: "n"}, `{"\u006dodel":"n"}`},
		{"inner members stay", tape.OpenAI, `{"messages":[{"model":"m","stream":false}]}`, Changes{Stream: On, Model: "n"}, `{"messages":[{"model":"m","stream":false}],"stream":true,"model":"n"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := test.changes.body(exchange(test.api, "/", test.body, nil))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRequestHead(t *testing.T) {
	upstream, err := url.Parse("http://gpu:9000/base/")
	if err != nil {
		t.Fatal(err)
	}
	recorded := http.Header{
		"Accept": {"application/json"}, "Content-Type": {"application/json"}, "Content-Length": {"9"}, "Content-Encoding": {"gzip"},
		"Authorization": {"Bearer [fingerprint:0123456789abcdef]"}, "X-Api-Key": {"[redacted:header:1]"}, "Connection": {"close"}, "X-Trace": {"a", "b"},
	}
	for _, test := range []struct {
		name    string
		changes Changes
		want    http.Header
	}{
		{"as recorded", Changes{}, http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}, "X-Trace": {"a", "b"}}},
		{"another mode accepts something else", Changes{Stream: Flip}, http.Header{"Content-Type": {"application/json"}, "X-Trace": {"a", "b"}}},
		{
			"added", Changes{Header: http.Header{"Authorization": {"Bearer k"}, "X-Trace": {"c"}}},
			http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer k"}, "Content-Type": {"application/json"}, "X-Trace": {"c"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := requestOf(exchange(tape.OpenAI, "/v1/chat/completions?x=1", `{"model":"m"}`, recorded), upstream, test.changes)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.URL.String(); r.Method != "POST" || got != "http://gpu:9000/base/v1/chat/completions?x=1" {
				t.Errorf("asks %s %s", r.Method, got)
			}
			if diff := cmp.Diff(test.want, r.Header); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
			body, err := io.ReadAll(r.Body)
			if err != nil || r.ContentLength != int64(len(body)) {
				t.Errorf("Content-Length is %d, the body has %d bytes (%v)", r.ContentLength, len(body), err)
			}
		})
	}
}

// What stands in for a credential is not sent: the server would take it for one.
func TestSentQuery(t *testing.T) {
	for raw, want := range map[string]string{
		"":                     "",
		"x=1&y=a%20b&flag&x=2": "x=1&y=a%20b&flag&x=2",
		"api_key=%5Bfingerprint%3A0123456789abcdef%5D":               "",
		"b=1&api_key=%5Bfingerprint%3A0123456789abcdef%5D&a=%5B1%5D": "b=1&a=%5B1%5D",
		"api_key=[fingerprint:0123456789abcdef]&b=%zz":               "b=%zz",
		"token=%5bredacted%3akey%3a1%5d&b=1":                         "b=1",
	} {
		if got := sentQuery(raw); got != want {
			t.Errorf("sentQuery(%q) = %q, want %q", raw, got, want)
		}
	}
}

// FuzzRewrite sets and drops members of any object: the result must be JSON, and setting again must not change it.
func FuzzRewrite(f *testing.F) {
	for _, s := range []string{`{}`, `{"stream":true,"stream_options":{}}`, `{"a":1,"a":2,"stream":{"stream":[]}}`, `{"stream":tru`, `[]`, `{"\ud800":1}`} {
		f.Add([]byte(s))
	}
	set := []member{{"stream", []byte("false")}}
	f.Fuzz(func(t *testing.T, object []byte) {
		once, err := rewrite(object, set, "stream_options")
		if err != nil || len(bytes.TrimSpace(object)) == 0 || bytes.TrimSpace(object)[0] != '{' {
			return
		}
		if json.Valid(object) && !json.Valid(once) {
			t.Errorf("%q became %q, which is no JSON", object, once)
		}
		var got struct{ Stream any }
		if json.Unmarshal(once, &got) == nil && bytes.Count(once, []byte("tream")) == 1 && got.Stream != false {
			t.Errorf("%q became %q", object, once)
		}
		twice, err := rewrite(once, set, "stream_options")
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%q became %q, then %q (%v)", object, once, twice, err)
		}
	})
}
