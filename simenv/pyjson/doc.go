// Package pyjson reads and writes JSON as the json module of CPython 3.13 does: the same dialect, the same messages at the same
// places, the same text.
//
// The dialect differs from the JSON of Go. NaN, Infinity and -Infinity are numbers. Integers keep every digit and differ from
// floats. Of a key that occurs twice the last value counts, at the place of the first. A lone surrogate escape is accepted and
// survives. A control character inside a string is an error.
//
// [Decode] is json.loads for bytes, which may be UTF-8, UTF-16 or UTF-32; [DecodeString] is json.loads for text. [Encode] is
// json.dumps. Values are those of package pyvalue.
//
// A text that is not JSON gives a [*SyntaxError], whose message is the one Python users know: "Expecting value: line 1 column 1
// (char 0)". The other failures have types of their own: [*DigitsError] where Python raises ValueError, [*DepthError] for
// RecursionError, [*UnicodeError] for UnicodeDecodeError.
package pyjson
