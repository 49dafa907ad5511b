package tape

import (
	"context"
	"errors"
	"fmt"
)

// Rederive derives the facts of all exchanges on the tape at path whose facts are older than [DeriveVersion], and returns how many there
// were. It writes the tape as a recorder does: while another one is at work, the error is [ErrBusy].
func Rederive(ctx context.Context, path string) (n int64, err error) {
	err = workOn(ctx, path, "deriving the facts of", func(w *writer) (err error) {
		n, err = w.rederive(ctx)
		return err
	})
	return n, err
}

func (w *writer) rederive(ctx context.Context) (n int64, err error) {
	t, err := Open(ctx, w.path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	for {
		rows, err := t.rows(ctx, true, fmt.Sprintf(` WHERE %s LIMIT %d`, staleFacts, pageLength), DeriveVersion)
		if err != nil || len(rows) == 0 {
			return n, err
		}
		for _, r := range rows {
			if err := t.refreshFacts(ctx, r); err != nil {
				return n, err
			}
		}
		if err := w.transaction(func() error {
			for _, r := range rows {
				if err := w.setFacts(r.id, r.x.Facts); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return n, err
		}
		n += int64(len(rows))
	}
}
