package tape

import (
	"crypto/sha256"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// startSession puts a session on the tape.
func (w *writer) startSession(s *SessionRecorder) error {
	var err error
	s.id, err = w.stmt.startSession.insert(s.session.Name, s.session.Started.UnixNano(), s.session.Upstream, s.session.Version,
		textOrNull(encodeLabels(s.session.Labels)))
	if err == nil {
		w.sessions = append(w.sessions, s)
	}
	return err
}

// settle puts on the tape what is known of exchanges that have been given up. When that cannot be written, it is
// tried again after the next batch.
func (w *writer) settle() {
	var changed []*SessionRecorder
	for _, s := range w.sessions {
		if s.unrecorded.Load() != s.written {
			changed = append(changed, s)
		}
	}
	if len(changed)+len(w.broken) == 0 {
		return
	}
	counts := make([]int64, len(changed))
	err := w.transaction(func() error {
		for i, s := range changed {
			counts[i] = s.unrecorded.Load()
			if err := w.stmt.setUnrecorded.exec(counts[i], s.id); err != nil {
				return err
			}
		}
		for _, x := range w.broken {
			if err := w.settleExchange(x); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return
	}
	for i, s := range changed {
		s.written = counts[i]
	}
	for _, x := range w.broken {
		// Once settled it may be pruned like any other, and its rows be given to others.
		x.row, x.request.row, x.response.row = 0, bodyRow{}, bodyRow{}
	}
	w.broken = nil
}

// settleExchange marks an exchange that was given up. What had been spooled stays as its partial body.
func (w *writer) settleExchange(x *Recording) error {
	if x.row == 0 {
		for _, s := range []*spool{&x.request, &x.response} {
			if s.row.id == 0 {
				continue
			}
			if err := w.dropBody(s.row.id); err != nil {
				return err
			}
		}
		return nil
	}
	if x.response.row.id != 0 {
		if err := w.finishPartial(x.response.row.id); err != nil {
			return err
		}
	}
	if late := x.request.row.id; late != 0 {
		// Unless it was the body with which the request arrived, nothing refers to it yet.
		linked, err := w.stmt.linkRequest.count(late, x.row)
		if err == nil && linked > 0 {
			err = w.finishPartial(late)
		}
		if err != nil {
			return err
		}
	}
	return w.stmt.breakExchange.exec(string(RecorderError), x.cause, x.row)
}

// causeInterrupted is the cause of an exchange that is [Interrupted].
const causeInterrupted = "the recorder ended before the exchange did"

// markInterrupted marks the exchanges that have not ended, completes what has been spooled of their responses, and removes
// spooled bodies of requests that never arrived whole.
func (w *writer) markInterrupted() error {
	var partial []int64
	if err := w.stmt.listPartial.query(func(row []driver.Value) error {
		id, _ := row[0].(int64)
		partial = append(partial, id)
		return nil
	}, 1); err != nil {
		return err
	}
	for _, id := range partial {
		if err := w.finishPartial(id); err != nil {
			return err
		}
	}
	var orphans []int64
	if err := w.stmt.listOrphans.query(func(row []driver.Value) error {
		id, _ := row[0].(int64)
		orphans = append(orphans, id)
		return nil
	}, 1); err != nil {
		return err
	}
	for _, id := range orphans {
		if err := w.dropBody(id); err != nil {
			return err
		}
	}
	return w.stmt.markInterrupted.exec(string(Interrupted), causeInterrupted)
}

// finishPartial completes a spooled body with the parts that are on the tape. It is not made one with an equal body.
func (w *writer) finishPartial(id int64) error {
	sum := sha256.New()
	var size, stored int64
	err := w.stmt.listParts.query(func(row []driver.Value) error {
		p, err := scanPart(row)
		if err != nil {
			return err
		}
		raw, err := unpack(p.blob, p.size)
		if err != nil {
			return err
		}
		sum.Write(raw)
		size += p.size
		stored += int64(len(p.data))
		return nil
	}, 3, partRow(id, 0), partRow(id+1, 0))
	if err != nil {
		return fmt.Errorf("completing body %d: %w", id, err)
	}
	digest := sum.Sum(nil)
	return w.stmt.finishBody.exec(prefixOf(digest), digest, size, stored, id)
}

// scanPart reads a row of listParts.
func scanPart(row []driver.Value) (p part, err error) {
	var ok [3]bool
	p.size, ok[0] = row[0].(int64)
	p.codec, ok[1] = row[1].(int64)
	p.data, ok[2] = row[2].([]byte)
	if ok != [3]bool{true, true, true} {
		return part{}, fmt.Errorf("%w: a part with columns of other types", ErrDamaged)
	}
	return p, nil
}

// close ends the sessions and closes the tape.
func (w *writer) close(now time.Time) error {
	w.checkpoints.running.Wait()
	err := w.transaction(func() error {
		for _, s := range w.sessions {
			if err := w.stmt.endSession.exec(now.UnixNano(), s.id); err != nil {
				return err
			}
		}
		return w.markInterrupted()
	})
	if err == nil {
		_, err = w.conn.ExecContext(w.ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return errors.Join(err, w.shut())
}

// shut closes what has been opened.
func (w *writer) shut() error {
	err := w.stmt.close()
	if w.conn != nil {
		err = errors.Join(err, w.conn.Close())
	}
	return errors.Join(err, w.db.Close())
}
