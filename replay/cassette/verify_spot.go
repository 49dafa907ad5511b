package cassette

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// spot is where a value stands: the name it has, where the object stands that it is in, and what that object says.
type spot struct {
	name  string
	in    *spot
	named string // the member "name" of an object
	coded string // of a request or response: its Content-Encoding
	pair  bool   // it is the body of a request itself
}

// isCoding reports whether the value is one of a Content-Encoding header of a request or response.
func (s *spot) isCoding() bool {
	return s != nil && strings.EqualFold(s.name, "Content-Encoding") && s.in != nil && s.in.name == "headers" && s.in.in != nil
}

// hasMember reports whether a JSON object has a member of a name.
func hasMember(object jsontext.Value, name string) bool {
	d := newDecoder(object)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return false
	}
	for {
		t, err := d.ReadToken()
		if err != nil || t.Kind() != '"' {
			return false
		}
		if t.String() == name {
			return true
		}
		if d.SkipValue() != nil {
			return false
		}
	}
}

// coding returns what undoes the body that stands here: the Content-Encoding of its request or response.
func (s *spot) coding() string {
	if s.in != nil && s.in.name == "body" {
		s = s.in
	}
	if s.in == nil {
		return ""
	}
	return s.in.coded
}

// aroundRequests are the names of what requests stand in: in files of ours, of VCR and of HAR. Behind any other name, such as body, "request"
// is a word of somebody else.
var aroundRequests = []string{"request", "postData", "interactions", "log", "entries"}

// bodies are the names that bodies of requests have in such files.
var bodies = []string{"body", "text", "base64"}

// isRequestBody reports whether the value is of a request, be it of the postData of HAR, of a VCR that keeps {string: …} or of a pair.
func (s *spot) isRequestBody() bool {
	switch {
	case s == nil:
		return false
	case s.pair:
		return true
	case s.in != nil && s.in.name == "body" && (s.name == "string" || s.name == "base64_string") && s.within("interactions"):
		s = s.in
	case !slices.Contains(bodies, s.name):
		return false
	}
	if s.in == nil || s.in.name != "request" && s.in.name != "postData" {
		return false
	}
	for around := s.in; around != nil; around = around.in {
		if around.pair || !slices.Contains(aroundRequests, around.name) {
			return false
		}
	}
	return true
}

// within reports whether the outermost name is the given one.
func (s *spot) within(name string) bool {
	for s.in != nil {
		s = s.in
	}
	return s.name == name
}
