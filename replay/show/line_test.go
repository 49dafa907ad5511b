package show_test

import (
	"testing"

	"github.com/exodeck/exodeck/replay/show"
)

func TestLine(t *testing.T) {
	for s, want := range map[string]string{
		"":                          "",
		" \t\n":                     "",
		"High at noon.":             "High at noon.",
		"\n High \t at\r\n\nnoon. ": "High at noon.",
		"\x1b[2JHigh\a":             `\x1b[2JHigh\a`,
		"High\u2028at":              "High at",
		"\xffHigh":                  `\xffHigh`,
	} {
		if got := show.Line(s); got != want {
			t.Errorf("Line(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	type verdict string
	for name, want := range map[verdict]string{"ok": "ok", "not_judged": "not judged", "": ""} {
		if got := show.Words(name); got != want {
			t.Errorf("Words(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestCodeSpan(t *testing.T) {
	for s, want := range map[string]string{
		"":         "",
		"noon":     "`noon`",
		"a`b":      "``a`b``",
		"`a`":      "`` `a` ``",
		"a``":      "``` a`` ```",
		" a ":      "`  a  `",
		" a":       "` a`",
		"a\nb\x1b": "`a\\nb\\x1b`",
	} {
		if got := show.CodeSpan(s); got != want {
			t.Errorf("CodeSpan(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestCodeBlock(t *testing.T) {
	for _, tt := range []struct{ indent, language, text, want string }{
		{"", "text", "High\nat noon\n", "```text\nHigh\nat noon\n```\n"},
		{"  ", "", "a\r\nb", "  ```\n  a\n  b\n  ```\n"},
		{"", "", "```\n````x", "`````\n```\n````x\n`````\n"},
		{"", "", "\x1b[2J", "```\n\\x1b[2J\n```\n"},
	} {
		if got := show.CodeBlock(tt.indent, tt.language, tt.text); got != tt.want {
			t.Errorf("CodeBlock(%q, %q, %q) = %q, want %q", tt.indent, tt.language, tt.text, got, tt.want)
		}
	}
}
