package cluster

import "fmt"

// Failure is why a run cannot take place, in the words of exo's evaluator.
type Failure struct{ Text string }

// Error implements error.
func (e *Failure) Error() string { return e.Text }

func failure(format string, args ...any) *Failure {
	return &Failure{fmt.Sprintf(format, args...)}
}

// StartError means that an instance was created but never became ready.
type StartError struct{ Err error }

// Error implements error.
func (e *StartError) Error() string { return "Failed to initialize placement: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }
