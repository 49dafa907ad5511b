// Package pycall reads Python expressions such as
//
//	[Weather.get(city='Köln', days=-1), book(seats=[1, {'row': 2}])]
//
// as CPython's ast.parse(text, mode="eval") does, and turns their literals into values. It executes nothing: an argument that is not
// a literal comes back as text or as a [*NotLiteralError].
//
// [Parse] returns a tree of the nodes of Python's ast module. [Literal] is ast.literal_eval, [Unparse] is ast.unparse. [Value] and
// [Call.Arguments] read a tree by the rules of the benchmark's decoder, which answers are scored and executed with.
//
// The reference is CPython 3.11; 3.12 and later agree, except that they allow more inside the braces of an f-string. As in ast.parse,
// repeated keywords are accepted, and names need not exist. A [*SyntaxError] has Python's message in all common cases, and always a
// place. Reading takes time in proportion to the text, and text, nesting and depth are bounded ([MaxSource], [MaxNesting],
// [MaxDepth]).
package pycall
