package pycall

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// SyntaxError says why and where a text is not a Python expression.
type SyntaxError struct {
	// Class is the exception that Python raises: "SyntaxError", its subclass "IndentationError", "RecursionError" for what is nested too
	// deep without brackets, or "UnicodeEncodeError" for text with lone surrogates.
	Class string
	// Msg is Python's message where we know it, and otherwise the plain "invalid syntax".
	Msg string
	// Line and Column are the place, in lines and code points from 1.
	Line, Column int
	// Offset is the place in bytes from 0. It counts a line end of two characters as one.
	Offset int
}

// Error returns the message with its place.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s (line %d, column %d, byte %d)", e.Msg, e.Line, e.Column, e.Offset)
}

func newSyntaxError(class, msg, src string, offset int) *SyntaxError {
	before := src[:offset]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Class:  class,
		Msg:    msg,
		Line:   strings.Count(before, "\n") + 1,
		Column: utf8.RuneCountInString(before[lineStart:]) + 1,
		Offset: offset,
	}
}

// NotLiteralError says which part of an expression is not a literal.
type NotLiteralError struct {
	Reason string // such as "a call" or "the operator +"
	Offset int    // of the part, in bytes
}

// Error returns the reason with its place.
func (e *NotLiteralError) Error() string {
	return fmt.Sprintf("not a literal: %s at byte %d", e.Reason, e.Offset)
}
