// Package decode reads the bracketed list of Python calls that an ACEBench answer is, as each rule set reads it.
//
// [Calls] is for scoring. The messages of agents are read more leniently before they are run; that is in package rollout. Nothing of an
// answer is ever executed. The Python grammar itself is in package pycall; this package
// knows what the programs do to the text before they parse it, and what value they make of which expression.
package decode

import (
	"errors"
	"fmt"

	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// MaxText is the length in bytes of the longest text that is decoded.
const MaxText = 16 << 20

// A FormatError says why a text is not a list of calls.
type FormatError struct {
	Message string
	Err     error // what the parser said, if it did
}

// Error returns the message, with that of the parser.
func (e *FormatError) Error() string {
	if e.Err != nil {
		return e.Message + " " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns what the parser said.
func (e *FormatError) Unwrap() error { return e.Err }

func malformed(format string, args ...any) error {
	return &FormatError{Message: fmt.Sprintf(format, args...)}
}

// Calls decodes the text of an answer. In dialogues both reference programs read the text in another way than elsewhere.
//
// The error is a [*FormatError], or a [*pyvalue.Exception] that evalscope would have raised.
func Calls(rs rules.Rules, dialogue bool, text string) ([]Call, error) {
	var r Reader
	return r.Calls(rs, dialogue, text)
}

// A Reader decodes one answer after the other and uses its memory again: what it returned before is lost with the next answer. Its
// zero value is ready.
type Reader struct {
	calls []Call
	args  []Arg
	used  int             // how many of args the calls hold
	arena pyvalue.Arena   // of the values inside arguments
	stack []pyvalue.Value // what the lists and objects hold that are being read
}

// argsAtOnce is how many arguments of a call find place in the memory of a Reader.
const argsAtOnce = 16

// someArgs returns an empty slice with room for the arguments of one call.
func (r *Reader) someArgs() []Arg {
	if len(r.args) < r.used+argsAtOnce {
		r.args, r.used = make([]Arg, 4*argsAtOnce), 0
	}
	return r.args[r.used : r.used : r.used+argsAtOnce]
}

// pop ends what is being read since the stack was start high, and returns it.
func (r *Reader) pop(start int) []pyvalue.Value {
	values := r.stack[start:]
	r.stack = r.stack[:start]
	return values
}

// Calls is the function [Calls] with the memory of r.
func (r *Reader) Calls(rs rules.Rules, dialogue bool, text string) ([]Call, error) {
	if len(text) > MaxText {
		return nil, malformed("The answer has %d bytes; texts of up to %d are read.", len(text), MaxText)
	}
	switch rs {
	case rules.Official:
		return r.officialCalls(withoutSpace(text))
	case rules.Strict:
		return strictCalls(text)
	}
	if dialogue {
		return r.evalscopeCalls(withoutSpace(text))
	}
	block, ok := firstBlock(text)
	if !ok {
		return nil, malformed("Model output does not contain a bracketed call list.")
	}
	return r.evalscopeCalls(block)
}

func (r *Reader) evalscopeCalls(text string) ([]Call, error) {
	if calls, ok := r.plainCalls(text); ok {
		return calls, nil
	}
	top, err := parse(text)
	if err != nil {
		return nil, err
	}
	elements, ok := elementsOf(top)
	if !ok {
		return nil, malformed("Model output is not a list of API calls.")
	}
	calls := make([]Call, 0, len(elements))
	for _, e := range elements {
		node, ok := e.(*pycall.Call)
		if !ok {
			return nil, malformed("Model output contains a list element that is not an API call.")
		}
		c, err := evalscopeCall(node)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// evalscopeCall reads a call as evalscope does: of its arguments it takes the keywords.
func evalscopeCall(node *pycall.Call) (Call, error) {
	var args arguments
	for _, k := range node.Keywords {
		if k.Name == "" { // **mapping is left out, whatever it is
			continue
		}
		v, err := pycall.Value(k.Value, pycall.BareCallsAsDicts)
		if err != nil {
			return Call{}, err
		}
		args.put(Arg{Name: k.Name, Value: v})
	}
	return Call{node.Name(), args.list}, nil
}

// parse reads one expression. A text that is nested too deep without brackets raises, as it does in evalscope.
func parse(text string) (pycall.Expr, error) {
	top, err := pycall.Parse(text)
	var syntax *pycall.SyntaxError
	if errors.As(err, &syntax) && (syntax.Class == "RecursionError" || syntax.Class == "MemoryError") {
		return nil, pyvalue.Raise(syntax.Class, "%s", syntax.Msg)
	}
	if err != nil {
		return nil, &FormatError{"Invalid syntax. Failed to decode AST.", err}
	}
	return top, nil
}

// elementsOf returns the elements of a list or tuple display.
func elementsOf(e pycall.Expr) ([]pycall.Expr, bool) {
	switch e := e.(type) {
	case *pycall.List:
		return e.Elts, true
	case *pycall.Tuple:
		return e.Elts, true
	}
	return nil, false
}
