package offline

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/quote"
)

// fold counts the new problems of reports that do not fail. A server that errs in the same way in every stream would bury what fails
// otherwise. What is kept does not grow with the recording: counts, a few names of exchanges, and the texts of those that are rare.
type fold struct {
	codes map[string]*foldedCode
	texts []foldedText
}

const (
	// few is how many reports with a code are told whole. Where there are more, so many are named.
	few = 3
	// kindsKept is how many kinds of a code are told apart, the first ones; the most frequent kindsShown of them are shown.
	kindsKept, kindsShown = 64, 5
	// foldedDetail is how many bytes are shown of a detail that stands for many.
	foldedDetail = 240
)

// foldedCode is what is kept of one code.
type foldedCode struct {
	reports int
	kinds   map[string]*kind // by wording, see [wordingOf]
	order   []*kind          // as they came
}

// kind is a problem that many reports have.
type kind struct {
	code    string
	reports int
	// names are of the first few of the reports, detail is that of the first. Both are empty for all that is worded otherwise.
	names  []string
	detail string
}

// foldedText is a report that is shown whole if one of its codes is rare.
type foldedText struct {
	text  string
	codes []string
}

func newFold() *fold { return &fold{codes: make(map[string]*foldedCode)} }

// add counts a report.
func (f *fold) add(r *conformance.Report) {
	var codes []string
	rare := false
	for i := range r.Problems {
		p := &r.Problems[i]
		if p.Known {
			continue
		}
		c := f.codes[p.Code]
		if c == nil {
			c = &foldedCode{kinds: make(map[string]*kind)}
			f.codes[p.Code] = c
		}
		c.add(nameOf(r), p)
		codes = append(codes, p.Code)
		rare = rare || c.reports <= few
	}
	if rare {
		var b strings.Builder
		_ = r.WriteText(&b) // a builder takes all
		f.texts = append(f.texts, foldedText{b.String(), codes})
	}
}

func (c *foldedCode) add(name string, p *conformance.Problem) {
	c.reports++
	wording := wordingOf(p.Detail)
	k := c.kinds[wording]
	if k == nil {
		if len(c.order) == kindsKept {
			return
		}
		k = &kind{code: p.Code, detail: head(quote.Line(p.Detail), foldedDetail)}
		c.kinds[wording] = k
		c.order = append(c.order, k)
	}
	if k.reports++; len(k.names) < few {
		k.names = append(k.names, name)
	}
}

// rare returns the texts of the reports with a code that few have, as they came.
func (f *fold) rare() []string {
	var texts []string
	for _, t := range f.texts {
		if slices.ContainsFunc(t.codes, func(code string) bool { return f.codes[code].reports <= few }) {
			texts = append(texts, t.text)
		}
	}
	return texts
}

// frequent returns the kinds of the codes that more reports have.
func (f *fold) frequent() []kind { return f.kinds(few + 1) }

// kinds returns the kinds of the codes that so many reports have: the most frequent code first, and of each the most frequent kinds. What
// is left of a code comes behind them as one kind.
func (f *fold) kinds(atLeast int) []kind {
	var codes []string
	for _, code := range conformance.Codes {
		if c := f.codes[code.Name]; c != nil && c.reports >= atLeast {
			codes = append(codes, code.Name)
		}
	}
	slices.SortStableFunc(codes, func(a, b string) int { return f.codes[b].reports - f.codes[a].reports })
	var list []kind
	for _, code := range codes {
		c := f.codes[code]
		kinds := slices.Clone(c.order)
		slices.SortStableFunc(kinds, func(a, b *kind) int { return b.reports - a.reports })
		rest := kind{code: code, reports: c.reports}
		for _, k := range kinds[:min(len(kinds), kindsShown)] {
			list = append(list, *k)
			rest.reports -= k.reports
		}
		if rest.reports > 0 {
			list = append(list, rest)
		}
	}
	return list
}

// exchanges names the exchanges of a kind, the first few of them.
func (k *kind) exchanges() string {
	names := strings.Join(k.names, ", ")
	if k.reports > len(k.names) && names != "" {
		names += ", …"
	}
	return names
}

// otherwise stands for the details of a kind that has none.
const otherwise = "worded otherwise"

// says is what the problems of a kind say.
func (k *kind) says() string { return cmp.Or(k.detail, otherwise) }

// wordingOf takes out of a detail what differs from answer to answer: words with digits in them, which are counts, times and ids, and the
// inside of quotations that are long.
func wordingOf(detail string) string {
	const long = 40
	var b strings.Builder
	for rest := detail; rest != ""; {
		if n := quotation(rest); n > long {
			b.WriteString(`"…"`)
			rest = rest[n:]
			continue
		}
		word := len(rest) - len(strings.TrimLeftFunc(rest, inWord))
		switch {
		case word == 0: // a byte that is no word's, or a part of a character that is not: both stay as they are
			b.WriteByte(rest[0])
			word = 1
		case strings.ContainsAny(rest[:word], "0123456789"):
			b.WriteByte('#')
		default:
			b.WriteString(rest[:word])
		}
		rest = rest[word:]
	}
	return b.String()
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' || r == '.'
}

// quotation is how many bytes a quotation at the beginning of a text has, with its marks; 0 when the text does not begin with one.
func quotation(text string) int {
	if text[0] != '"' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// head is the beginning of a text, up to so many bytes, and says when it is not all.
func head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
