package conformance

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// shape is what the text of arguments is.
type shape int

const (
	isObject        shape = iota
	isEmpty               // no text at all; it means {}
	isTruncated           // a proper beginning of an object
	isConcatenated        // a JSON value and more
	isDoubleEncoded       // a string that holds an object
	isNoObject            // JSON of another kind
	isNoJSON
	isText // the tool takes text, whatever it is
)

// arguments are those of one call.
type arguments struct {
	shape shape
	// object is the JSON object that the schema is asked about; nil when there is none.
	object []byte
	// wrongEncoding says that a string came where the API has an object, or the reverse.
	wrongEncoding bool
}

// argumentsOf reads the arguments of a call as the API has them.
func argumentsOf(api tape.API, stream bool, c *wire.ToolCall) arguments {
	var a arguments
	switch api {
	case tape.OpenAI, tape.Responses:
		a.wrongEncoding = c.Sent == wire.ArgumentsObject || c.Sent == wire.ArgumentsOther
	case tape.Claude:
		a.wrongEncoding = c.Sent == wire.ArgumentsString && !stream // a stream sends the object in pieces of text
	default:
		a.wrongEncoding = c.Sent == wire.ArgumentsString
	}
	a.shape = shapeOf(c.RawArguments)
	switch a.shape {
	case isObject:
		a.object = c.RawArguments
	case isEmpty:
		a.object = []byte("{}")
	}
	return a
}

func shapeOf(text []byte) shape {
	s := strings.TrimSpace(string(text))
	switch {
	case s == "":
		return isEmpty
	case json.Valid([]byte(s)):
		if s[0] == '{' {
			return isObject
		}
		var inner string
		if s[0] == '"' && json.Unmarshal([]byte(s), &inner) == nil && shapeOf([]byte(inner)) == isObject {
			return isDoubleEncoded
		}
		return isNoObject
	}
	d := jsontext.NewDecoder(strings.NewReader(s), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err := d.ReadValue()
	switch {
	case err == nil && (s[0] == '{' || s[0] == '['):
		return isConcatenated
	case errors.Is(err, io.ErrUnexpectedEOF) && s[0] == '{':
		if repeated(s) {
			return isConcatenated
		}
		return isTruncated
	case s[0] == '{' && repeated(s):
		return isConcatenated
	}
	return isNoJSON
}

// maxRepeated is the longest text that is searched for a repetition, which takes memory several times its length.
const maxRepeated = 1 << 20

// repeated reports whether a text is a piece of an object and then the whole of it, as servers send that flush their buffer once more.
func repeated(s string) bool {
	if len(s) > maxRepeated {
		return false
	}
	// z[i] is how much of s[i:] is like the beginning of s.
	z := make([]int, len(s))
	tries := 0
	for i, left, right := 1, 0, 0; i < len(s); i++ {
		if i < right {
			z[i] = min(right-i, z[i-left])
		}
		for i+z[i] < len(s) && s[z[i]] == s[i+z[i]] {
			z[i]++
		}
		if i+z[i] > right {
			left, right = i, i+z[i]
		}
		// A piece that is but a bracket says nothing.
		if i > 2 && z[i] >= i && tries < 8 {
			if tries++; json.Valid([]byte(s[i:])) {
				return true
			}
		}
	}
	return false
}

// value returns the arguments as the value that arrived: see [ToolUse].
func (a *arguments) value(c *wire.ToolCall) json.RawMessage {
	text := c.RawArguments
	if a.shape == isEmpty {
		return json.RawMessage("{}")
	}
	if a.shape != isText && json.Valid(text) {
		return json.RawMessage(strings.ToValidUTF8(string(text), "\ufffd"))
	}
	quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(string(text), "\ufffd"))
	return quoted
}

// canonical returns JSON with its names sorted, its blanks removed and its texts escaped no more than they must be, to search in.
func canonical(raw []byte) string {
	v := jsontext.Value(raw).Clone()
	err := v.Canonicalize(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if err != nil {
		return string(raw)
	}
	return string(v)
}
