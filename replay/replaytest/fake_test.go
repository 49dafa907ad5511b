package replaytest_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fakeTB is a test that may fail.
type fakeTB struct {
	testing.TB // of the test around it, for what is not below
	dir        string
	output     strings.Builder

	mu       sync.Mutex
	failures []string
	logs     []string
	cleanups []func()
}

// runTest runs a test to its end, cleanups included.
func runTest(t *testing.T, f func(t testing.TB)) *fakeTB {
	t.Helper()
	tb := &fakeTB{TB: t, dir: t.TempDir()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, f := range slices.Backward(tb.cleanups) {
				f()
			}
		}()
		f(tb)
	}()
	<-done
	return tb
}

// text is all that the test failed with.
func (tb *fakeTB) text() string { return strings.Join(tb.failures, "\n") }

func (tb *fakeTB) Helper()                  {}
func (tb *fakeTB) Name() string             { return "TestTide/in_Whitby" }
func (tb *fakeTB) TempDir() string          { return tb.dir }
func (tb *fakeTB) Context() context.Context { return tb.TB.Context() }
func (tb *fakeTB) Output() io.Writer        { return &tb.output }

func (tb *fakeTB) Cleanup(f func()) { tb.cleanups = append(tb.cleanups, f) }

func (tb *fakeTB) Errorf(format string, args ...any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.failures = append(tb.failures, fmt.Sprintf(format, args...))
}

func (tb *fakeTB) Fatalf(format string, args ...any) {
	tb.Errorf(format, args...)
	runtime.Goexit()
}

func (tb *fakeTB) Failed() bool {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return len(tb.failures) > 0
}

func (tb *fakeTB) Logf(format string, args ...any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.logs = append(tb.logs, fmt.Sprintf(format, args...))
}
