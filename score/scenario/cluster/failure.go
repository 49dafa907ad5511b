package cluster

import (
	"errors"
	"fmt"
)

// Failure is why a run cannot take place, in the words of exo's evaluator.
type Failure struct{ Text string }

// Error implements error.
func (e *Failure) Error() string { return e.Text }

func failure(format string, args ...any) *Failure {
	return &Failure{fmt.Sprintf(format, args...)}
}

// ErrRecordingEnds means that what a recorded run waited for never came: the run was interrupted, gave up waiting, or its recorder ended.
var ErrRecordingEnds = errors.New("the recording ends here, before anything was asked; run it again to have answers to score")

// StartError means that an instance was created but never became ready.
type StartError struct{ Err error }

// Error implements error.
func (e *StartError) Error() string { return "Failed to initialize placement: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }
