package tape

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"
)

// writer owns the connection that writes the tape. But for opening, everything in it is used by the writing stage alone.
type writer struct {
	ctx    context.Context // never over: what is handed in gets written
	path   string
	db     *sql.DB
	conn   *sql.Conn
	stmt   statements
	packer *packer

	pageSize    int64
	checkpoints checkpoints

	fresh    map[[32]byte]int64 // bodies that the open transaction has added
	stored   int64              // bytes that it has added
	sessions []*SessionRecorder
	broken   []*Recording // given up with something of them on the tape, which does not say so yet
}

// openWriter opens or creates the tape at path, migrates it and marks what an earlier recorder left unfinished.
// The caller holds the lock.
func openWriter(ctx context.Context, path string, maxSize int64) (*writer, error) {
	version := 0
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := createTape(ctx, path); err != nil {
			return nil, fmt.Errorf("creating the tape: %w", err)
		}
		version = len(migrations)
	case err != nil:
		return nil, err
	default:
		// A file that is something else is looked at by a reader, which changes nothing.
		if version, err = probe(ctx, path, info); err != nil {
			return nil, err
		}
	}
	db, err := sql.Open("sqlite", dsn(path, url.Values{
		"mode":    {"rw"},
		"_txlock": {"immediate"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", busyTimeout),
			"journal_mode(wal)",
			"synchronous(normal)",
			"cache_size(-16384)",
			"wal_autocheckpoint(0)", // see checkpoints
			"trusted_schema(off)",
		},
	}))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(2) // one that writes, one for checkpoints
	w := &writer{ctx: context.WithoutCancel(ctx), path: path, db: db, fresh: make(map[[32]byte]int64)}
	if err := w.setUp(ctx, version, maxSize); err != nil {
		return nil, errors.Join(err, w.shut())
	}
	return w, nil
}

func (w *writer) setUp(ctx context.Context, version int, maxSize int64) (err error) {
	if err := migrate(ctx, w.db, version); err != nil {
		return err
	}
	if w.packer, err = newPacker(); err != nil {
		return err
	}
	if w.conn, err = w.db.Conn(ctx); err != nil {
		return err
	}
	if err := w.conn.QueryRowContext(ctx, "PRAGMA page_size").Scan(&w.pageSize); err != nil {
		return err
	}
	if maxSize > 0 {
		if _, err := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", max(maxSize/w.pageSize, 1))); err != nil {
			return err
		}
	}
	if err := w.limitLog(maxLog); err != nil {
		return err
	}
	if err := w.stmt.prepare(w.ctx, w.conn); err != nil {
		return err
	}
	return w.transaction(w.markInterrupted)
}

// transaction runs f in a transaction.
func (w *writer) transaction(f func() error) error {
	return w.conn.Raw(func(any) error {
		err := w.stmt.begin.exec()
		if err != nil {
			return err
		}
		if err = f(); err == nil {
			err = w.stmt.commit.exec()
		}
		if err != nil {
			// After some errors SQLite has rolled back itself, and this says that there is no transaction.
			_ = w.stmt.rollback.exec()
		}
		return err
	})
}

// write writes batches until there are no more, then closes the tape. Between them it prunes.
func (r *Recorder) write(w *writer, batches <-chan *batch) {
	idle := time.NewTimer(0)
	if r.pruner == nil {
		idle.Stop()
	}
	for open := true; open; {
		var b *batch
		select {
		case b, open = <-batches:
			if open {
				r.writeOne(w, b)
			}
		case <-idle.C:
			w.shortenLog()
		}
		if r.pruner != nil && open {
			idle.Reset(r.prune(w))
		}
	}
	w.settle()
	r.closeAs = failure("closing", r.path, errors.Join(r.pruner.close(), w.close(r.now())))
}

// writeOne writes a batch and does what is called for behind it.
func (r *Recorder) writeOne(w *writer, b *batch) {
	w.writeBatch(r, b)
	// What every call waits for includes the exchanges of its batch.
	for _, c := range b.calls {
		var err error
		if c.run != nil {
			err = w.transaction(func() error { return c.run(w) })
		}
		c.done <- err
	}
	w.settle()
	w.checkpoint(w.stored + int64(len(b.jobs))*queuedOverhead)
}

// writeBatch writes the jobs of b, all or none.
func (w *writer) writeBatch(r *Recorder, b *batch) {
	clear(w.fresh)
	w.stored = 0
	if len(b.jobs) == 0 {
		return
	}
	start := time.Now()
	err := w.transaction(func() error {
		for _, j := range b.jobs {
			j.before = rows{j.x.row, j.x.request.row, j.x.response.row}
		}
		for _, j := range b.jobs {
			if err := w.writeJob(j); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		r.commits.add(time.Since(start))
		r.stored.Add(w.stored)
		for sum, id := range w.fresh {
			w.packer.known.add(sum, id)
		}
	}
	for _, j := range b.jobs {
		w.finishJob(r, j, err)
	}
}

// finishJob tells those who wait for j how it went. Jobs without an error are on the tape.
func (w *writer) finishJob(r *Recorder, j *job, err error) {
	x := j.x
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case err != nil:
		x.row, x.request.row, x.response.row = j.before.exchange, j.before.request, j.before.response
		x.fail(err)
		w.noteBroken(x)
	case j.failed != nil:
		w.noteBroken(x)
	case j.end != nil:
		r.committed.Add(1)
		r.bodyBytes.Add(x.request.size + x.response.size)
		x.finish()
	}
	for _, p := range j.parts {
		<-p.of.turn
		w.packer.buffers.put(p.data)
	}
	for _, b := range []*bodyEnd{j.request, j.response} {
		if b == nil {
			continue
		}
		w.packer.buffers.put(b.data)
		if b.row != 0 {
			w.packer.known.release(b.row)
		}
	}
	r.release(j.cost)
}

// noteBroken has settle tidy up after an exchange that was given up when something of it was on the tape already.
func (w *writer) noteBroken(x *Recording) {
	if x.row != 0 || x.request.row.id != 0 || x.response.row.id != 0 {
		w.broken = append(w.broken, x)
	}
}

// writeJob puts on the tape what j has.
func (w *writer) writeJob(j *job) error {
	if j.failed != nil {
		return nil
	}
	x := j.x
	linked := x.response.row.id != 0
	for _, p := range j.parts {
		if err := w.addPart(p); err != nil {
			return err
		}
	}
	switch {
	case j.insert:
		return w.insertExchange(j)
	case j.end != nil:
		return w.completeExchange(j)
	case x.row != 0 && x.response.row.id != 0 && !linked:
		h := j.headOrNone()
		return w.stmt.linkResponse.exec(h.status, h.reason, h.proto, h.header, x.response.row.id, x.row)
	}
	return nil
}

func (w *writer) insertExchange(j *job) error {
	x := j.x
	request, err := w.addBody(j.request)
	if err != nil {
		return err
	}
	response := rowOrNull(x.response.row.id)
	var end endColumns
	if j.end != nil {
		if response, err = w.addBody(j.response); err != nil {
			return err
		}
		end = j.end.columns()
	}
	var upstream any
	if x.start.Upstream != x.session.session.Upstream {
		upstream = x.start.Upstream
	}
	h := j.headOrNone()
	x.row, err = w.stmt.insertExchange.insert(
		x.session.id, x.seq, x.start.Started.UnixNano(), upstream,
		x.start.Method, x.start.URL, x.start.Host, x.start.Proto, textOrNull(encodeLabels(x.start.Labels)),
		textOrNull(encodeHeader(x.start.Header)), textOrNull(encodeHeader(j.requestTrailer)), request,
		h.status, h.reason, h.proto, h.header, end.trailer, response,
		end.ttfb, end.total, end.pieces, end.ended, end.cause)
	if err != nil {
		return err
	}
	facts := deriveFacts(x.start.Method, x.start.URL, x.request.model.model, h.original)
	return w.setFacts(x.row, facts)
}

func (w *writer) completeExchange(j *job) error {
	x := j.x
	response, err := w.addBody(j.response)
	if err != nil {
		return err
	}
	h, end := j.headOrNone(), j.end.columns()
	if j.request != nil && j.request.whole > 0 {
		if err := w.addLate(j, h); err != nil {
			return err
		}
	}
	if err := w.stmt.completeExchange.exec(h.status, h.reason, h.proto, h.header, end.trailer, response,
		end.ttfb, end.total, end.pieces, end.ended, end.cause, x.row); err != nil {
		return err
	}
	if !streams(h.original) {
		return nil
	}
	return w.stmt.markStream.exec(x.row)
}

// addLate adds the request body of an exchange that arrived without one.
func (w *writer) addLate(j *job, h headColumns) error {
	row, err := w.addBody(j.request)
	if err != nil {
		return err
	}
	x := j.x
	if err := w.stmt.linkRequest.exec(row, x.row); err != nil {
		return err
	}
	return w.setFacts(x.row, deriveFacts(x.start.Method, x.start.URL, x.request.model.model, h.original))
}

func (w *writer) setFacts(exchange int64, f Facts) error {
	return w.stmt.setFacts.exec(exchange, int64(DeriveVersion), string(f.API), f.Model, f.Stream)
}

// addPart adds a part to a spooled body.
func (w *writer) addPart(p *part) (err error) {
	s := p.of
	if s.row.id == 0 {
		if s.row.id, err = w.stmt.insertBody.insert(nil, nil, int64(0), int64(0), nil, nil); err != nil {
			return err
		}
	}
	if err := w.stmt.insertPart.exec(partRow(s.row.id, s.row.parts), p.size, p.codec, p.data); err != nil {
		return err
	}
	s.row.parts++
	s.row.stored += int64(len(p.data))
	w.stored += int64(len(p.data))
	return nil
}

// partRow is the row of part n of a body.
func partRow(body, n int64) int64 { return body<<20 + n }

// prefixOf is what the index of the bodies holds of a digest.
func prefixOf(sum []byte) int64 { return int64(binary.BigEndian.Uint64(sum)) }

// addBody completes a body and returns its row, nil for an empty one. Of equal bodies only one is kept.
func (w *writer) addBody(b *bodyEnd) (row any, err error) {
	if b.whole == 0 {
		return nil, nil
	}
	id := b.row
	if id == 0 {
		if id = w.fresh[b.sum]; id == 0 {
			if id, err = w.lookUp(b.sum); err != nil {
				return nil, err
			}
		}
	}
	s := b.of
	switch {
	case id != 0:
		if err := w.stmt.addRef.exec(id); err != nil {
			return nil, err
		}
		if s.row.id != 0 {
			w.stored -= s.row.stored
			err = w.dropBody(s.row.id)
			s.row = bodyRow{}
		}
		return id, err
	case s.row.id == 0:
		id, err = w.stmt.insertBody.insert(prefixOf(b.sum[:]), b.sum[:], b.whole, int64(len(b.data)), b.codec, b.data)
		w.stored += int64(len(b.data))
	default:
		if err := w.addPart(&b.part); err != nil {
			return nil, err
		}
		id = s.row.id
		err = w.stmt.finishBody.exec(prefixOf(b.sum[:]), b.sum[:], b.whole, s.row.stored, id)
	}
	if err != nil {
		return nil, err
	}
	w.fresh[b.sum] = id
	return id, nil
}

// lookUp returns the row of the body with that digest, 0 when the tape has none.
func (w *writer) lookUp(sum [32]byte) (id int64, err error) {
	err = w.stmt.findBody.query(func(row []driver.Value) error {
		if found, ok := row[1].([]byte); ok && string(found) == string(sum[:]) {
			id, _ = row[0].(int64)
		}
		return nil
	}, 2, prefixOf(sum[:]))
	return id, err
}

// dropBody removes a spooled body.
func (w *writer) dropBody(id int64) error {
	if err := w.stmt.dropParts.exec(partRow(id, 0), partRow(id+1, 0)); err != nil {
		return err
	}
	return w.stmt.dropBody.exec(id)
}
