package quote_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/conformance/quote"
)

// secret is a credential by its form.
const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

func TestShort(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"short", "At noon.", "At noon."},
		{"as long as may be", strings.Repeat("x", 120), strings.Repeat("x", 120)},
		{"too long", strings.Repeat("x", 121), strings.Repeat("x", 120) + "…"},
		{"too long inside of a character", strings.Repeat("x", 119) + "é.", strings.Repeat("x", 119) + "…"},
		{"not UTF-8", "mar\xe9e", "mar\ufffde"},
		{"a secret", "It is " + secret + ".", "It is [redacted:github-token:1]."},
		{"a secret that is cut", strings.Repeat("x ", 55) + secret, strings.Repeat("x ", 55) + "[redacted:…"},
	} {
		if diff := cmp.Diff(tt.want, quote.Short(tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestAround(t *testing.T) {
	long := strings.Repeat("é", 60)
	for _, tt := range []struct {
		name, text string
		offset     int
		want       string
	}{
		{"near the beginning", "At noon.<|im_end|>", 8, `"At noon.<|im_end|>"`},
		{"far from it", long + "<|im_end|>", len(long), `"éééééééééé<|im_end|>"`},
		{"behind a secret", secret + strings.Repeat(" noon", 2) + "<|im_end|>", len(secret) + 10, `"[redacted:github-token:1] noon noon<|im_end|>"`},
	} {
		if diff := cmp.Diff(tt.want, quote.Around(tt.text, tt.offset)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func FuzzAround(f *testing.F) {
	f.Add("At noon.<|im_end|>", 8)
	f.Add(strings.Repeat("é", 300)+secret+"<|im_end|>", 640)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		if offset < 0 || offset > len(text) {
			return
		}
		if got := quote.Around(text, offset); !utf8.ValidString(got) || strings.Contains(got, "\n") {
			t.Errorf("%q", got)
		}
	})
}

func Example() {
	fmt.Println(quote.Text("the key is " + secret))
	fmt.Println(quote.Line("  on\n one  line "))
	// Output:
	// "the key is [redacted:github-token:1]"
	// on one line
}
