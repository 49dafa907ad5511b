package thread

import (
	"cmp"
	"context"
	"iter"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

// Source is a recording. [tape.Tape] is one.
type Source interface {
	reading.Source
	Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error]
}

var _ Source = (*tape.Tape)(nil)

// Read finds the conversations among the model calls that q asks for, by their first exchange. It reads on all processors.
func Read(ctx context.Context, src Source, q tape.Query) ([]*Thread, error) {
	var g Grouper
	workers := runtime.GOMAXPROCS(0)
	order := make(chan chan *reading.Exchange, 4*workers) // of what is being read, in recorded order
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error {
		defer close(order)
		readers, ctx := errgroup.WithContext(ctx)
		readers.SetLimit(workers)
		for x, err := range src.Exchanges(ctx, q) {
			if err != nil {
				return cmp.Or(readers.Wait(), err) // which may only say that a reader has failed
			}
			if !x.Facts.API.Model() {
				continue
			}
			read := make(chan *reading.Exchange, 1)
			select {
			case order <- read:
			case <-ctx.Done():
				return readers.Wait()
			}
			readers.Go(func() error {
				r, err := reading.Of(ctx, src, x)
				if err == nil {
					read <- r
				}
				return err
			})
		}
		return readers.Wait()
	})
	all.Go(func() error {
		for read := range order {
			select {
			case x := <-read:
				g.Add(x)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return g.Threads(), nil
}
