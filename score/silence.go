package score

import (
	"context"
	"io"
	"time"
)

// Silence ends a request to a server that says nothing for too long. How long the whole answer takes makes no difference.
type Silence struct {
	limit  time.Duration
	timer  *time.Timer // nil without a limit
	cancel context.CancelCauseFunc
}

// LimitSilence returns a context for a request, which ends with cause when nothing arrives for as long as limit; 0 is no limit. Stop
// frees what it holds.
func LimitSilence(ctx context.Context, limit time.Duration, cause error) (context.Context, *Silence) {
	s := &Silence{limit: limit}
	ctx, s.cancel = context.WithCancelCause(ctx)
	if limit > 0 {
		s.timer = time.AfterFunc(limit, func() { s.cancel(cause) })
	}
	return ctx, s
}

// Reader returns a reader of the answer, from which every read puts the limit off.
func (s *Silence) Reader(answer io.Reader) io.Reader {
	if s.timer == nil {
		return answer
	}
	return heard{answer, s}
}

// Stop ends the context.
func (s *Silence) Stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.cancel(nil)
}

type heard struct {
	answer  io.Reader
	silence *Silence
}

func (h heard) Read(p []byte) (int, error) {
	h.silence.timer.Reset(h.silence.limit)
	return h.answer.Read(p)
}
