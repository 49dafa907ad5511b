package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// redacted teaches a redactor the texts, and returns them redacted.
func redacted(r *Redactor, texts ...string) []string {
	for _, s := range texts {
		r.Body([]byte(s), "", nil)
	}
	r.Learned()
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = string(r.Body([]byte(s), "", nil))
	}
	return out
}

func jsonEscaped(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// unicodeEscaped writes every character as an escape.
func unicodeEscaped(s string) string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, `\u%04X`, c)
	}
	return b.String()
}

func percentEscaped(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

// writings are ways of writing a text.
var writings = []struct {
	name  string
	write func(string) string
	read  func(string) (string, error)
}{
	{"plain", func(s string) string { return s }, func(s string) (string, error) { return s, nil }},
	{"json", jsonEscaped, unquote},
	{"unicode", unicodeEscaped, unquote},
	{"query", url.QueryEscape, url.QueryUnescape},
	{"percent", percentEscaped, url.PathUnescape},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }, func(s string) (string, error) {
		b, err := base64.StdEncoding.DecodeString(s)
		return string(b), err
	}},
	{"base64url", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }, func(s string) (string, error) {
		// Of a run without "-", "_" and padding nobody knows which alphabet it is in, so that the other one may come out.
		b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(s), "="))
		return string(b), err
	}},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }, fromHex},
	{"HEX", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }, fromHex},
}

func unquote(s string) (out string, err error) {
	err = json.Unmarshal([]byte(`"`+s+`"`), &out)
	return out, err
}

func fromHex(s string) (string, error) {
	b, err := hex.DecodeString(s)
	return string(b), err
}

// TestWritings: a secret is found in every way of writing, inside every other, at every alignment, and what surrounds it stays.
func TestWritings(t *testing.T) {
	secret := sampleOf("sk-proj-{A:48}", 7)
	for _, outer := range writings {
		for _, inner := range writings {
			for lead := range 4 {
				t.Run(fmt.Sprintf("%s of %s/%d", outer.name, inner.name, lead), func(t *testing.T) {
					before, behind := "Tidé:"+strings.Repeat(" ", lead), " \"ebb\" "
					text := outer.write("<" + inner.write(before+secret+behind) + ">")
					got := redacted(New(Rules{}), text)[0]
					plain, err := outer.read(got)
					if err == nil {
						plain = strings.TrimSuffix(strings.TrimPrefix(plain, "<"), ">")
						plain, err = inner.read(plain)
					}
					if err != nil {
						t.Fatalf("%q became %q: %v", text, got, err)
					}
					if want := before + "[redacted:openai-key:1]" + behind; plain != want {
						t.Errorf("%q reads as %q, want %q", got, plain, want)
					}
					if found := NewScanner(Rules{}).Scan([]byte(got), nesting); len(found) > 0 {
						t.Errorf("still there: %v", found)
					}
				})
			}
		}
	}
}

// TestKnown: what is a secret in one place is replaced where only its value tells.
func TestKnown(t *testing.T) {
	r := New(Rules{JSON: paths(t, "$.user", "$.pin", "$.meta.*")})
	texts := []string{
		`{"text":"Ada Lovelace, aged 36, pin 1234; QWRhIExvdmVsYWNl"}`,
		`{"user":"Ada Lovelace","pin":1234,"meta":{"a":true,"b":null,"c":"","d":["x"],"e":"Ada Lovelace"},"other":"Ada"}`,
	}
	want := []string{
		`{"text":"[redacted:json:1], aged 36, pin 1234; W3JlZGFjdGVkOmpzb246MV0="}`,
		`{"user":"[redacted:json:1]","pin":"[redacted:json:2]","meta":{"a":"[redacted:json:3]","b":null,"c":"","d":"[redacted:json:4]","e":"[redacted:json:1]"},"other":"Ada"}`,
	}
	if diff := cmp.Diff(want, redacted(r, texts...)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func paths(t *testing.T, texts ...string) []Path {
	t.Helper()
	var all []Path
	for _, s := range texts {
		p, err := ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestNumbers: equal secrets get equal placeholders; numbers count by first appearance and go on behind those that are there already.
func TestNumbers(t *testing.T) {
	a, b := sampleOf("sk-proj-{A:48}", 1), sampleOf("sk-proj-{A:48}", 2)
	got := redacted(New(Rules{}), b+" "+a+" "+b, `{"x":"`+a+`","y":"[redacted:openai-key:4]","z":"[redacted:email:9]"}`)
	want := []string{
		"[redacted:openai-key:5] [redacted:openai-key:6] [redacted:openai-key:5]",
		`{"x":"[redacted:openai-key:6]","y":"[redacted:openai-key:4]","z":"[redacted:email:9]"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if again := redacted(New(Rules{}), got...); !cmp.Equal(got, again) {
		t.Errorf("redacted again: %q", again)
	}
}

func TestHeader(t *testing.T) {
	key := sampleOf("sk-proj-{A:48}", 3)
	h := http.Header{
		"Authorization": {"Bearer [fingerprint:2be851969212bc6b]", "bearer x"}, "X-Goog-Api-Key": {"k"}, "Set-Cookie": {"a=b"}, "X-Ratelimit-Remaining-Tokens": {"149"},
		"X-Note": {"see " + key}, "X-Tenant": {"harbour"}, "Www-Authenticate": {"Basic realm=x"}, "X-Amz-Security-Token": {"[redacted:header:7]"}, "Accept": {"*/*"}, "Idempotency-Key": {"u1"},
	}
	r := New(Rules{Headers: []string{"x-tenant"}})
	r.Header(h)
	r.Learned()
	want := http.Header{
		"Authorization": {"Bearer [redacted:header:8]", "bearer [redacted:header:9]"}, "X-Goog-Api-Key": {"[redacted:header:11]"}, "Set-Cookie": {"[redacted:header:10]"},
		"X-Ratelimit-Remaining-Tokens": {"149"}, "X-Note": {"see [redacted:openai-key:1]"}, "X-Tenant": {"[redacted:header:12]"}, "Www-Authenticate": {"Basic realm=x"},
		"X-Amz-Security-Token": {"[redacted:header:7]"}, "Accept": {"*/*"}, "Idempotency-Key": {"u1"},
	}
	if diff := cmp.Diff(want, r.Header(h)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestURL(t *testing.T) {
	key := sampleOf("sk-proj-{A:48}", 3)
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "/v1/models?a=b&c", "/v1/models?a=b&c"},
		{"parameter", "/x?a=1&api_key=hunter%2022", "/x?a=1&api_key=%5Bredacted%3Aparam%3A1%5D"},
		{"fingerprint", "/x?key=%5Bfingerprint%3A2be851969212bc6b%5D", "/x?key=%5Bredacted%3Aparam%3A1%5D"},
		{"placeholder", "/x?key=%5Bredacted%3Aparam%3A3%5D", "/x?key=%5Bredacted%3Aparam%3A3%5D"},
		{"user", "http://u:p@h/x", "http://h/x"},
		{"in the path", "/v1/" + key + "/x", "/v1/%5Bredacted%3Aopenai-key%3A1%5D/x"},
		{"in another parameter", "/x?q=my+" + url.QueryEscape(key), "/x?q=my+%5Bredacted%3Aopenai-key%3A1%5D"},
		{"percent-encoded", "/x?q=" + percentEscaped(key), "/x?q=%5Bredacted%3Aopenai-key%3A1%5D"},
		{"empty value", "/x?key=&b", "/x?key=&b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New(Rules{})
			r.URL(tt.in)
			r.Learned()
			if got := r.URL(tt.in); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	const doc = `{"user":"u","messages":[{"name":"n","content":[{"text":"t"}]},{"name":"m"}],"a key":{"token":"k1"},"deep":{"er":{"token":"k2"}}}`
	for _, tt := range []struct{ path, want string }{
		{"$.user", "u"}, {"$.messages[*].name", "n m"}, {"$.messages[1].name", "m"}, {"$..token", "k1 k2"}, {`$["a key"].token`, "k1"}, {"$['user']", "u"},
		{"$.messages[*].content[*].text", "t"}, {"$..text", "t"}, {"$.deep.*.token", "k2"}, {"$.name", ""}, {"$.messages.name", ""}, {"$.*.token", "k1"}, {"$..[1].name", "m"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			r := New(Rules{JSON: paths(t, tt.path)})
			r.Body([]byte(doc), "application/json", nil)
			var got []string
			for _, s := range r.order {
				got = append(got, s.value)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for _, path := range []string{"", "user", "$", "$.", "$user", "$.a[", "$.a[x]", "$.a[-1]", "$..", "$.a..b."} {
		if _, err := ParsePath(path); err == nil || !strings.Contains(err.Error(), "JSON path") {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// TestUnquoted: a secret that stands in JSON without quotes leaves JSON behind: in a body, in arguments inside of it, and in
// arguments that come in pieces.
func TestUnquoted(t *testing.T) {
	const teach = `{"id":123456789,"owner":{"name":"Ada"}}`
	rules := Rules{JSON: paths(t, "$.id", "$.owner")}
	for _, tt := range []struct{ name, body, want string }{
		{"number", `{"ref": 123456789 }`, `{"ref": "[redacted:json:1]" }`},
		{"part of a number", `[-1234567890, 12345678]`, `["-[redacted:json:1]0", 12345678]`},
		{"object", `{"refs":[{"name":"Ada"}]}`, `{"refs":["[redacted:json:2]"]}`},
		{"object with a number in it", `{"owner":{"name":"Ada"},"x":{"id":123456789}}`, `{"owner":"[redacted:json:2]","x":{"id":"[redacted:json:1]"}}`},
		{"in a string", `{"text":"number 123456789"}`, `{"text":"number [redacted:json:1]"}`},
		{"in arguments", `{"arguments":"{\"ref\":123456789,\"of\":{\"name\":\"Ada\"}}"}`, `{"arguments":"{\"ref\":\"[redacted:json:1]\",\"of\":\"[redacted:json:2]\"}"}`},
		{"in no JSON", `ref=123456789`, `ref=[redacted:json:1]`},
		{"in an event", "data: {\"ref\":123456789}\n\n", "data: {\"ref\":\"[redacted:json:1]\"}\n\n"},
		{
			"in arguments over two events", "data: {\"delta\":\"{\\\"ref\\\":1234\"}\n\ndata: {\"delta\":\"56789}\"}\n\n",
			"data: {\"delta\":\"{\\\"ref\\\":\\\"[redacted:json:1]\\\"\"}\n\ndata: {\"delta\":\"}\"}\n\n",
		},
		{
			"in arguments over two events, itself in one", "data: {\"delta\":\"{\\\"ref\\\":123456789\"}\n\ndata: {\"delta\":\"}\"}\n\n",
			"data: {\"delta\":\"{\\\"ref\\\":\\\"[redacted:json:1]\\\"\"}\n\ndata: {\"delta\":\"}\"}\n\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New(rules)
			if diff := cmp.Diff(tt.want, redacted(r, teach, tt.body)[1]); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := string(r.Body([]byte(tt.want), "", nil)); got != tt.want {
				t.Errorf("again: %s", got)
			}
		})
	}
}

// TestCanonical: a request and its redacted recording are the same, whatever the numbers.
func TestCanonical(t *testing.T) {
	rules := Rules{JSON: paths(t, "$.user")}
	key, other := sampleOf("sk-proj-{A:48}", 4), sampleOf("ghp_{A:36}", 5)
	body := `{"model":"m","user":"Ada Lovelace","messages":[{"role":"user","content":"I am Ada Lovelace, use ` + key + ` and ` + base64.StdEncoding.EncodeToString([]byte("user:"+other)) + `"}]}`
	r := New(rules)
	r.Body([]byte(other+" "+sampleOf("sk-proj-{A:48}", 6)+`{"user":"x"}`), "", nil)
	r.Body([]byte(body), "application/json", nil)
	r.Learned()
	recorded := r.Body([]byte(body), "application/json", nil)
	if bytes.Contains(recorded, []byte("Lovelace")) || !bytes.Contains(recorded, []byte("[redacted:openai-key:2]")) {
		t.Fatalf("redacted: %s", recorded)
	}
	asked := rules.Canonical(Request{URL: "/v1/x?q=" + key, Body: []byte(body)})
	kept := rules.Canonical(Request{URL: "/v1/x?q=%5Bredacted%3Aopenai-key%3A7%5D", Body: recorded})
	if diff := cmp.Diff(kept, asked); diff != "" {
		t.Errorf("(-recorded +asked)\n%s", diff)
	}
	plain := Request{URL: "/v1/x?q=y", Body: []byte(`{"a":"b"}`)}
	if diff := cmp.Diff(plain, rules.Canonical(plain)); diff != "" {
		t.Errorf("a request without secrets changed\n%s", diff)
	}
}

// TestParts: what a header that is redacted carries behind a scheme is a secret by itself, in what is recorded and in what is asked.
func TestParts(t *testing.T) {
	rules := Rules{Headers: []string{"X-Tenant"}}
	h := http.Header{"X-Tenant": {"Token quay-side-0001"}}
	body := []byte("sent by quay-side-0001")
	r := New(rules)
	r.Header(h)
	r.RequestBody(body, "")
	r.Learned()
	got := string(r.Header(h)["X-Tenant"][0]) + ", " + string(r.RequestBody(body, ""))
	if want := "[redacted:header:1], sent by [redacted:header:2]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r.Secrets() != 2 {
		t.Errorf("%d secrets, want 2", r.Secrets())
	}
	if got := string(rules.Canonical(Request{Header: h, Body: body}).Body); got != "sent by [redacted]" {
		t.Errorf("for comparison: %s", got)
	}
	r = New(Rules{})
	r.Header(http.Header{"Cookie": {"a=quay-side-0001; b=evening tide"}})
	r.Learned()
	if got := r.String("quay-side-0001, evening tide") + fmt.Sprint(r.Secrets()); got != "[redacted:header:2], evening tide2" {
		t.Errorf("of a cookie: %s", got)
	}
}
