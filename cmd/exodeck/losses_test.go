package main

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
)

// TestLosses: without a status line, what goes unrecorded is told while it happens, but not each time.
func TestLosses(t *testing.T) {
	full := errors.New("disk full")
	fails := func(n, why string) string {
		return "level=WARN msg=\"recording fails: exchanges are not on the tape\" unrecorded=" + n + " error=\"" + why + "\"\n"
	}
	again := func(n string) string { return "level=WARN msg=\"exchanges are recorded again\" unrecorded=" + n + "\n" }
	type step struct {
		wait                  time.Duration // before the recorder counts so many
		committed, unrecorded int64
		err                   error
		want                  string // is logged by the next look
	}
	for _, tt := range []struct {
		name  string
		quiet bool
		steps []step
	}{
		{"all is recorded", false, []step{{0, 1, 0, nil, ""}, {time.Minute, 9, 0, nil, ""}}},
		{"an earlier failure that cost nothing", false, []step{{0, 1, 0, full, ""}}},
		{"a disk that is full, and has room again", false, []step{
			{0, 5, 0, nil, ""},
			{0, 5, 1, full, fails("1", "disk full")},
			{time.Minute, 5, 1, full, ""},
			{0, 6, 1, full, again("1")},
			{time.Minute, 7, 1, full, ""},
		}},
		{"a disk that stays full", false, []step{
			{0, 0, 1, full, fails("1", "disk full")},
			{0, 0, 2, full, ""},
			{lossInterval - 6*liveInterval, 0, 30, errors.New("disk broken"), ""},
			{0, 0, 30, errors.New("disk broken"), fails("30", "disk broken")},
			{lossInterval, 0, 31, full, fails("31", "disk full")},
		}},
		{"now and then", false, []step{
			{0, 1, 1, full, fails("1", "disk full")},
			{0, 2, 1, full, again("1")},
			{0, 2, 2, full, ""},
			{0, 3, 2, full, ""},
			{lossInterval, 3, 2, full, fails("2", "disk full") + again("2")},
		}},
		{"what is recorded beside a loss tells nothing", false, []step{
			{0, 1, 1, full, fails("1", "disk full")},
			{0, 2, 2, full, ""},
		}},
		{"without lines for exchanges", true, []step{{0, 0, 1, full, fails("1", "disk full")}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stats atomic.Pointer[tape.Stats]
				stats.Store(&tape.Stats{})
				var log bytes.Buffer
				l := newLive(&log, func() tape.Stats { return *stats.Load() }, "text", slog.LevelWarn, tt.quiet)
				synctest.Wait()
				for i, s := range tt.steps {
					time.Sleep(s.wait)
					synctest.Wait()
					stats.Store(&tape.Stats{Committed: s.committed, Unrecorded: s.unrecorded, LastError: s.err})
					time.Sleep(2 * liveInterval) // two looks: what is over is told by the one after
					synctest.Wait()
					got := ""
					l.mu.Lock()
					for line := range strings.Lines(log.String()) {
						_, line, _ = strings.Cut(line, " ") // the time
						got += line
					}
					log.Reset()
					l.mu.Unlock()
					if diff := cmp.Diff(s.want, got); diff != "" {
						t.Errorf("step %d (-want +got):\n%s", i, diff)
					}
				}
				l.stop()
			})
		})
	}
}
