package pyvalue

import "fmt"

// Exception is a Python exception: what Python would have raised for the same values.
type Exception struct {
	Type string // the class, such as "TypeError"
	Text string // str(exception)
}

// Error returns "Type: Text", as the last line of a Python traceback.
func (e *Exception) Error() string { return e.Type + ": " + e.Text }

// Raise returns an exception of the given class with a formatted text.
func Raise(class, format string, args ...any) *Exception {
	return &Exception{Type: class, Text: fmt.Sprintf(format, args...)}
}
