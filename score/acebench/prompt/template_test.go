package prompt

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

// FuzzTemplate: a template is filled in as another reading of it says.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"a {time} b {{x}} {function}", "{", "}", "{}", "{{{time}}}", "}}{{", "{tim}", "{time{}}"} {
		f.Add(s, "{function}")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		fields := map[string]string{"time": value, "function": "[]"}
		want, ok := bracesAgain(text, fields)
		parsed, err := parse(text, "time", "function")
		if (err == nil) != ok || ok && parsed.fill(fields) != want {
			t.Errorf("%q became %q, %v, want %q, %v", text, parsed.fill(fields), err, want, ok)
		}
	})
}
