package pycall

import (
	"slices"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// allQuotes are the quotes in the order of preference.
var allQuotes = []string{"'", `"`, `"""`, "'''"}

// joined writes an f-string with the first quotes that do not occur in it. Outside of fields escapes may help; when nothing does, the
// texts are written as repr writes them.
func (w *writer) joined(j *JoinedStr) {
	w.str("f")
	parts := make([]string, len(j.Values))
	for i, v := range j.Values {
		parts[i] = w.part(v)
	}
	if w.noBackslashes {
		w.quoted(strings.Join(parts, ""))
		return
	}
	quotes := allQuotes
	escaped := make([]string, len(parts))
	for i, part := range parts {
		_, isText := j.Values[i].(*Constant)
		text, possible := escape(part, quotes, isText)
		if !slices.ContainsFunc(possible, func(q string) bool { return slices.Contains(quotes, q) }) {
			w.str("'''")
			for _, part := range parts {
				// The double quote in front makes repr choose single quotes.
				repr := pyvalue.ReprStr(`"` + part)
				w.str(repr[2 : len(repr)-1])
			}
			w.str("'''")
			return
		}
		escaped[i], quotes = text, possible
	}
	w.str(quotes[0] + strings.Join(escaped, "") + quotes[0])
}

var doubledBraces = strings.NewReplacer("{", "{{", "}", "}}")

// part returns a part of an f-string, with its braces, before quoting.
func (w *writer) part(e Expr) string {
	sub := writer{noBackslashes: w.noBackslashes}
	switch e := e.(type) {
	case *Constant:
		text, _ := e.Value.(pyvalue.Str)
		return doubledBraces.Replace(string(text))
	case *FormattedValue:
		sub.field(e)
	case *JoinedStr:
		for _, v := range e.Values {
			sub.str(sub.part(v))
		}
	}
	if w.err == nil {
		w.err = sub.err
	}
	return string(sub.out)
}

// field writes {value!conversion:specification}.
func (w *writer) field(f *FormattedValue) {
	sub := writer{noBackslashes: true}
	sub.expr(f.Value, precOr)
	value := string(sub.out)
	switch {
	case sub.err != nil:
		w.err = sub.err
	case strings.Contains(value, `\`):
		w.err = pyvalue.Raise("ValueError", "Unable to avoid backslash in f-string expression part")
	}
	w.str("{")
	if strings.HasPrefix(value, "{") {
		w.str(" ")
	}
	w.str(value)
	if f.Conversion != 0 {
		w.str("!" + string(f.Conversion))
	}
	if f.Spec != nil {
		w.str(":" + w.part(f.Spec))
	}
	w.str("}")
}

// quoted writes text with the quotes that need the fewest backslashes.
func (w *writer) quoted(s string) {
	text, quotes := escape(s, allQuotes, false)
	w.str(quotes[0] + text + quotes[0])
}

// escape returns text as it stands in a literal, and the quotes, out of those given, that may stand around it. Newlines and tabs
// become escapes only when asked for.
func escape(s string, quotes []string, whitespace bool) (text string, possible []string) {
	var b []byte
	for rest := s; rest != ""; {
		r, size := pyvalue.DecodeRune(rest)
		switch {
		case !whitespace && (r == '\n' || r == '\t'):
			b = append(b, byte(r))
		case r == '\\' || !pyvalue.IsPrintable(r):
			repr := pyvalue.ReprStr(rest[:size])
			b = append(b, repr[1:len(repr)-1]...)
		default:
			b = append(b, rest[:size]...)
		}
		rest = rest[size:]
	}
	text = string(b)
	for _, q := range quotes {
		if !strings.Contains(text, q) && (len(q) == 3 || !strings.Contains(text, "\n")) {
			possible = append(possible, q)
		}
	}
	if len(possible) == 0 {
		repr := pyvalue.ReprStr(s)
		quote := repr[:1]
		if i := slices.IndexFunc(quotes, func(q string) bool { return strings.HasPrefix(q, quote) }); i >= 0 {
			quote = quotes[i]
		}
		return repr[1 : len(repr)-1], []string{quote}
	}
	if text == "" {
		return text, possible
	}
	// Quotes of the kind that the text ends with come last; when they must be used, the last one is escaped.
	last := text[len(text)-1:]
	clash := func(q string) bool { return strings.HasPrefix(q, last) }
	possible = append(slices.DeleteFunc(slices.Clone(possible), clash), slices.DeleteFunc(slices.Clone(possible), func(q string) bool { return !clash(q) })...)
	if clash(possible[0]) {
		text = text[:len(text)-1] + `\` + last
	}
	return text, possible
}
