package redact_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// TestText: whatever has the form of a secret is taken out of a text, and nothing else.
func TestText(t *testing.T) {
	const key, other = "sk-quay0side0of0the0old0harbour", "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "High water at noon, says the table.", "High water at noon, says the table."},
		{"empty", "", ""},
		{"short", "sk-1", "sk-1"},
		{"one", "the key is " + key + ".", "the key is [redacted:api-key:1]."},
		{"several", key + " " + other + " " + key, "[redacted:api-key:1] [redacted:github-token:1] [redacted:api-key:1]"},
		{"two of a kind", key + " " + key + "2", "[redacted:api-key:1] [redacted:api-key:2]"},
		{"placeholders", "[redacted:api-key:1] and " + key, "[redacted:api-key:1] and [redacted:api-key:2]"},
		{"JSON", `{"note":"a \"` + other + `\""}`, `{"note":"a \"[redacted:github-token:1]\""}`},
		{"JSON in JSON", `"{\"note\":\"a \\u0022` + other + `\\u0022\"}"`, `"{\"note\":\"a \\u0022[redacted:github-token:1]\\u0022\"}"`},
		{"escaped", `"\u0073k-quay0side0of0the0old0harbour"`, `"[redacted:api-key:1]"`},
		{"in a URL", "/?q=sk%2Dquay0side0of0the0old0harbour", "/?q=%5Bredacted%3Aapi-key%3A1%5D"},
		{"bearer", "Authorization: Bearer quay-side-0001-of-the-harbour", "Authorization: Bearer [redacted:bearer:1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := redact.Text(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTextAtOnce: reports are made by several goroutines.
func TestTextAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 50 {
				secret := fmt.Sprintf("sk-%d-%d-of-the-old-harbour", i, k)
				if got := redact.Text("is it " + secret + "?"); got != "is it [redacted:api-key:1]?" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkText(b *testing.B) {
	for _, text := range []string{"a call of get_tide (hermes) with {\"harbour\": \"Whitby\"}", strings.Repeat("At noon, says the <b>table</b>. ", 20)} {
		b.Run(fmt.Sprintf("%d bytes", len(text)), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				redact.Text(text)
			}
		})
	}
}
