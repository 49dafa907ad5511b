package tape

import (
	"errors"
	"fmt"
	ossignal "os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFileSizeLimit has the system refuse to write, as it does behind a quota: SQLite knows only that it failed.
func TestFileSizeLimit(t *testing.T) {
	_, r, s := openTest(t, RecorderOptions{})
	ossignal.Ignore(syscall.SIGXFSZ)
	defer ossignal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := func(size uint64) {
		t.Helper()
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: before.Max}); err != nil {
			t.Fatal(err)
		}
	}
	limit(512 << 10)
	defer limit(before.Cur)
	record := func(n int) error {
		x := s.Begin(post("large"))
		for i := range 5000 {
			x.RequestBody(fmt.Appendf(nil, "%x", 1e9*float64(n)+float64(i)))
		}
		x.RequestEnd(nil)
		x.End(Complete, "", nil, time.Millisecond)
		return x.Wait(t.Context())
	}
	var err error
	for n := 0; n < 100 && err == nil; n++ {
		err = record(n)
	}
	var e *Error
	if !errors.Is(err, ErrDisk) || !errors.As(err, &e) || !strings.Contains(e.Hint, "quota") {
		t.Errorf("Wait returned %v", err)
	}
	limit(before.Cur)
	if err := record(1000); err != nil {
		t.Errorf("recording when writing is possible again: %v", err)
	}
	if err := r.Close(); !errors.Is(err, ErrDisk) {
		t.Errorf("Close returned %v", err)
	}
}
