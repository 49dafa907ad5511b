package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// startWrapped starts the command behind "--", with its base URLs pointing at exodeck. A signal that ends exodeck is passed on to it.
func startWrapped(ctx context.Context, args []string, bases []baseURL, e env) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.stdin, e.stdout, e.stderr
	cmd.Env = os.Environ()
	for _, b := range bases {
		cmd.Env = append(cmd.Env, b.name+"="+b.value)
	}
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return cmd.Process.Kill()
		}
		// Ctrl-C on a terminal reaches the command by itself.
		if isTerminal(e.stdin) && strings.Contains(context.Cause(ctx).Error(), "interrupt") {
			return nil
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("running %s: %w; write the command behind -- as you would without exodeck", args[0], err)
	}
	return cmd, nil
}

// commandStatus passes the exit status of a wrapped command on.
func commandStatus(args []string, err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		// A signal is told as shells tell it.
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return &exitError{128 + int(status.Signal()), nil}
		}
		return &exitError{exit.ExitCode(), nil}
	}
	return fmt.Errorf("running %s: %w", args[0], err)
}
