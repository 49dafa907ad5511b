package conformance_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/conformance"
)

// Two credentials by their form. Of the longer one no half may be shown.
const (
	secret     = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	longSecret = "sk-ant-api03-" + "quay0side0of0the0old0harbour0in0the0west0" + "quay0side0of0the0old0harbour0in0the0west0AA"
)

// TestHide: whatever of an exchange a report quotes, it quotes without secrets, and the judgement is the same.
func TestHide(t *testing.T) {
	for _, tt := range []struct {
		name, code string
		sent       sent
	}{
		{"a call in the text", "call-in-content", chat(ask(withTools), says(`<tool_call>{"name": "get_tide", "arguments": {"port": "`+secret+`"}}</tool_call>`))},
		{"a call in the reasoning", "call-in-reasoning", chat(ask(withTools), whole(`"content":"","reasoning_content":`+quote(`<tool_call>{"name": "get_tide", "arguments": {"port": "`+secret+`"}}</tool_call>`), `"stop"`))},
		{"before markup", "leaked-markup-in-content", chat(ask(""), says(strings.Repeat("At noon. ", 20)+secret+"<|im_end|>"))},
		{"far before markup", "leaked-markup-in-content", chat(ask(""), says(strings.Repeat("At noon. ", 400)+longSecret+"<|im_end|>"))},
		{"behind markup", "leaked-markup-in-content", chat(ask(""), says("<|im_end|>"+strings.Repeat("At noon. ", 9)+secret))},
		{"behind a long secret", "leaked-markup-in-content", chat(ask(""), says("<|im_end|>sk-ant-api03-"+strings.Repeat("quay0", 110)+" At noon. At noon. At noon. "+secret))},
		{"an error", "http-error", chat(ask(""), `{"error":{"message":"Incorrect API key provided: `+secret+`"}}`).As(401, "application/json")},
		{"no JSON", "non-json-error-body", chat(ask(""), "no such key: "+secret).As(401, "application/json")},
		{"arguments", "", chat(ask(withTools), tide(`{"port":"`+secret+`"}`))},
		{"arguments that break off", "arguments-truncated", chat(ask(withTools), tide(`{"port":"`+secret))},
		{"a key without an end", "", chat(ask(withTools), tide(`{"port":"-----BEGIN PRIVATE KEY-----\\n`+secret+`"}`))},
		{"a name", "unknown-tool", chat(ask(withTools), calls(call("c1", secret, "{}")))},
		{"an id", "", chat(ask(withTools), calls(call(secret, "get_tide", `{"port":"Vigo"}`)))},
		{"the name of a property", "extra-property", chat(ask(withTools), tide(`{"port":"Vigo","`+secret+`":1}`))},
		{"a pattern that was not checked", "", checked(`{"properties":{"s":{"pattern":"(?=`+secret+`)"}}}`, `{}`)},
		{"a finish reason", "", chat(ask(""), whole(`"content":"At noon."`, quote(secret)))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := conformance.New(conformance.Rules{}).Exchange(tt.sent.Read(t))
			written, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := r.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			for _, whole := range []string{string(written), text.String()} {
				for _, s := range []string{secret, longSecret} {
					for _, part := range []string{s[:20], s[len(s)-12:]} {
						if strings.Contains(whole, part) {
							t.Errorf("%q in %s", part, whole)
						}
					}
				}
			}
			if tt.code != "" && !r.Has(tt.code) {
				t.Errorf("no %s in %s", tt.code, written)
			}
			if !strings.Contains(string(written), "[redacted:") {
				t.Errorf("no placeholder in %s", written)
			}
		})
	}
}

// TestHideModel: a model may be called by anything.
func TestHideModel(t *testing.T) {
	x := chat(ask(""), says("Noon.")).Read(t)
	x.Facts.Model = secret
	if got := conformance.New(conformance.Rules{}).Exchange(x).Model; got != "[redacted:github-token:1]" {
		t.Errorf("model %q", got)
	}
	if x.Facts.Model != secret {
		t.Errorf("the exchange itself has now the model %q", x.Facts.Model)
	}
}
