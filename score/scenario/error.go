package scenario

import (
	"strconv"
	"strings"
)

// Error is something wrong with a scenario file. It says where and, when it can, what to do about it.
type Error struct {
	// File is the name of the file, Line the line counted from 1 (0 when unknown), Key the full path of the key, if one is to blame.
	File string
	Line int
	Key  string
	// Problem says what is wrong, Hint how to mend it.
	Problem string
	Hint    string
}

// Error implements error: "file:line: key: problem (hint)".
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		b.WriteByte(':')
	}
	if e.Line > 0 {
		if e.File == "" {
			b.WriteString("line ")
		}
		b.WriteString(strconv.Itoa(e.Line))
		b.WriteByte(':')
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if e.Key != "" {
		b.WriteString(e.Key)
		b.WriteString(": ")
	}
	b.WriteString(e.Problem)
	if e.Hint != "" {
		b.WriteString(" (")
		b.WriteString(e.Hint)
		b.WriteByte(')')
	}
	return b.String()
}

// UnusableError is an answer that arrived but has not the shape of its API, so that nothing can be judged. exo's own script ends
// with an exception at such an answer.
type UnusableError struct {
	// What says in words what was odd.
	What string
	// Exception is the exception that exo's script ends with, as Python prints it: "KeyError: 'choices'".
	Exception string
}

// Error implements error.
func (e *UnusableError) Error() string {
	if e.Exception == "" {
		return e.What
	}
	return e.What + " (" + e.Exception + ")"
}
