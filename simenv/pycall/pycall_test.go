package pycall

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// expression is a line of testdata/expressions.jsonl: what CPython 3.11 made of a source.
type expression struct {
	Source       string
	Class, Error string // of the exception of ast.parse
	Unparse      string
	UnparseError string `json:"unparse_error"`
	Literal      string // repr of ast.literal_eval; "set" for sets, whose order is undefined
	LiteralError string `json:"literal_error"`
}

func expressions(t testing.TB, name string) []expression {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []expression
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var row expression
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

func TestExpressions(t *testing.T) {
	rows, sameMessage, failed := expressions(t, "testdata/expressions.jsonl"), 0, 0
	for _, row := range rows {
		e, err := Parse(row.Source)
		if row.Class != "" {
			failed++
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Class != row.Class {
				t.Errorf("%q: error %v, want %s: %s", row.Source, err, row.Class, row.Error)
				continue
			}
			if syntax.Msg == row.Error {
				sameMessage++
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", row.Source, err)
			continue
		}
		text, err := Unparse(e)
		if text != row.Unparse || (row.UnparseError != "") != (err != nil) || err != nil && err.Error() != "ValueError: "+row.UnparseError {
			t.Errorf("%q: unparsed %s, %v, want %s %s", row.Source, text, err, row.Unparse, row.UnparseError)
		}
		v, err := Literal(e)
		var notLiteral *NotLiteralError
		switch {
		case row.LiteralError != "":
			if errorText(err) != "TypeError: "+row.LiteralError {
				t.Errorf("%q: literal %v, %v, want %s", row.Source, v, err, row.LiteralError)
			}
		case row.Literal == "":
			if !errors.As(err, &notLiteral) {
				t.Errorf("%q: literal %v, %v, want none", row.Source, v, err)
			}
		case err != nil || row.Literal != "set" && pyvalue.Repr(v) != row.Literal:
			t.Errorf("%q: literal %v, %v, want %s", row.Source, v, err, row.Literal)
		}
	}
	// CPython has many rules that only better a message. We have those for the mistakes that occur.
	if sameMessage*100 < failed*97 {
		t.Errorf("%d of %d messages are Python's", sameMessage, failed)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
