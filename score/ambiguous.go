package score

import (
	"fmt"
	"strings"
)

// AmbiguousError means that a recording leaves something open that its user has to say.
type AmbiguousError struct {
	// What is open, such as "model", and the flag that says it.
	What, Flag string
	Choices    []string
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the tape holds answers of more than one %s: choose one with %s: %s", e.What, e.Flag, strings.Join(e.Choices, ", "))
}
