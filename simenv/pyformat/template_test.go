package pyformat_test

import (
	"regexp"
	"testing"

	"github.com/exodeck/exodeck/simenv/pyformat"
)

func TestFill(t *testing.T) {
	values := map[string]string{"a": "{b}", "b": "}"}
	for _, tt := range []struct{ template, want string }{
		{"", ""},
		{"plain", "plain"},
		{"{a}{b}", "{b}}"},
		{"{{a}} {a}.", "{a} {b}."},
		{"潮{a}", "潮{b}"},
		{"{a}{none}", "{b}"},
	} {
		parsed, err := pyformat.Parse(tt.template, "a", "b", "none")
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.template, err)
		} else if got := parsed.Fill(values); got != tt.want {
			t.Errorf("Fill of %q = %q, want %q", tt.template, got, tt.want)
		}
	}
	var zero pyformat.Template
	if got := zero.Fill(values); got != "" {
		t.Errorf("the zero template = %q", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"an unknown field", "{time} {tide}", "the field {tide} at byte 7 is not one of time, place"},
		{"a position", "{}", "the field {} at byte 0 is not one of time, place"},
		{"a conversion", "{time!r}", "the field {time!r} at byte 0 is not one of time, place"},
		{"an open brace", "see {time", "a { without its } at byte 4; write it twice where it is meant as text"},
		{"a closing brace", "see }", "a } without its { at byte 4; write it twice where it is meant as text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := pyformat.Parse(tt.text, "time", "place")
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

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

// FuzzParse: a template is filled in as another reading of it says.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a {time} b {{x}} {place}", "{", "}", "{}", "{{{time}}}", "}}{{", "{tim}", "{time{}}"} {
		f.Add(s, "{place}")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		fields := map[string]string{"time": value, "place": "[]"}
		want, ok := bracesAgain(text, fields)
		parsed, err := pyformat.Parse(text, "time", "place")
		if (err == nil) != ok || ok && parsed.Fill(fields) != want {
			t.Errorf("%q became %q, %v, want %q, %v", text, parsed.Fill(fields), err, want, ok)
		}
	})
}
