package cassette

import (
	"errors"
	"fmt"
	"strings"
)

// Conditions a caller may act on, to be asked for with [errors.Is]. An exchange or a body that is not there is [tape.ErrNoExchange] or
// [tape.ErrNoBody], as on a tape.
var (
	// ErrNotCassette: the file is something else.
	ErrNotCassette = errors.New("not a cassette")
	// ErrNewer: the cassette was written by a newer exodeck.
	ErrNewer = errors.New("cassette of a newer exodeck")
	// ErrDamaged: the lines are not those the head speaks of.
	ErrDamaged = errors.New("the cassette is not as it was written")
	// ErrTooLarge: something is larger than this package takes.
	ErrTooLarge = errors.New("too large for a cassette")
)

// What to do next, where several places say it.
const (
	hintFile  = "name a file; what comes through a pipe has to be in one first"
	hintAgain = "take the file from where it came again"
)

// Error is what is wrong with a cassette, and where.
type Error struct {
	Path string
	Line int // 1 is the first; 0 when it is no matter of one line
	// Field is the place in the line, such as "response.headers"; "" for the whole line.
	Field string
	Err   error
	Hint  string // what to do next
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "reading cassette %s: ", e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, "%s: ", e.Field)
	}
	fmt.Fprint(&b, e.Err)
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// fieldError is an error with its place in a line, on its way to an [Error].
type fieldError struct {
	field string
	err   error
}

func (e *fieldError) Error() string { return e.field + ": " + e.err.Error() }

func (e *fieldError) Unwrap() error { return e.err }

// in says that err is about the member called name. The names of the objects around it are put before it on the way out.
func in(name string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fieldError](err); ok {
		if strings.HasPrefix(f.field, "[") {
			return &fieldError{name + f.field, f.err}
		}
		return &fieldError{name + "." + f.field, f.err}
	}
	return &fieldError{name, err}
}
