package pyjson

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// SyntaxError says where a text stops being JSON. It is Python's json.JSONDecodeError.
type SyntaxError struct {
	Msg    string // such as "Expecting value"
	Line   int    // from 1
	Column int    // in code points, from 1
	Char   int    // in code points from the start of the text, from 0
}

// Error returns the message as Python prints it.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s: line %d column %d (char %d)", e.Msg, e.Line, e.Column, e.Char)
}

// MaxDigits is the number of digits from which on Python refuses to read an integer.
const MaxDigits = 4300

// DigitsError tells of an integer with more than [MaxDigits] digits. Python raises a ValueError that is no JSONDecodeError.
type DigitsError struct {
	Digits int
}

// Error returns the text of Python's ValueError.
func (e *DigitsError) Error() string {
	return fmt.Sprintf("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit",
		MaxDigits, e.Digits)
}

// MaxDepth is the number of arrays and objects that may be open at once. CPython 3.13 gives up at about the same depth on the
// usual systems; its exact limit depends on what else is on the stack.
const MaxDepth = 9998

// DepthError tells of a text that is nested too deep. Python raises a RecursionError.
type DepthError struct {
	In string // what was opened once too often: "array" or "object"
}

// Error returns the text of Python's RecursionError.
func (e *DepthError) Error() string {
	return "maximum recursion depth exceeded while decoding a JSON " + e.In + " from a unicode string"
}

// UnicodeError tells of bytes that are not text in the encoding they seem to be in. Python raises a UnicodeDecodeError.
type UnicodeError struct {
	Encoding string // such as "utf-8" or "utf-16-le"
	Bytes    []byte // the offending bytes
	Start    int    // their offset; a byte order mark of UTF-8 is not counted
	Reason   string // such as "invalid start byte"
}

// Error returns the text of Python's UnicodeDecodeError.
func (e *UnicodeError) Error() string {
	if len(e.Bytes) == 1 {
		return fmt.Sprintf("'%s' codec can't decode byte 0x%02x in position %d: %s", e.Encoding, e.Bytes[0], e.Start, e.Reason)
	}
	return fmt.Sprintf("'%s' codec can't decode bytes in position %d-%d: %s", e.Encoding, e.Start, e.Start+len(e.Bytes)-1, e.Reason)
}

// UnsupportedError tells of a value that JSON has no form for. Python raises a TypeError.
type UnsupportedError struct {
	Type string // the name of the type
	Key  bool   // it is a key of an object
}

// Error returns the text of Python's TypeError.
func (e *UnsupportedError) Error() string {
	if e.Key {
		return "keys must be str, int, float, bool or None, not " + e.Type
	}
	return "Object of type " + e.Type + " is not JSON serializable"
}

// RangeError tells of a NaN or an infinity that the options forbid. Python raises a ValueError.
type RangeError struct {
	Value float64
}

// Error returns the text of Python's ValueError.
func (e *RangeError) Error() string {
	return "Out of range float values are not JSON compliant: " + pyvalue.Repr(pyvalue.Float(e.Value))
}
