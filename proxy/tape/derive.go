package tape

import (
	"bytes"
	"mime"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// DeriveVersion is the version of the derivation of [Facts]. It grows whenever the same exchange would give other facts.
const DeriveVersion = 1

// deriveFacts derives facts from the heads of an exchange and from the model its request body names.
func deriveFacts(method, target, model string, response http.Header) Facts {
	return Facts{API: FamilyOf(method, target), Model: model, Stream: streams(response)}
}

// streams reports whether a response with header h is an event stream or NDJSON.
func streams(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return false
	}
	switch kind {
	case "text/event-stream", "application/x-ndjson", "application/ndjson":
		return true
	}
	return false
}

// modelScanner finds the string that a JSON object has under "model", in a text that comes in any pieces. It does not judge the
// text: of one that is not JSON it may find anything. When the name comes twice, the first one counts.
type modelScanner struct {
	model string
	done  bool // found, or not to be found any more

	depth   int    // of open objects and arrays
	value   bool   // at depth 1: past the colon
	quoted  bool   // inside a string
	escaped bool   // past a backslash
	capture bool   // the string is a name, or the value looked for
	text    []byte // the captured string so far, with its quotes
	isModel bool   // the last name was "model"
}

// maxModel bounds a captured string. What is longer names no model.
const maxModel = 1024

// Write looks at the next part of the text. It never fails.
func (s *modelScanner) Write(p []byte) (int, error) {
	for i := 0; i < len(p) && !s.done; i++ {
		if s.quoted {
			i = s.inString(p, i)
			continue
		}
		switch c := p[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case '"':
			s.quoted = true
			s.capture = s.depth == 1 && (!s.value || s.isModel)
			s.text = append(s.text[:0], '"')
		case '{', '[':
			s.done = s.depth == 0 && c == '[' || s.depth == 1 && s.isModel
			s.depth++
		case '}', ']':
			s.depth--
			s.done = s.depth <= 0
		case ':':
			s.value = s.value || s.depth == 1
		case ',':
			if s.depth == 1 {
				s.done = s.isModel // its value was no string
				s.value = false
			}
		}
		s.done = s.done || s.depth == 0
	}
	return len(p), nil
}

// inString goes on inside a string at p[i] and returns the index of the last byte it took.
func (s *modelScanner) inString(p []byte, i int) int {
	start := i
	for ; i < len(p); i++ {
		switch {
		case s.escaped:
			s.escaped = false
		case p[i] == '\\':
			s.escaped = true
		case p[i] == '"':
			s.keep(p[start : i+1])
			s.quoted = false
			s.endString()
			return i
		}
	}
	s.keep(p[start:])
	return i
}

func (s *modelScanner) keep(p []byte) {
	if s.capture && len(s.text) <= maxModel {
		s.text = append(s.text, p[:min(len(p), maxModel)]...)
	}
}

func (s *modelScanner) endString() {
	if !s.capture {
		return
	}
	text, err := jsontext.AppendUnquote(nil, s.text)
	ok := err == nil && len(text) <= maxModel
	if !s.value {
		s.isModel = ok && bytes.Equal(text, []byte("model"))
		return
	}
	if ok {
		s.model = string(text)
	}
	s.done = true
}
