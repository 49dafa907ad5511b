package decode

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// AppendTagged appends calls as JSON that loses nothing of their values, [[name,[[argument,value],…]],…], with values as
// [pyvalue.AppendTagged] writes them. The name of an argument that is a **mapping is null.
func AppendTagged(dst []byte, calls []Call) []byte {
	dst = append(dst, '[')
	for i, c := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendName(append(dst, '['), c.Name), ",["...)
		for j, a := range c.Args {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, '[')
			if a.Name == Unpacked {
				dst = append(dst, "null"...)
			} else {
				dst = appendName(dst, a.Name)
			}
			dst = append(pyvalue.AppendTagged(append(dst, ','), a.Value), ']')
		}
		dst = append(dst, "]]"...)
	}
	return append(dst, ']')
}

// AppendOutcome appends what [Calls] returned as JSON: the calls, or {"raises":"Type: message"}. The types are evalscope's. The official
// programs fail in the same places, but with exceptions of any type where a text has no form of a list of calls.
func AppendOutcome(dst []byte, calls []Call, err error) []byte {
	if err == nil {
		return AppendTagged(dst, calls)
	}
	text := err.Error() // of an exception with its type
	if _, ok := errors.AsType[*FormatError](err); ok {
		text = "CallFormatError: " + text
	}
	return append(appendName(append(dst, `{"raises":`...), text), '}')
}

// appendName appends text as JSON. What is not UTF-8 in it, which no name of Python's has, is replaced.
func appendName(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
