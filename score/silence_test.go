package score_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exodeck/exodeck/score"
)

// slow gives a byte after each pause, until its context ends.
type slow struct {
	ctx    context.Context
	pauses []time.Duration
}

func (s *slow) Read(p []byte) (int, error) {
	if len(s.pauses) == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(s.pauses[0]):
		s.pauses = s.pauses[1:]
		return copy(p, "x"), nil
	case <-s.ctx.Done():
		return 0, context.Cause(s.ctx)
	}
}

func TestLimitSilence(t *testing.T) {
	silent := errors.New("silent")
	const limit = 10 * time.Second
	for _, tt := range []struct {
		name   string
		limit  time.Duration
		pauses []time.Duration
		n      int
		want   error
	}{
		{"a long answer in small pieces", limit, []time.Duration{9 * time.Second, 9 * time.Second, 9 * time.Second}, 3, nil},
		{"a long pause", limit, []time.Duration{time.Second, 11 * time.Second}, 1, silent},
		{"no limit", 0, []time.Duration{time.Hour}, 1, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, s := score.LimitSilence(t.Context(), tt.limit, silent)
				got, err := io.ReadAll(s.Reader(&slow{ctx, tt.pauses}))
				if len(got) != tt.n || !errors.Is(err, tt.want) {
					t.Errorf("%d bytes, error %v; want %d, %v", len(got), err, tt.n, tt.want)
				}
				s.Stop()
				if ctx.Err() == nil {
					t.Error("the context goes on after Stop")
				}
			})
		})
	}
}
