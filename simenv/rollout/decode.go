package rollout

import (
	"strings"

	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/pycall"
)

// Decode reads an agent's message as the calls that the executor runs: [send_message(receiver_name='Ada', …), turn_on_wifi()].
//
// It mends a bracket that is missing at either end, and takes brackets and single quotes off both ends before it reads the rest as one
// Python expression. So a message with a newline or a space behind its last bracket cannot be read, nor can one that ends inside a text.
// Elements that are no calls are dropped; a single word is a message without calls. Positional arguments are dropped, too.
func Decode(message string) ([]simenv.Call, error) {
	text := strings.TrimPrefix(message, " ")
	if !strings.HasPrefix(text, "[") {
		text = "[" + text
	}
	if !strings.HasSuffix(text, "]") {
		text += "]"
	}
	expr, err := pycall.Parse(strings.Trim(text, "[]'"))
	if err != nil {
		return nil, err
	}
	elements := []pycall.Expr{expr}
	switch e := expr.(type) {
	case *pycall.List:
		elements = e.Elts
	case *pycall.Tuple:
		elements = e.Elts
	}
	var calls []simenv.Call
	for _, element := range elements {
		call, ok := element.(*pycall.Call)
		if !ok {
			continue
		}
		keywords, err := call.Arguments(pycall.BareCallsAsText)
		if err != nil {
			return nil, err
		}
		calls = append(calls, simenv.Call{Name: call.Name(), Args: keywords})
	}
	return calls, nil
}

// LooksLikeCalls reports whether agent_multi_turn hands a message to the executor: brackets open and close on one line, and the
// message can be read, even if it holds no calls.
func LooksLikeCalls(message string) bool {
	for line := range strings.SplitSeq(message, "\n") {
		if i := strings.IndexByte(line, '['); i >= 0 && strings.IndexByte(line[i:], ']') >= 0 {
			_, err := Decode(message)
			return err == nil
		}
	}
	return false
}
