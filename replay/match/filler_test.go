package match

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// templateOf returns the template of a recorded text.
func templateOf(named string, json bool) *template {
	return newTemplate(placeholderForm.ReplaceAllLiteralString(named, redacted), named, json)
}

// TestFit: how well a text fits, and what its placeholders stand for then.
func TestFit(t *testing.T) {
	const one, two = "[redacted:k:1]", "[redacted:k:2]"
	const ada = "Ada Lovelace"
	long := strings.Repeat("ebb and flow ", 9) // leaves room for the longest filling
	for _, tt := range []struct {
		name         string
		named, asked string
		json         bool
		want         fit
		texts        []string
	}{
		{"the shortest", "tides of " + one, "tides of 12345678", false, fits, []string{"12345678"}},
		{"shorter", "tides of " + one, "tides of 1234567", false, fitsLoosely, []string{"1234567"}},
		{"the longest", long + one, long + strings.Repeat("x", 256), false, fits, []string{strings.Repeat("x", 256)}},
		{"longer", long + one, long + strings.Repeat("x", 257), false, fitsLoosely, []string{strings.Repeat("x", 257)}},
		{"hardly anything", "a" + one + "b" + two + "c", "axbyc", false, fitsLoosely, []string{"x", "y"}},
		{"nothing at all", "a" + one + "b" + two + "c", "abxbyc", false, fitsLoosely, []string{"bx", "y"}},
		{"nothing at first, then something", "a" + one + "b" + one + "c", "abxbyc", false, fitsNot, nil},

		// The first try is "12345678", which takes 8 bytes of the 36 there are; the filling takes 34.
		{"room that a try took", "Call this for " + one + "x" + one, "Call this for 12345678x87654321x12345678x87654321", false, fits, []string{"12345678x87654321"}},

		// After "X" and "Y", which do not go on, "Y-XbZ" is tried; what the first one stands for is known by then.
		{"what an earlier one stands for", "a" + one + "-" + two + "-" + one + "b" + two + "c", "aX-Y-XbZ-WbY-XbZc", false, fitsNot, nil},

		{"a space", "tides of " + one, "tides of " + ada, false, fits, []string{ada}},
		{"a quote", "tides of " + one, `tides of "Ada" Lovelace`, false, fitsLoosely, []string{`"Ada" Lovelace`}},
		{"a backslash", "tides of " + one, `tides of Ada\Lovelace`, false, fitsLoosely, []string{`Ada\Lovelace`}},
		{"another line", "tides of " + one, "tides of Ada\nLovelace", false, fitsLoosely, []string{"Ada\nLovelace"}},
		{"a control character", "tides of " + one, "tides of Ada\x1fLovelace", false, fitsLoosely, []string{"Ada\x1fLovelace"}},

		{"in a string", `{"a":"tides of ` + one + `"}`, `{"a":"tides of Ada Lovelace"}`, true, fits, []string{ada}},
		{"over the end of a string", `{"a":"tides of ` + one + `"}`, `{"a":"tides of Ada","b":"x"}`, true, fitsNot, nil},
		{"over the end of what is no string", `{"a":"tides of ` + one + `"}`, `{"a":"tides of Ada","b":"x"}`, false, fitsLoosely, []string{`Ada","b":"x`}},
		{"over a quote in a string", `{"a":"tides of ` + one + `"}`, `{"a":"tides of \"Ada\" x"}`, true, fitsLoosely, []string{`\"Ada\" x`}},
		{"over a backslash and the end of a string", `{"a":"tides of ` + one + `"}`, `{"a":"tides of Ada\\","b":"x"}`, true, fitsNot, nil},
		{"over a backslash and a quote in a string", `{"a":"tides of ` + one + `"}`, `{"a":"tides of Ada\\\" x"}`, true, fitsLoosely, []string{`Ada\\\" x`}},

		{"recognised", "use " + one + " today", "use [redacted] today", false, fits, []string{redacted}},
		{"recognised, with nothing around it", one, redacted, false, fits, []string{redacted}},
		{"recognised in the middle", "use " + one + " today", "use Ada [redacted] today", false, fitsLoosely, []string{"Ada [redacted]"}},
		{"recognised at the beginning", "use " + one + " today", "use [redacted] Lovelace today", false, fitsLoosely, []string{"[redacted] Lovelace"}},
		{"two that are recognised", "use " + one + " and " + two, "use [redacted] and [redacted]", false, fits, []string{redacted, redacted}},
		{"two that are not, and are equal", "use " + one + " and " + two, "use Ada Lovelace and Ada Lovelace", false, fitsNot, nil},
		// There is room for 21 bytes, and what is recognised takes none.
		{"one that is recognised, and one that is not", "call " + one + " and " + two, "call [redacted] and Ada Lovelace", false, fits, []string{redacted, ada}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFiller(tt.asked)
			well, texts := f.fit(templateOf(tt.named, tt.json))
			if well != tt.want || f.gaveUp() {
				t.Errorf("it fits %d, gave up %v, want %d", well, f.gaveUp(), tt.want)
			}
			if diff := cmp.Diff(tt.texts, texts); diff != "" {
				t.Errorf("the placeholders stand for (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInOrder: what cannot fit, since a placeholder would stand for nothing, is seen before anything is tried.
func TestInOrder(t *testing.T) {
	const one, two = "[redacted:k:1]", "[redacted:k:2]"
	for _, tt := range []struct {
		named, asked string
		want         bool
	}{
		{"ab" + one, "ab", false},
		{"ab" + one, "abx", true},
		{"ab" + one + "bc", "abc", false},
		{"ab" + one + "bc", "abbc", false},
		{"ab" + one + "bc", "abxbc", true},
		{"a" + one + "b" + two + "c", "abxc", false},
		{"a" + one + "b" + two + "c", "axbc", false},
		{"a" + one + "b" + two + "c", "axbyc", true},
		{"a" + one + "b" + two + "c", "axyc", false},
	} {
		t.Run(tt.named+" "+tt.asked, func(t *testing.T) {
			template := templateOf(tt.named, false)
			end := len(tt.asked) - template.pieces[len(template.pieces)-1].size
			if got := newFiller(tt.asked).inOrder(template, end); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
