package wire

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// notes collects what is odd in a body, and reads values whose oddities it notes.
type notes struct {
	at   Place // the event that is being read
	list []Note
	once map[string]bool // what was noted by noteOnce
}

func (n *notes) note(kind NoteKind, path, detail string) {
	place := n.at
	place.Path = path
	n.list = append(n.list, Note{Kind: kind, Place: place, Detail: detail})
}

// noteOnce makes a note the first time it is called with this kind and detail.
func (n *notes) noteOnce(kind NoteKind, path, detail string) {
	key := string(kind) + "\x00" + detail
	if n.once[key] {
		return
	}
	if n.once == nil {
		n.once = make(map[string]bool)
	}
	n.once[key] = true
	n.note(kind, path, detail)
}

// odd takes over what check found.
func (n *notes) odd(found []Note) {
	for _, f := range found {
		n.note(f.Kind, f.Path, f.Detail)
	}
}

func (n *notes) wrongType(v jsontext.Value, path, want string) {
	n.note(NoteWrongType, path, fmt.Sprintf("%s where %s must be: %s", kindName(v), want, shorten(v)))
}

// text returns a string member's text. null and absent are "", other types too, with a note.
func (n *notes) text(o object, name, path string) string {
	v := o.get(name)
	switch v.Kind() {
	case '"':
		return unquote(v)
	case jsontext.KindInvalid, 'n':
	default:
		n.wrongType(v, path+"/"+name, "a string")
	}
	return ""
}

// count returns a token count; nil when it is absent, null or no whole number.
func (n *notes) count(v jsontext.Value, path string) *int64 {
	if absent(v) {
		return nil
	}
	number, ok := integer(v)
	if !ok {
		n.wrongType(v, path, "a whole number")
		return nil
	}
	return &number
}

// array returns the elements of a list member; nil when it is absent, null or no array.
func (n *notes) array(v jsontext.Value, path string) []jsontext.Value {
	if !absent(v) && v.Kind() != '[' {
		n.wrongType(v, path, "an array")
	}
	return elements(v)
}
