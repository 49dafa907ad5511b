package decode_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// outcome renders what a text decodes to under a rule set.
func outcome(r rules.Rules, dialogue bool, text string) string {
	calls, err := decode.Calls(r, dialogue, text)
	var format *decode.FormatError
	switch {
	case errors.As(err, &format):
		return "format: " + err.Error()
	case err != nil:
		return "raised: " + err.Error()
	}
	return string(decode.AppendRepr(nil, calls))
}

func TestCallsUnderEachRuleSet(t *testing.T) {
	for _, tt := range []struct {
		name, text           string
		dialogue             bool
		es, official, strict string
	}{
		{"plain", `[f(x='a b')]`, false, `[{'f': {'x': 'a b'}}]`, `[{'f': {'x': 'ab'}}]`, `[{'f': {'x': 'a b'}}]`},
		{"dialogue", `[f(x='a b')]`, true, `[{'f': {'x': 'ab'}}]`, `[{'f': {'x': 'ab'}}]`, `[{'f': {'x': 'a b'}}]`},
		{"prose around", `Sure: [f()] done`, false, `[{'f': {}}]`,
			"format: Invalid syntax. Failed to decode AST. invalid syntax (line 1, column 5, byte 4)",
			"format: The answer is not a list of calls. invalid syntax (line 1, column 5, byte 4)"},
		{"thinking before", "<think>[hm]</think>\n[f()]", false,
			"format: Model output contains a list element that is not an API call.",
			"format: Invalid syntax. Failed to decode AST. invalid syntax (line 1, column 1, byte 0)", `[{'f': {}}]`},
		{"bracket in a text", `[f(x='a]')]`, false,
			"format: Invalid syntax. Failed to decode AST. unterminated string literal (detected at line 1) (line 1, column 6, byte 5)",
			`[{'f': {'x': 'a]'}}]`, `[{'f': {'x': 'a]'}}]`},
		{"tuple", `f(), g()`, true, `[{'f': {}}, {'g': {}}]`, `[{'f': {}}, {'g': {}}]`,
			"format: The answer is not a list of calls: it does not start with [ and end with ]."},
		{"positional", `[f(1, x=2)]`, false, `[{'f': {'x': 2}}]`, `[{'f': {'x': 2}}]`, "format: The call of f has an argument without a name, at byte 3."},
		{"twice", `[f(x=1, x=2)]`, false, `[{'f': {'x': 2}}]`, `[{'f': {'x': 2}}]`, "format: The call of f has the argument x twice, the second time at byte 10."},
		{"unpacked", `[f(**m)]`, false, `[{'f': {}}]`, `[{'f': {None: 'm'}}]`, "format: The call of f has ** in it, at byte 5."},
		{"bare name", `[f(x=true)]`, false, `[{'f': {'x': 'true'}}]`, `[{'f': {'x': 'true'}}]`,
			"format: The argument x of f is not a literal: the name true at byte 5"},
		{"sum", `[f(x=1+1)]`, false, `[{'f': {'x': '1 + 1'}}]`, `[{'f': {'x': 2}}]`, "format: The argument x of f is not a literal: the operator + at byte 5"},
		{"plus sign", `[f(x=+1)]`, false, `[{'f': {'x': 1}}]`, `[{'f': {'x': -1}}]`, `[{'f': {'x': 1}}]`},
		{"unhashable key", `[f(x={[1]: 2})]`, false, "raised: TypeError: unhashable type: 'list'",
			"format: Invalid syntax. Failed to decode AST. TypeError: unhashable type: 'list'",
			"format: The argument x of f has no value. TypeError: unhashable type: 'list'"},
		{"computed callee", `[f()(x=1)]`, false, `[{'': {'x': 1}}]`, `[{'': {'x': 1}}]`, "format: What is called at byte 1 is not a name."},
		{"not a call", `[f]`, false, "format: Model output contains a list element that is not an API call.",
			"format: Invalid syntax. Failed to decode AST. The list holds something that is not a call.",
			"format: The list holds something that is not a call, at byte 1."},
		{"no brackets", `f(a='b')`, false, "format: Model output does not contain a bracketed call list.",
			"format: Invalid syntax. Failed to decode AST. The text is not a list of calls.",
			"format: The answer is not a list of calls: it does not start with [ and end with ]."},
		{"objects inside lists", `[f(items=[{'product': 'x', 'quantity': 1}])]`, false, `[{'f': {'items': [{'product': 'x', 'quantity': 1}]}}]`,
			`[{'f': {'items': [{'product': 'x', 'quantity': 1}]}}]`, `[{'f': {'items': [{'product': 'x', 'quantity': 1}]}}]`},
		{"empty", ``, false, "format: Model output does not contain a bracketed call list.",
			"format: Invalid syntax. Failed to decode AST. invalid syntax (line 1, column 1, byte 0)",
			"format: The answer is not a list of calls. invalid syntax (line 1, column 1, byte 0)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := []string{outcome(rules.Evalscope, tt.dialogue, tt.text), outcome(rules.Official, tt.dialogue, tt.text), outcome(rules.Strict, tt.dialogue, tt.text)}
			if diff := cmp.Diff([]string{tt.es, tt.official, tt.strict}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestFolding covers the operators that the official scorer executes and this package computes.
func TestFolding(t *testing.T) {
	for text, want := range map[string]string{
		`7//2`: "3", `-7//2`: "-4", `7%3`: "1", `-7%3`: "2", `7.5//2`: "3.0", `-7.5%2`: "0.5", `2**10`: "1024", `2**-1`: "0.5", `2.0**3`: "8.0",
		`1<<4`: "16", `256>>4`: "16", `6&3`: "2", `6|3`: "7", `6^3`: "5", `True&False`: "False", `True|1`: "1", `10/4`: "2.5",
		`'a'*3`: "'aaa'", `[1]+[2]`: "[1, 2]", `(1,)*2`: "(1, 1)", `'%s-%d'%('a',2)`: "'a-2'", `'%r%%'%1`: "'1%'", `1+-2`: "-1", `1+~2`: "-2",
		`1/0`: "", `1//0`: "", `0**-1`: "", `x+1`: "", `f()+1`: "", `'a'+1`: "", `'%s'%()`: "", `'%s'%(1,2)`: "", `'%x'%1`: "", `(-8)**0.5`: "",
		`0<<99999`: "0", `5>>99999`: "0", `-5>>99999`: "-1", `1<<9000<<9000`: "", `(1<<9000)*(1<<9000)`: "", `2**9000*2**9000`: "",
		`9**9**9`: "", `1<<9999999999`: "", `'a'*99999999`: "", `1@2`: "",
	} {
		got := outcome(rules.Official, false, "[f(v="+text+")]")
		if want == "" {
			if !strings.HasPrefix(got, "format: ") {
				t.Errorf("%s: %s, want a format error", text, got)
			}
			continue
		}
		if got != "[{'f': {'v': "+want+"}}]" {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestHugeAndHostileTexts asks for a clear outcome in a time that grows with the text and no faster.
func TestHugeAndHostileTexts(t *testing.T) {
	const mega = 1 << 20
	for name, text := range map[string]string{
		"opening brackets":    strings.Repeat("[", 10*mega),
		"pairs of brackets":   strings.Repeat("[]", 5*mega),
		"closing brackets":    strings.Repeat("]", 10*mega),
		"depth of 100,000":    "[f(x=" + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + ")]",
		"signs":               "[f(x=" + strings.Repeat("-", 100_000) + "1)]",
		"many arguments":      "[f(" + manyArguments(100_000) + ")]",
		"many calls":          "[" + strings.Repeat("f(x=1),", 200_000) + "]",
		"NUL bytes":           "[f(x='" + strings.Repeat("\x00", mega) + "')]",
		"not UTF-8":           "[f(x='" + strings.Repeat("\xff", mega) + "')]",
		"a long text":         "[f(x='" + strings.Repeat("a", 10*mega) + "')]",
		"larger than allowed": strings.Repeat(" ", decode.MaxText+1),
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range rules.All() {
				start := time.Now()
				_, err := decode.Calls(r, false, text)
				if took := time.Since(start); took > 20*time.Second {
					t.Errorf("%s: took %v", r, took)
				}
				if err != nil && (err.Error() == "" || len(err.Error()) > 1000) {
					t.Errorf("%s: message of %d bytes", r, len(err.Error()))
				}
			}
		})
	}
}

func manyArguments(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d=1,", i)
	}
	return b.String()
}

func TestReaderForgetsTheAnswerBefore(t *testing.T) {
	texts := []string{
		"[f(a=1, b='x'), g(c=[1, {'k': 2}])]", "[]", "[h(" + manyArguments(40) + ")]", "[f(a=1, a=2", "[f(x=(1,))]", "[f(z=True)]", "no",
		"[" + strings.Repeat("f(a=1, b=2),", 50) + "]",
	}
	var r decode.Reader
	for range 3 {
		for _, text := range texts {
			got, gotErr := r.Calls(rules.Evalscope, false, text)
			want, wantErr := decode.Calls(rules.Evalscope, false, text)
			if string(decode.AppendRepr(nil, got)) != string(decode.AppendRepr(nil, want)) || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Errorf("%.40q: a used reader gives %s, %v", text, decode.AppendRepr(nil, got), gotErr)
			}
		}
	}
}

func FuzzCalls(f *testing.F) {
	for _, seed := range []string{`[f(x=1)]`, `a [f(x='b]')] c`, `[f(**k, *a)]`, `[f(x={1: [2, (3,)]})]`, `[f(x=1+2*3)]`, "<think>x</think>[f()]", `[f(x='%s'%1)]`} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, dialogue bool) {
		for _, r := range rules.All() {
			calls, err := decode.Calls(r, dialogue, text)
			if err != nil {
				continue
			}
			for _, c := range calls {
				seen := map[string]bool{}
				for _, a := range c.Args {
					if seen[a.Name] || a.Value == nil {
						t.Errorf("%s: %q gives the argument %q twice or without a value", r, text, a.Name)
					}
					seen[a.Name] = true
				}
			}
		}
	})
}

func ExampleAppendOutcome() {
	for _, text := range []string{"[Harbor_getTide(port='Vela', depth=4.50, days=(1, 2))]", "[Harbor_getTide(**{'port': 'Vela'})]", "I cannot tell."} {
		calls, err := decode.Calls(rules.Official, false, text)
		fmt.Printf("%s\n", decode.AppendOutcome(nil, calls, err))
	}
	// Output:
	// [["Harbor_getTide",[["port",["s","Vela"]],["depth",["f","4.5"]],["days",["t",[["i","1"],["i","2"]]]]]]]
	// [["Harbor_getTide",[[null,["d",[[["s","port"],["s","Vela"]]]]]]]]
	// {"raises":"CallFormatError: Invalid syntax. Failed to decode AST. invalid syntax (line 1, column 13, byte 12)"}
}

func ExampleCalls() {
	calls, err := decode.Calls(rules.Evalscope, false, "Here you are: [Harbor_getTide(port='Vela', exact=True)]")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range calls {
		fmt.Println(c.Name)
		for _, a := range c.Args {
			fmt.Printf("  %s = %s\n", a.Name, pyvalue.Repr(a.Value))
		}
	}
	// Output:
	// Harbor_getTide
	//   port = 'Vela'
	//   exact = True
}
