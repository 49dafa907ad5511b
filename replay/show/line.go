package show

import "strings"

// Line makes text fit for one line of a terminal: blanks and line ends become single blanks, all else is as with [Printable].
func Line(s string) string { return Printable(strings.Join(strings.Fields(s), " ")) }

// Words writes a name of several words as people do: not_judged is "not judged".
func Words[S ~string](name S) string { return strings.ReplaceAll(string(name), "_", " ") }
