package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
)

// Exit statuses beside those that verdicts call for.
const (
	exitUsage       = 2
	exitMissing     = 3
	exitCannotRun   = 4
	exitInterrupted = 130
	exitUnread      = 128 + 13 // as shells tell of a program that SIGPIPE ended
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
	if isUnread(err) {
		return exitUnread // whoever stopped reading wants to hear no more
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
	switch { // that nobody reads any more is no news beside something else
	case isUnread(a):
		return b
	case isUnread(b):
		return a
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

// isUnread reports whether an error means that nobody reads any more what was to be printed: "exodeck tape ls | head".
func isUnread(err error) bool {
	file, ok := errors.AsType[*fs.PathError](err) // not a connection, whose error is another
	return ok && errors.Is(file, syscall.EPIPE)
}

// unlessUnread is an error of printing what has been kept elsewhere too, in a file: nothing is lost when nobody reads it.
func unlessUnread(err error) error {
	if isUnread(err) {
		return nil
	}
	return err
}

// errInterrupted is told in place of errors that say in the middle of what an interrupt came.
var errInterrupted = errors.New("interrupted")

// told is what of an error is told; nil when everything has been said.
func told(err error) error {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.err
	}
	if !errors.Is(err, context.Canceled) {
		return err
	}
	said := []error{errInterrupted}
	if joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		for _, err := range joined.Unwrap() {
			if !errors.Is(err, context.Canceled) {
				said = append(said, err) // what went wrong after that, such as cleaning up
			}
		}
	}
	return errors.Join(said...)
}

// usageError says of what form the value of a flag is, where that is what is wrong, and where the flags are explained.
func usageError(c *cli.Context, err error, _ bool) error {
	form := ""
	for _, f := range c.Command.Flags {
		for _, name := range f.Names() {
			if strings.Contains(err.Error(), " for flag -"+name+": ") {
				form = valueForm(f)
			}
		}
	}
	return usagef("%w%s; %s --help explains the flags", err, form, cmp.Or(c.Command.HelpName, c.App.HelpName))
}

// valueForm says how the value of a flag is written; "" for one that takes any text.
func valueForm(f cli.Flag) string {
	switch f.(type) {
	case *cli.DurationFlag:
		return "; write a number and its unit: 90s, 10m, 1h30m"
	case *cli.IntFlag, *cli.Int64Flag:
		return "; write a whole number"
	case *cli.Float64Flag:
		return "; write a number"
	}
	return ""
}

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}
