package cassette_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// TestVerifyCoded: a body that is still coded is looked into, and one that cannot be decoded is a problem of its own.
func TestVerifyCoded(t *testing.T) {
	const said = `{"token":"hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEf12"}`
	br := brotlied(t, said)
	for _, tt := range []struct {
		name, coding string
		body         []byte
		want         string
	}{
		{"gzip without a header", "", gzipped([]byte(said)), "line 1: response.base64: huggingface-token hf_A… (gzip)"},
		{"gzip in base64", "", []byte("\xff" + base64.StdEncoding.EncodeToString(gzipped([]byte(said)))), "line 1: response.base64: huggingface-token H4sI… (base64, gzip)"},
		{"gzip", "gzip", gzipped([]byte(said)), "line 1: response.base64: huggingface-token hf_A…"},
		{"br", "br", br, "line 1: response.base64: huggingface-token hf_A…"},
		{"one after the other", "br, gzip", gzipped(br), "line 1: response.base64: huggingface-token hf_A…"},
		{"not known", "compress", []byte("\x1f\x9d"), `line 1: response.base64: a body whose content coding (compress) cannot be undone, so that nobody knows what is in it: content coding "compress" is not known (gzip, deflate, br and zstd are)`},
		{"not what the header says", "br", []byte("\xff\xff"), "a body whose content coding (br) cannot be undone"},
		{"a bomb", "gzip", gzipBomb(cassette.MaxBody + 1), "cannot be undone, so that nobody knows what is in it: too large for a cassette: it decodes to more than 64 MiB"},
		{"nothing secret", "gzip", gzipped([]byte(`{"token":"none"}`)), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := fmt.Sprintf(`{"request":{"method":"GET","url":"/"},"response":{"status":200,"headers":{"content-encoding":[%q]},"base64":%q}}`, tt.coding, base64.StdEncoding.EncodeToString(tt.body))
			problems, err := cassette.Verify(t.Context(), strings.NewReader(text), redact.Rules{})
			switch {
			case err != nil:
				t.Error(err)
			case tt.want == "" && len(problems) > 0, tt.want != "" && (len(problems) != 1 || !strings.Contains(problems[0].String(), tt.want)):
				t.Errorf("found %v, want %q", problems, tt.want)
			}
		})
	}
}

// TestVerifyMembers: credentials under telling names are found in the bodies of requests, in files of others too, and nowhere else.
func TestVerifyMembers(t *testing.T) {
	const body = `{"metadata":{"password":"quay-side-0001"}}`
	const what = ": a value of the member metadata.password"
	for _, tt := range []struct{ name, text, want string }{
		{"JSON", `{"request":{"method":"POST","url":"/","body":` + body + `}}`, "line 1: request.body" + what},
		{"text", fmt.Sprintf(`{"request":{"method":"POST","url":"/","text":%q}}`, body+"\t"), "line 1: request.text" + what},
		{"base64", `{"request":{"method":"POST","url":"/","base64":"` + base64.StdEncoding.EncodeToString([]byte(body+"\xff")) + `"}}`, "line 1: request.base64" + what},
		{"VCR", fmt.Sprintf(`{"interactions":[{"request":{"body":%q}}]}`, body), "line 1: interactions[0].request.body" + what},
		{"HAR", fmt.Sprintf(`{"log":{"entries":[{"request":{"postData":{"text":%q}}}]}}`, body), "line 1: log.entries[0].request.postData.text" + what},
		{"a pair", `{"url":"/v1/responses","request":` + body + `,"response":{}}`, "line 1: request" + what},
		{"a pair that says method", `{"request":{"metadata":{"method":"x","password":"quay-side-0001"}},"response":{}}`, "line 1: request" + what},
		{"inside of a pair", fmt.Sprintf(`{"request":{"input":%q,"text":%q,"request":{"body":%s},"messages":[%s]},"response":%s}`, body, body, body, body, body), ""},
		{"VCR that keeps a string", fmt.Sprintf(`{"interactions":[{"request":{"body":{"string":%q}}}]}`, body), "line 1: interactions[0].request.body.string" + what},
		{"a body with a string", fmt.Sprintf(`{"request":{"method":"POST","url":"/","body":{"string":%q}}}`, body), ""},
		{"taken out", `{"request":{"method":"POST","url":"/","body":` + strings.Replace(body, "quay-side-0001", "[redacted:member:1]", 1) + `}}`, ""},
		{"response", `{"request":{"method":"GET","url":"/"},"response":{"status":200,"body":` + body + `}}`, ""},
		{"messages", `{"request":{"method":"POST","url":"/","body":{"messages":[` + body + `],"input":{"request":{"body":` + body + `}}}}}`, ""},
		{"a request inside of a response", fmt.Sprintf(`{"response":{"status":200,"body":{"request":{"body":%s,"text":%q}}}}`, body, body), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := verified(t, tt.text); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

// TestVerifyPlaces: what makes a value a credential is the place it has, in files of others too.
func TestVerifyPlaces(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"the URL of a pair", `{"url":"/v1/responses?api_key=quay-side-0001","request":{}}`, "line 1: url: a value of the query parameter api_key"},
		{"a form in a HAR", `{"log":{"entries":[{"request":{"postData":{"params":[{"name":"client_secret","value":"quay-side-0001"},{"name":"grant","value":"quay-side-0002"}]}}}]}}`,
			"line 1: log.entries[0].request.postData.params[0].value: a value of the form field client_secret"},
		{"a form in a VCR", `{"interactions":[{"request":{"form":{"client_secret":["quay-side-0001"],"grant":["quay-side-0002"]}}}]}`,
			"line 1: interactions[0].request.form.client_secret[0]: a value of the form field client_secret"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := verified(t, tt.text); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

// verified returns the problems of a text, a line each.
func verified(t *testing.T, text string) string {
	t.Helper()
	problems, err := cassette.Verify(t.Context(), strings.NewReader(text), redact.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// TestVerifyYAML: a VCR cassette is read as one, so that headers, members of bodies, and texts that are folded or coded are seen.
func TestVerifyYAML(t *testing.T) {
	const key = "hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEf12"
	head := "---\nversion: 2\ninteractions:\n- request:\n    method: POST\n"
	for _, tt := range []struct{ name, text, want string }{
		{"nothing secret", head + "    headers: {Authorization: ['[redacted:header:1]']}\n    body: '{\"model\":\"m\"}'\n", ""},
		{"a header behind a placeholder", head + "    headers:\n      Authorization: ['[redacted:header:1]quay-side-0001']\n",
			"line 7: interactions[0].request.headers.Authorization[0]: a value of a header that carries credentials"},
		{"a header", head + "    headers:\n      Authorization: [Bearer quay-side-0001]\n",
			"line 7: interactions[0].request.headers.Authorization[0]: a value of a header that carries credentials"},
		{"a query", head + "    uri: http://exo/?api_key=quay-side-0001\n", "line 6: interactions[0].request.uri: a value of the query parameter api_key"},
		{"a member", head + "    body: '{\"api_key\":\"quay-side-0001\"}'\n", "line 6: interactions[0].request.body: a value of the member api_key"},
		{"a member in a string", head + "    body: {string: '{\"api_key\":\"quay-side-0001\"}'}\n",
			"line 6: interactions[0].request.body.string: a value of the member api_key"},
		{"folded", head + "  response:\n    body: \"the key is " + key[:10] + "\\\n      " + key[10:] + "\"\n", "line 7: interactions[0].response.body: huggingface-token hf_A…"},
		{"coded, in front of its header", head + "  response:\n    body: {base64_string: " + base64.StdEncoding.EncodeToString(brotlied(t, key)) + "}\n    headers: {Content-Encoding: [br]}\n",
			"line 7: interactions[0].response.body.base64_string: huggingface-token hf_A…"},
		{"binary", head + "  response:\n    body: !!binary " + base64.StdEncoding.EncodeToString([]byte("\xff"+key)) + "\n", "line 7: interactions[0].response.body: huggingface-token hf_A…"},
		{"over events", head + "  response:\n    body: |\n" + split("      ", key), "line 7: interactions[0].response.body: huggingface-token \"hf_… (split)\nline 7: interactions[0].response.body: huggingface-token \"GhI… (split)"},
		{"a comment", head + "    # it was " + key + "\n    host: exo\n", "line 7: interactions[0].request.host: huggingface-token hf_A…"},
		{"a second document", head + "---\ninteractions:\n- request: {host: " + key + "}\n", "line 8: interactions[0].request.host: huggingface-token hf_A…"},
		{"a name", head + "    headers: {" + key + ": [x]}\n", "line 6: interactions[0].request.headers.hf_A…: huggingface-token hf_A…"},
		{"an alias", head + "    host: &a " + key + "\n    proto: *a\n", "line 6: interactions[0].request.host: huggingface-token hf_A…"},
		{"no YAML", "interactions:\n\t- " + key + "\n", "line 2: huggingface-token hf_A…"},
		{"another YAML", "others:\n- headers: {Authorization: [quay-side-0001]}\n- " + key + "\n", "line 3: huggingface-token hf_A…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := verified(t, tt.text); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

// split is a stream that says text over two events.
func split(indent, text string) string {
	var b strings.Builder
	for _, part := range []string{text[:9], text[9:]} {
		fmt.Fprintf(&b, "%sdata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n%s\n", indent, part, indent)
	}
	return b.String()
}

func brotlied(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
