// Package pyvalue holds Python values and treats them as CPython does: what is equal to what, what is true, how a value prints, how
// numbers add up.
//
// The benchmarks we reproduce were written in Python, and their verdicts hang on such details: True is 1, 1 is not inside "1.0", a
// list in a message prints with single quotes. This package is the one place that knows them.
//
// # Values
//
// A [Value] is one of these, and nothing else:
//
//	None       None{}                Str        Str("text")
//	Bool       Bool(true)            Bytes      Bytes("\x00")
//	Int        NewInt(3)             *List      NewList(a, b), changed through Items
//	Float      Float(0.5)            Tuple      Tuple{a, b}
//	Complex    Complex(1i)           *Dict      NewDict(), insertion ordered
//	Ellipsis   Ellipsis{}            *Set       NewSet()
//
// Lists, dicts and sets are references, as in Python: two holders of a *List see each other's changes, [DeepCopy] parts them. A
// value must not contain itself. A nil Value is not a Python value; only a Go function that found nothing returns one.
//
// # Text
//
// Python text may hold lone surrogates, which UTF-8 cannot. A Go string here is therefore UTF-8 in which a surrogate takes the three
// bytes its number asks for (0xD800 is "\xed\xa0\x80"), one code point after the other, never joined. Plain UTF-8 is a special case,
// comparison by bytes is comparison by code points, and [RuneLen], [DecodeRune] and [AppendRune] know the rest. [Str.Valid] tells
// whether the text may leave as UTF-8.
//
// # Printing
//
// [Repr] is repr(), [String] is str(); [AppendRepr] and [AppendString] write into a buffer. All are exact to the character for
// CPython 3.11 and later, with what is printable taken from Unicode 15.1 (CPython 3.13).
//
// # Errors
//
// What raises in Python returns an [*Exception] with Python's type name and text, so a simulator can show the text as it is.
//
// Numbers are exact: integers have any size, and an integer meets a float without rounding. The package reads and writes nothing,
// and no function blocks or panics for any value that follows the rules above.
package pyvalue
