package main

import (
	"cmp"
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
	if message := told(err); message != nil {
		fmt.Fprintf(e.stderr, "exodeck: %v\n", message)
	}
	return statusOf(err)
}

// both joins two ends of a command. Of their exit statuses the graver one counts: 130, 4, that of a wrapped command, 3, 1.
func both(a, b error) error {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	joined := errors.Join(told(a), told(b))
	return &exitError{graver(statusOf(a), statusOf(b)), joined}
}

func graver(a, b int) int {
	for _, status := range []int{exitInterrupted, exitCannotRun} {
		if a == status || b == status {
			return status
		}
	}
	return a
}

// statusOf is the exit status that an error calls for.
func statusOf(err error) int {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.status
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitCannotRun
}

// told is what of an error is told; nil when everything has been said.
func told(err error) error {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.err
	}
	return err
}

// usageError says where the flags are explained.
func usageError(c *cli.Context, err error, _ bool) error {
	return usagef("%w; %s --help explains the flags", err, cmp.Or(c.Command.HelpName, c.App.HelpName))
}

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}
