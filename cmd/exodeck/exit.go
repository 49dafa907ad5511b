package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"
)

// Exit statuses beside those that verdicts call for.
const (
	exitUsage       = 2
	exitMissing     = 3
	exitCannotRun   = 4
	exitInterrupted = 130
)

// exitError ends the program with a status. Its error may be nil: everything has been said.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exitStatus tells an error, if there is one, and returns the status it calls for.
func (e env) exitStatus(err error) int {
	if err == nil {
		return 0
	}
	status := exitCannotRun
	if exit, ok := errors.AsType[*exitError](err); ok {
		status, err = exit.status, exit.err
	} else if errors.Is(err, context.Canceled) {
		status = exitInterrupted
	}
	if err != nil {
		fmt.Fprintf(e.stderr, "exodeck: %v\n", err)
	}
	return status
}

func usageError(_ *cli.Context, err error, _ bool) error { return &exitError{exitUsage, err} }

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}
