package pyjson

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// rows reads a JSON Lines file of testdata. The files say what the json module of CPython 3.13 made of each input.
func rows[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var row T
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

type textRow struct {
	Text, Repr, Error               string
	Dumps, Unicode, Indent, Compact string
}

func TestDecodeString(t *testing.T) {
	for _, row := range rows[textRow](t, "texts.jsonl") {
		v, err := DecodeString(row.Text)
		if row.Error != "" {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || err.Error() != row.Error {
				t.Errorf("%q: error %v, want %s", row.Text, err, row.Error)
			}
			continue
		}
		if err != nil || pyvalue.Repr(v) != row.Repr {
			t.Errorf("%q: %v, %v, want %s", row.Text, v, err, row.Repr)
		}
	}
}

func TestEncode(t *testing.T) {
	for _, row := range rows[textRow](t, "texts.jsonl") {
		if row.Error != "" {
			continue
		}
		v, err := DecodeString(row.Text)
		if err != nil {
			t.Errorf("%q: %v", row.Text, err)
			continue
		}
		for _, form := range []struct {
			want string
			o    Options
		}{
			{row.Dumps, Default},
			{row.Unicode, Options{AllowNaN: true}},
			{row.Indent, Options{AllowNaN: true, Indent: "  "}},
			{row.Compact, Options{AllowNaN: true, EnsureASCII: true, ItemSep: ",", KeySep: ":"}},
		} {
			got, err := Encode(v, form.o)
			// The rows cannot hold a lone surrogate: reading them makes it U+FFFD.
			if err != nil || toUTF8(got) != form.want {
				t.Errorf("%q with %+v: %s, %v, want %s", row.Text, form.o, got, err, form.want)
			}
		}
	}
}

func toUTF8(b []byte) string {
	var out []rune
	for s := string(b); s != ""; {
		r, size := pyvalue.DecodeRune(s)
		out = append(out, r)
		s = s[size:]
	}
	return string(out)
}

func TestDecodeBytes(t *testing.T) {
	type row struct{ Hex, Repr, Class, Error string }
	for _, row := range rows[row](t, "bytes.jsonl") {
		data, err := hex.DecodeString(row.Hex)
		if err != nil {
			t.Fatal(err)
		}
		v, err := Decode(data)
		if row.Error == "" {
			if err != nil || pyvalue.Repr(v) != row.Repr {
				t.Errorf("%s: %v, %v, want %s", row.Hex, v, err, row.Repr)
			}
			continue
		}
		class := ""
		var syntax *SyntaxError
		var unicode *UnicodeError
		switch {
		case errors.As(err, &syntax):
			class = "JSONDecodeError"
		case errors.As(err, &unicode):
			class = "UnicodeDecodeError"
		}
		if class != row.Class || err.Error() != row.Error {
			t.Errorf("%s: %s %v, want %s %s", row.Hex, class, err, row.Class, row.Error)
		}
	}
}

func TestLimits(t *testing.T) {
	nines := func(n int) string { return strings.Repeat("9", n) }
	if v, err := DecodeString("-" + nines(MaxDigits)); err != nil || pyvalue.Repr(v) != "-"+nines(MaxDigits) {
		t.Errorf("%d digits: %v", MaxDigits, err)
	}
	var digits *DigitsError
	if _, err := DecodeString("[-" + nines(MaxDigits+1) + "x"); !errors.As(err, &digits) || digits.Digits != MaxDigits+1 ||
		err.Error() != "Exceeds the limit (4300 digits) for integer string conversion: value has 4301 digits; use sys.set_int_max_str_digits() to increase the limit" {
		t.Errorf("%d digits: %v", MaxDigits+1, err)
	}
	if v, err := DecodeString(nines(MaxDigits+1) + ".5"); err != nil || !math.IsInf(float64(v.(pyvalue.Float)), 1) {
		t.Errorf("a float of many digits: %v", err)
	}
	for what, open := range map[string]string{"array": "[", "object": `{"":`} {
		if _, err := DecodeString(strings.Repeat(open, MaxDepth)); err == nil || !strings.HasPrefix(err.Error(), "Expecting value") {
			t.Errorf("%d deep: %v", MaxDepth, err)
		}
		var depth *DepthError
		if _, err := DecodeString(strings.Repeat(open, MaxDepth+1)); !errors.As(err, &depth) ||
			err.Error() != "maximum recursion depth exceeded while decoding a JSON "+what+" from a unicode string" {
			t.Errorf("%d deep: %v", MaxDepth+1, err)
		}
	}
	if _, err := DecodeString("[" + strings.Repeat("[],", 2*MaxDepth) + "[]]"); err != nil {
		t.Errorf("many arrays side by side: %v", err)
	}
}

func TestEncodeKeysAndErrors(t *testing.T) {
	keys := pyvalue.NewDict()
	for _, k := range []pyvalue.Value{pyvalue.Bool(true), pyvalue.None{}, pyvalue.Float(1.5), pyvalue.NewInt(7), pyvalue.Float(math.Inf(1))} {
		if err := keys.Set(k, pyvalue.Tuple{k}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Encode(keys, Default); err != nil || string(got) != `{"true": [true], "null": [null], "1.5": [1.5], "7": [7], "Infinity": [Infinity]}` {
		t.Errorf("got %s, %v", got, err)
	}
	tupleKey := pyvalue.NewDict()
	if err := tupleKey.Set(pyvalue.Tuple{}, pyvalue.None{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		v    pyvalue.Value
		o    Options
		want string
	}{
		{tupleKey, Default, "keys must be str, int, float, bool or None, not tuple"},
		{pyvalue.NewList(pyvalue.NewSet()), Default, "Object of type set is not JSON serializable"},
		{pyvalue.DictOf("a", pyvalue.Ellipsis{}), Default, "Object of type ellipsis is not JSON serializable"},
		{keys, Options{}, "Out of range float values are not JSON compliant: inf"},
		{pyvalue.Float(math.NaN()), Options{}, "Out of range float values are not JSON compliant: nan"},
	} {
		if got, err := Encode(tt.v, tt.o); err == nil || err.Error() != tt.want || got != nil {
			t.Errorf("%s: %s, %v, want error %s", pyvalue.Repr(tt.v), got, err, tt.want)
		}
	}
}

// TestSharedArguments compares with the texts that exo's own evaluator gives for tool-call arguments.
func TestSharedArguments(t *testing.T) {
	type row struct {
		Raises string
		Args   *string
		Error  *string
	}
	compared := 0
	shared.Lines(t, "golden/exo/eval_golden/args.jsonl", func(line int, r row) {
		if r.Args == nil { // the row is about arguments that are no text
			return
		}
		_, err := DecodeString(*r.Args)
		want, bad := "", false
		switch {
		case r.Raises != "":
			_, want, bad = strings.Cut(r.Raises, ": ")
		case r.Error != nil:
			want, bad = strings.CutPrefix(*r.Error, "Invalid JSON: ")
			bad = bad && !strings.HasPrefix(want, "the JSON object must be")
		}
		if !bad {
			want = "<nil>"
		}
		if got := errorText(err); got != want {
			t.Errorf("line %d: %.60q: got %s, want %s", line, *r.Args, got, want)
		}
		compared++
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestSharedBodies reads the bodies that exo's evaluator was given as answers.
func TestSharedBodies(t *testing.T) {
	type row struct {
		Response  string
		JSONError string `json:"json_error"`
	}
	failed, read := 0, 0
	shared.Lines(t, "golden/exo/eval_golden/parse.jsonl", func(line int, r row) {
		want := "<nil>"
		if r.JSONError != "" {
			want = strings.TrimPrefix(r.JSONError, "JSONDecodeError: ")
			failed++
		} else {
			read++
		}
		if _, err := Decode([]byte(r.Response)); errorText(err) != want {
			t.Errorf("line %d: %.60q: got %v, want %s", line, r.Response, err, want)
		}
	})
	if failed == 0 || read == 0 {
		t.Errorf("%d bodies failed and %d were read", failed, read)
	}
}

func errorText(err error) string {
	if err == nil {
		return "<nil>"
	}
	return err.Error()
}

func FuzzDecode(f *testing.F) {
	for _, row := range rows[textRow](f, "texts.jsonl") {
		f.Add([]byte(row.Text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Decode(data)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		// What was read can be written, and reads back as the same.
		for _, o := range []Options{Default, {AllowNaN: true, Indent: "\t"}} {
			out, err := Encode(v, o)
			if err != nil {
				t.Fatalf("encoding what %q holds: %v", data, err)
			}
			again, err := DecodeString(string(out))
			if err != nil {
				t.Fatalf("decoding %q again: %v", out, err)
			}
			if pyvalue.Repr(v) != pyvalue.Repr(again) {
				t.Errorf("%q became %s, then %s", data, pyvalue.Repr(v), pyvalue.Repr(again))
			}
		}
	})
}
