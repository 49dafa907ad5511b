package cassette_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/match"
)

// Secrets that nothing tells but where they stand, and one that its form tells.
const (
	plainSecret = "quay/side=0001"
	keySecret   = "hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEf12"
)

// quoted writes a text as a JSON string.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// exchangeLine is a line of a cassette that was written by hand, with members of the request, the response and the exchange.
func exchangeLine(request, response, line string) string {
	return `{"request":{"method":"POST","url":"/v1/chat/completions"` + request + `},"response":{"status":200` + response + `}` + line + "}\n"
}

// overLines is the key among other text, encoded and in lines of a length.
func overLines(encode func([]byte) string, length int, end string) string {
	rest := encode([]byte(strings.Repeat("TIDE=high\n", 7) + "KEY=" + keySecret + "\n" + strings.Repeat("TIDE=low\n", 7)))
	var lines []string
	for ; len(rest) > length; rest = rest[length:] {
		lines = append(lines, rest[:length])
	}
	return strings.Join(append(lines, rest), end)
}

// answeredBy asks what is recorded in asked of a recording, and returns the rule by which that answers; "" when it does not.
func answeredBy(t *testing.T, recorded, asked *cassette.Cassette) match.Rule {
	t.Helper()
	options, err := cassette.Matching(t.Context(), recorded, match.Default())
	if err != nil {
		t.Fatal(err)
	}
	index, err := match.NewIndex(t.Context(), recorded, options)
	if err != nil {
		t.Fatal(err)
	}
	for x, err := range asked.Entries(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		h := x.Request.Header.Clone()
		if h == nil {
			h = http.Header{}
		}
		for name, value := range x.Labels {
			h.Add("X-Exodeck-Label", name+"="+value)
		}
		hit, err := index.Find(t.Context(), match.Request{Method: x.Request.Method, URL: x.Request.URL, Header: h, Body: x.RequestBody})
		if err == nil {
			return hit.Rule
		}
	}
	return ""
}

// TestOddPlaces: secrets in odd places of a recording are in none of its redacted export, in whatever way they are written, and verify finds
// nothing there; of what was not redacted it does.
func TestOddPlaces(t *testing.T) {
	const echo = `,"text":"it said quay/side=0001 and hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEf12"`
	basic := base64.StdEncoding.EncodeToString([]byte("reader:" + plainSecret))
	multipart := "--b\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\n" + plainSecret + "\r\n--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--b--\r\n"
	for _, tt := range []struct{ name, text string }{
		{"a header, echoed", exchangeLine(`,"headers":{"Authorization":["Bearer `+plainSecret+`"]}`, echo, "")},
		{"a header of another scheme, echoed", exchangeLine(`,"headers":{"Authorization":["Token `+plainSecret+`"]}`, echo, "")},
		{"basic authentication, its password echoed", exchangeLine(`,"headers":{"Authorization":["Basic `+basic+`"]}`, echo, "")},
		{"a cookie, echoed", exchangeLine(`,"headers":{"Cookie":["theme=dark; session=`+plainSecret+`"]}`, echo, "")},
		{"a cookie that is set, echoed", exchangeLine("", `,"headers":{"Set-Cookie":["session=`+plainSecret+`; Path=/; HttpOnly"]}`+echo, "")},
		{"user information, echoed", strings.Replace(exchangeLine("", echo, ""), `"/v1`, `"http://reader:quay%2Fside%3D0001@exo/v1`, 1)},
		{"the upstream, echoed", `{"session":"s1","upstream":"http://reader:quay%2Fside%3D0001@exo"}` + "\n" + exchangeLine("", echo, `,"session":"s1"`)},
		{"a parameter, echoed", strings.Replace(exchangeLine("", echo, ""), `completions"`, `completions?api%5Fkey=quay%2Fside%3D0001"`, 1)},
		{"a parameter of a redirection", exchangeLine("", `,"headers":{"Location":["https://exo/back?code=quay%2Fside%3D0001&state=1"]}`+echo, "")},
		{"the fragment of a redirection", exchangeLine("", `,"headers":{"Location":["/back#access_token=quay%2Fside%3D0001&state=1"]}`+echo, "")},
		{"a parameter of where it came from", exchangeLine(`,"headers":{"Referer":["https://exo/?api_key=quay%2Fside%3D0001"]}`, echo, "")},
		{"a parameter in a cause", exchangeLine("", echo, `,"ended":"upstream_error","cause":"Post \"http://exo/v1?api_key=quay%2Fside%3D0001\": EOF"`)},
		{"a member", exchangeLine(`,"body":{"api_key":"`+plainSecret+`"}`, echo, "")},
		{"a member of a long name", exchangeLine(`,"body":{"openai_api_key":"`+plainSecret+`"}`, echo, "")},
		{"a member in mixed case", exchangeLine(`,"body":{"openaiApiKey":"`+plainSecret+`"}`, echo, "")},
		{"a member behind a byte order mark", exchangeLine(`,"text":`+quoted("\ufeff"+`{"api_key":"`+plainSecret+`"}`), echo, "")},
		{"a member that breaks off", exchangeLine(`,"text":`+quoted(`{"model":"m","api_key":"`+plainSecret), echo, "")},
		{"a member that is a list", exchangeLine(`,"body":{"extra_headers":{"X-Api-Key":["`+plainSecret+`"]}}`, echo, "")},
		{"a header of a tool server", exchangeLine(`,"body":{"tools":[{"type":"mcp","headers":{"Authorization":"Bearer `+plainSecret+`"}}]}`, echo, "")},
		{"the authorization of a tool server", exchangeLine(`,"body":{"tools":[{"type":"mcp","authorization":"`+plainSecret+`"}]}`, echo, "")},
		{"the token of a tool server", exchangeLine(`,"body":{"mcp_servers":[{"type":"url","authorization_token":"`+plainSecret+`"}]}`, echo, "")},
		{"a form", exchangeLine(`,"headers":{"Content-Type":["application/x-www-form-urlencoded"]},"text":"grant=1&client_secret=quay%2Fside%3D0001"`, echo, "")},
		{"a form in parts", exchangeLine(`,"headers":{"Content-Type":["multipart/form-data; boundary=b"]},"text":`+quoted(multipart), echo, "")},
		{"a label's name", exchangeLine("", "", `,"labels":{"`+keySecret+`":"x"}`)},
		{"a header's name", exchangeLine(`,"headers":{"`+keySecret+`":["x"]}`, "", "")},
		{"an unknown member's name", exchangeLine(`,"`+keySecret+`":1`, "", "")},
		{"an unknown member's name on the line", exchangeLine("", "", `,"`+keySecret+`":1`)},
		{"a trailer", exchangeLine("", `,"trailers":{"X-Note":["`+keySecret+`"]}`, "")},
		{"a folded header", exchangeLine(`,"headers":{"X-Note":["one\r\n `+keySecret+`"]}`, "", "")},
		{"a reason", exchangeLine("", `,"reason":"no `+keySecret+`"`, "")},
		{"the method", strings.Replace(exchangeLine("", "", ""), "POST", keySecret, 1)},
		{"the protocol", exchangeLine(`,"proto":"`+keySecret+`"`, "", "")},
		{"a part of a form", exchangeLine(`,"text":`+quoted("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\""+keySecret+"\"\r\n\r\n"+keySecret+"\r\n--b--"), "", "")},
		{"a tool's result", exchangeLine(`,"body":{"messages":[{"role":"tool","content":"{\"env\":\"KEY=`+keySecret+`\\n\"}"}]}`, "", "")},
		{"escaped in JSON in JSON", exchangeLine(`,"body":{"messages":[{"role":"tool","content":"{\"env\":\"\\u0068f_`+keySecret[3:]+`\"}"}]}`, "", "")},
		{"escaped as bytes", exchangeLine(`,"text":`+quoted(`b'hf\x5f`+keySecret[3:]+`'`), "", "")},
		{"base64 over lines", exchangeLine(`,"body":{"messages":[{"role":"tool","content":`+quoted(overLines(base64.StdEncoding.EncodeToString, 76, "\n"))+`}]}`, "", "")},
		{"base64 over lines of a mail", exchangeLine(`,"text":`+quoted("key:\r\n"+overLines(base64.StdEncoding.EncodeToString, 60, "\r\n")+"\r\nend"), "", "")},
		{"hexadecimal over lines", exchangeLine(`,"text":`+quoted(overLines(hex.EncodeToString, 60, "\n")), "", "")},
		{"a stream that breaks off", exchangeLine("", `,"text":`+quoted(strings.TrimSuffix(split("", keySecret), "\"}}]}\n\n")), `,"ended":"upstream_truncated"`)},
		{"a stream of another choice that breaks off", exchangeLine("", `,"text":`+quoted(strings.TrimSuffix(strings.ReplaceAll(split("", keySecret), `"index":0`, `"index":1`), "\"}}]}\n\n")), "")},
		{"over two events", exchangeLine("", `,"headers":{"Content-Type":["text/event-stream"]},"text":`+quoted(split("", keySecret)), "")},
		{"over two events without an index", exchangeLine("", `,"text":`+quoted(strings.Replace(split("", keySecret), `"index":0,`, "", 1)), "")},
		{"over two lines of NDJSON", exchangeLine("", `,"headers":{"Content-Type":["application/x-ndjson"]},"text":`+
			quoted(`{"message":{"content":"hf_AbCd"},"done":false}`+"\n"+`{"message":{"content":"EfGhIjKlMnOpQrStUvWxYzAbCdEf12"},"done":false}`+"\n"), "")},
		{"over two calls of one event", exchangeLine("", `,"text":`+quoted("data: "+`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"k\":\"hf_AbCd"}}]}}]}`+"\n\n"+
			"data: "+`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"EfGhIjKlMnOpQrStUvWxYzAbCdEf12\"}"}}]}}]}`+"\n\n"), "")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := cassette.Read(strings.NewReader(tt.text), "hand")
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if _, err := cassette.Export(t.Context(), &out, c, cassette.ExportOptions{Redact: &redact.Rules{}}); err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{"file": out.String(), "decoded": decoded(t, out.Bytes()), "one line": strings.NewReplacer(`\r`, "", `\n`, "").Replace(out.String())}
			for _, secret := range []string{plainSecret, keySecret} {
				for _, form := range traces(secret) {
					for where, text := range texts {
						if strings.Contains(text, form) {
							t.Errorf("%s is in the %s:\n%s", form, where, out.String())
						}
					}
				}
			}
			if strings.Contains(texts["decoded"], "EfGhIjKlMnOpQrStUvWxYzAbCdEf12") {
				t.Errorf("a part of the key is left:\n%s", out.String())
			}
			if got := verified(t, out.String()); got != "" {
				t.Errorf("verify says: %s", got)
			}
			redacted, err := cassette.Read(bytes.NewReader(out.Bytes()), "redacted")
			if err != nil {
				t.Fatal(err)
			}
			var again bytes.Buffer
			if _, err := cassette.Export(t.Context(), &again, redacted, cassette.ExportOptions{Redact: &redact.Rules{}}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(out.String(), again.String()); diff != "" {
				t.Errorf("redacted again (-first +second)\n%s", diff)
			}
			if got := answeredBy(t, redacted, c); got != match.Exact && tt.name != "the method" { // methods are compared as they are
				t.Errorf("the request as it was is answered by rule %q, want exact", got)
			}
			if got := verified(t, tt.text); got == "" {
				t.Error("verify does not see it in what was not redacted")
			} else if strings.Contains(got, plainSecret) || strings.Contains(got, keySecret) {
				t.Errorf("verify shows it: %s", got)
			}
		})
	}
}
