package pycall

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestNestingOfBrackets(t *testing.T) {
	for _, pair := range []string{"[]", "()", "{}"} {
		deep := func(n int) string { return strings.Repeat(pair[:1], n) + "1" + strings.Repeat(pair[1:], n) }
		if _, err := Parse(deep(MaxNesting)); err != nil {
			t.Errorf("%d of %s: %v", MaxNesting, pair, err)
		}
		if _, err := Parse(deep(MaxNesting + 1)); err == nil || err.Error() != "too many nested parentheses (line 1, column 201, byte 200)" {
			t.Errorf("%d of %s: %v", MaxNesting+1, pair, err)
		}
	}
}

// TestDepth builds what is nested without brackets. CPython 3.11 takes 2,987 levels or a few more.
func TestDepth(t *testing.T) {
	for name, deep := range map[string]func(n int) string{
		"minus":     func(n int) string { return strings.Repeat("-", n) + "1" },
		"not":       func(n int) string { return strings.Repeat("not ", n) + "1" },
		"power":     func(n int) string { return "1" + strings.Repeat("**1", n) },
		"sum":       func(n int) string { return "1" + strings.Repeat("+1", n) },
		"attribute": func(n int) string { return "x" + strings.Repeat(".y", n) },
		"call":      func(n int) string { return "x" + strings.Repeat("()", n) },
		"subscript": func(n int) string { return "x" + strings.Repeat("[0]", n) },
		"if":        func(n int) string { return strings.Repeat("a if b else ", n) + "c" },
		"lambda":    func(n int) string { return strings.Repeat("lambda:", n) + "1" },
		"lambda parameter": func(n int) string {
			return strings.Repeat("lambda x=", n) + "1" + strings.Repeat(":1", n)
		},
		"mixed": func(n int) string {
			return strings.Repeat("(x"+strings.Repeat(".y", n/100)+")+(", 99) + "1" + strings.Repeat(")", 99)
		},
	} {
		e, err := Parse(deep(MaxDepth - 101))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := Unparse(e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Value(e, BareCallsAsDicts); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "mixed" {
			continue
		}
		_, err = Parse(deep(200 * MaxDepth))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Class != "RecursionError" {
			t.Errorf("%s: too deep, but %v", name, err)
		}
	}
	if _, err := Parse("x" + strings.Repeat(" or x", 10*MaxDepth)); err != nil {
		t.Errorf("values side by side: %v", err)
	}
}

func TestSourceTooLong(t *testing.T) {
	_, err := Parse(strings.Repeat(" ", MaxSource+1))
	if err == nil || err.Error() != "source of 16777217 bytes is too long: at most 16777216 are read (line 1, column 1, byte 0)" {
		t.Errorf("error %v", err)
	}
}

// TestLinear reads long sources that invite a parser to go over them again and again. Each takes a moment, and hours if it did.
func TestLinear(t *testing.T) {
	const n = 50_000
	many := func(s string) string { return strings.Repeat(s, n) }
	sources := map[string]string{
		"calls":        "[" + many("f(a=1),") + "]",
		"keywords":     "f(" + many("a=1,") + ")",
		"strings":      many("'a' "),
		"f-strings":    many("f'{x}' "),
		"fields":       "f'" + many("{x!r:>{w}}") + "'",
		"open field":   "f'" + many("{x") + "'",
		"open strings": many("'''"),
		"comments":     "(" + many("#\n") + "1)",
		"joined lines": many("\\\n") + "1",
		"lines":        many("\n") + "1" + many("\n"),
		"bad lines":    many("a b\n"),
		"brackets":     many("[]"),
		"closed":       many("()") + ")",
		"open":         many("[f(x='"),
		"names":        "[" + many("日本,") + "]",
		"or":           "x" + many(" or x"),
		"less":         "x" + many("<x"),
		"digits":       "0x" + many("f"),
		"escapes":      "'" + many(`\u0041`) + "'",
		"braces":       "{" + many("1:2,") + "}",
		"clauses":      "[x " + many("for x in y ") + "]",
		"stars":        "f(" + many("*a,") + ")",
		"carriage":     many("\r") + "1",
	}
	for name, source := range sources {
		start := time.Now()
		if e, err := Parse(source); err == nil {
			_, _ = Unparse(e)
			_, _ = Value(e, BareCallsAsText)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: %d bytes took %v", name, len(source), d)
		}
	}
}

func TestErrorPlaces(t *testing.T) {
	tests := map[string]string{
		"":                                       "invalid syntax (line 1, column 1, byte 0)",
		"f(a=1, b)":                              "positional argument follows keyword argument (line 1, column 8, byte 7)",
		"f(ü=1, 'x)":                             "unterminated string literal (detected at line 1) (line 1, column 8, byte 8)",
		"[f(a=1)\n g(b=2)]":                      "invalid syntax. Perhaps you forgot a comma? (line 2, column 2, byte 9)",
		"[f(a=1),\r\n g(b=“2”)]":                 "invalid character '“' (U+201C) (line 2, column 6, byte 14)",
		"[f(a=[1, 2)]":                           "closing parenthesis ')' does not match opening parenthesis '[' (line 1, column 11, byte 10)",
		"[f(\na=[1, 2\n)]":                       "closing parenthesis ')' does not match opening parenthesis '[' on line 2 (line 3, column 1, byte 12)",
		"[f(a=1)":                                "'[' was never closed (line 1, column 1, byte 0)",
		"f(True=1)":                              "cannot assign to True (line 1, column 3, byte 2)",
		"f('a'=1)":                               `expression cannot contain assignment, perhaps you meant "=="? (line 1, column 3, byte 2)`,
		"f(a=007)":                               "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers (line 1, column 5, byte 4)",
		"f(a='\\x4')":                            `(unicode error) 'unicodeescape' codec can't decode bytes in position 0-2: truncated \xXX escape (line 1, column 5, byte 4)`,
		"f(a='é\\N{NOPE}')":                      `(unicode error) 'unicodeescape' codec can't decode bytes in position 10-17: unknown Unicode character name (line 1, column 5, byte 4)`,
		"f(a=f'{b c}')":                          "f-string: invalid syntax. Perhaps you forgot a comma? (line 1, column 10, byte 9)",
		"a\x00":                                  "source code string cannot contain null bytes (line 1, column 2, byte 1)",
		"'\xed\xa0\x80'":                         `'utf-8' codec can't encode character '\ud800' in position 1: surrogates not allowed (line 1, column 2, byte 1)`,
		"'\xff'":                                 "source is not valid UTF-8 (line 1, column 2, byte 1)",
		"  f()":                                  "unexpected indent (line 1, column 3, byte 2)",
		"f(a=" + strings.Repeat("9", 4301) + ")": "Exceeds the limit (4300 digits) for integer string conversion: value has 4301 digits; use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid decimal conversion limits. (line 1, column 5, byte 4)",
	}
	for source, want := range tests {
		if _, err := Parse(source); errorText(err) != want {
			t.Errorf("%.60q: %v, want %s", source, err, want)
		}
	}
}
