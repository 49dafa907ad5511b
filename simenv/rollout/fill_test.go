package rollout

import (
	"regexp"
	"testing"
)

// bracesAgain fills a template in in another way than the code under test.
func bracesAgain(text string, fields map[string]string) (string, bool) {
	ok := true
	filled := regexp.MustCompile(`\{\{|\}\}|\{[^}]*\}|[{}]`).ReplaceAllStringFunc(text, func(s string) string {
		switch {
		case s == "{{" || s == "}}":
			return s[:1]
		case len(s) == 1:
			ok = false
			return ""
		}
		value, known := fields[s[1:len(s)-1]]
		ok = ok && known
		return value
	})
	return filled, ok
}

// FuzzFill: a template is filled in as another reading of it says.
func FuzzFill(f *testing.F) {
	for _, s := range []string{"a {history} b {{x}} {functions}", "{", "}", "{}", "{{{history}}}", "}}{{", "{histor}", "{history{}}"} {
		f.Add(s, "{functions}")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		fields := map[string]string{"history": value, "functions": "[]"}
		want, ok := bracesAgain(text, fields)
		if got, err := fill(text, fields); (err == nil) != ok || ok && got != want {
			t.Errorf("%q became %q, %v, want %q, %v", text, got, err, want, ok)
		}
	})
}
