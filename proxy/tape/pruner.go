package tape

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	// candidateCount is how many exchanges a pruner looks for at a time.
	candidateCount = 32
	// partsAtOnce and pagesAtOnce are how many parts of a body it removes, and how many pages it gives back, between two looks at the clock.
	partsAtOnce = 4
	pagesAtOnce = 8
	// spareShare: one page of so many may be free on a tape that is being recorded. Recording uses them up; to give them back would
	// move others.
	spareShare = 16
)

// pruner removes exchanges from the tape of a writer in steps, each a transaction that takes a bounded time. It works in passes: a pass
// removes what is due as it begins, then gives free pages back to the file system.
type pruner struct {
	w     *writer
	which selection
	keep  Retention
	now   func() time.Time

	limit int64 // how many pages the tape may have when Keep.MaxBytes is set
	low   int64 // and how many are to be left in use once it has more
	spare int64 // one page of so many may stay free

	list statement
	args []any // of which, for list

	cutoff int64 // of this pass: what started before is too old
	newest int64 // of this step: the exchange that no size removes
	progress

	ended time.Time // when the last pass ended
	said  error     // how
}

// progress is what a step changes, and takes back when its transaction fails.
type progress struct {
	last      candidate   // the one looked at last
	next      []candidate // those to look at next
	unowned   []int64     // bodies that nothing refers to, whose parts are still there
	shrinking bool        // the tape had too many pages, and has not been brought down to low yet
	pass      passState
	unmet     bool // the tape is larger than it may be, and nothing is left to be removed
	removed   Pruned
	written   int64 // about how many bytes have gone into the log
}

// passState is how far a pass is.
type passState int

const (
	removing passState = iota
	givingBack
	passed
)

// candidate is an exchange that may be pruned.
type candidate struct {
	started, id       int64
	session           int64
	request, response int64 // rows of the bodies; 0 for an empty one
}

// candidateOf reads the columns started, id, session, request_body, response_body.
func candidateOf(row []driver.Value) (c candidate) {
	for i, to := range []*int64{&c.started, &c.id, &c.session, &c.request, &c.response} {
		*to, _ = row[i].(int64) // NULL is an empty body
	}
	return c
}

// errInUse: a body is about to be referred to once more.
var errInUse = errors.New("body is in use")

// selection says which exchanges may be pruned.
type selection struct {
	session int64 // row; 0 for all
	before  int64 // when they started; 0 for any time
	ended   []Ended
}

// query returns the text that lists candidates, and its arguments behind the two that say where to go on: when the last
// one started, twice, and its row. An exchange that has not ended counts as ended so; when that is [InFlight] it is none.
func (s selection) query(unended Ended) (text string, args []any) {
	text = `SELECT started, id, session, request_body, response_body FROM exchanges
		WHERE started >= ? AND (started > ? OR id > ?) AND coalesce(ended, ?) <> ''`
	args = []any{string(unended)}
	if s.session != 0 {
		text += ` AND session = ?`
		args = append(args, s.session)
	}
	if s.before != 0 {
		text += ` AND started < ?`
		args = append(args, s.before)
	}
	if len(s.ended) > 0 {
		text += ` AND coalesce(ended, ?) IN (?` + strings.Repeat(`, ?`, len(s.ended)-1) + `)`
		args = append(args, string(unended))
		for _, e := range s.ended {
			args = append(args, string(e))
		}
	}
	return text + fmt.Sprintf(` ORDER BY started, id LIMIT %d`, candidateCount), args
}

// from returns the arguments that list the candidates behind c.
func (c candidate) from(args []any) []any { return append([]any{c.started, c.started, c.id}, args...) }

// newPruner returns a pruner that keeps a tape to k while it is recorded.
func newPruner(w *writer, k Retention, now func() time.Time) (*pruner, error) {
	p := &pruner{w: w, keep: k, now: now, spare: spareShare}
	if k.MaxBytes > 0 {
		p.limit = max((k.MaxBytes-k.log())/w.pageSize, 1)
		p.low = p.limit - p.limit/64 // so that it need not be brought down with every batch
	}
	return p, errors.Join(w.limitLog(k.log()), p.prepare())
}

// prepare makes what a pass needs.
func (p *pruner) prepare() error {
	text, args := p.which.query(InFlight)
	p.args = args
	p.pass = passed
	return p.w.conn.Raw(func(c any) error { return p.list.prepare(p.w.ctx, c.(driver.Conn), text) })
}

func (p *pruner) close() error {
	if p == nil {
		return nil
	}
	return p.list.close()
}

// begin starts a pass.
func (p *pruner) begin() {
	p.last, p.next, p.pass, p.unmet = candidate{started: math.MinInt64}, nil, removing, false
	p.cutoff = math.MinInt64
	switch {
	case p.keep.none():
		p.cutoff = math.MaxInt64
	case p.keep.MaxAge > 0:
		p.cutoff = p.now().Add(-p.keep.MaxAge).UnixNano()
	}
}

// step does what can be done in about so much time. It reports whether the pass goes on.
func (p *pruner) step(budget time.Duration) (more bool, err error) {
	before := p.progress
	deadline := time.Now().Add(budget)
	err = p.w.transaction(func() error {
		p.newest = 0
		if err := p.w.stmt.newestExchange.query(func(row []driver.Value) error {
			p.newest, _ = row[0].(int64)
			return nil
		}, 1); err != nil {
			return err
		}
		for p.pass != passed && time.Now().Before(deadline) {
			if err := p.once(); err != nil {
				if errors.Is(err, errInUse) {
					return nil // it will not be once the next batch is on the tape
				}
				return err
			}
		}
		return nil
	})
	if err != nil {
		p.progress = before
	}
	return p.pass != passed, err
}

// once does the next small piece of work.
func (p *pruner) once() error {
	switch {
	case len(p.unowned) > 0:
		return p.removeParts()
	case p.pass == givingBack:
		return p.giveBack()
	}
	c, ok, err := p.due()
	if err != nil {
		return err
	}
	if !ok {
		p.pass = givingBack
		return nil
	}
	return p.remove(c)
}

// due returns the oldest exchange that has to go.
func (p *pruner) due() (c candidate, ok bool, err error) {
	if len(p.next) == 0 {
		if p.next, err = p.candidates(); err != nil {
			return c, false, err
		}
	}
	if len(p.next) > 0 && p.next[0].started < p.cutoff {
		return p.next[0], true, nil
	}
	if p.limit == 0 {
		return c, false, nil
	}
	pages, free, err := p.w.pages()
	if err != nil {
		return c, false, err
	}
	p.shrinking = (p.shrinking || pages > p.limit) && pages-free > p.low
	if !p.shrinking {
		return c, false, nil
	}
	if len(p.next) == 0 || p.next[0].id == p.newest {
		p.unmet = pages-free > p.limit
		return c, false, nil
	}
	return p.next[0], true, nil
}

// candidates lists the next ones.
func (p *pruner) candidates() (list []candidate, err error) {
	err = p.list.query(func(row []driver.Value) error {
		list = append(list, candidateOf(row))
		return nil
	}, 5, p.last.from(p.args)...)
	return list, err
}

// remove takes an exchange off the tape, and the bodies that no other one has.
func (p *pruner) remove(c candidate) error {
	bodies, err := p.w.disown(c)
	if err != nil {
		return err
	}
	for _, b := range bodies {
		p.removed.StoredBytes += b.stored
		if b.inParts {
			p.unowned = append(slices.Clip(p.unowned), b.id)
		}
	}
	if err := p.w.dropExchange(c); err != nil {
		return err
	}
	gone, err := p.w.dropEmpty(c.session)
	if err != nil {
		return err
	}
	p.removed.Exchanges++
	p.removed.Sessions += gone
	p.last, p.next = c, p.next[1:]
	p.written += p.w.pageSize / 2 // neighbours share most of the pages that this changes
	return nil
}

// removeParts removes some parts of a body that nothing refers to, and with the last of them the body.
func (p *pruner) removeParts() error {
	id := p.unowned[0]
	p.written += p.w.pageSize
	n, err := p.w.stmt.dropSomeParts.count(partRow(id, 0), partRow(id+1, 0), int64(partsAtOnce))
	if err != nil || n == partsAtOnce {
		return err
	}
	p.unowned = p.unowned[1:]
	return p.w.stmt.dropBody.exec(id)
}

// giveBack gives free pages back to the file system, and ends the pass when enough of them have been.
func (p *pruner) giveBack() error {
	pages, free, err := p.w.pages()
	if err != nil {
		return err
	}
	p.pass = passed
	if free == 0 || free <= pages/p.spare && (p.limit == 0 || pages <= p.limit) {
		return nil
	}
	if err := p.w.stmt.giveBack.query(func([]driver.Value) error { return nil }, 0); err != nil {
		return err
	}
	p.written += pagesAtOnce * p.w.pageSize // each moves another one, as a rule
	p.w.checkpoints.shrunk = true
	left, _, err := p.w.pages()
	if err == nil && left < pages {
		p.pass = givingBack
	}
	return err
}

// overLimit tells that the tape is larger than it may be.
func (p *pruner) overLimit() error {
	return &Error{Op: "pruning", Path: p.w.path,
		Err:  fmt.Errorf("%w: %d bytes are allowed, and what is left may not be removed", ErrOverLimit, p.keep.MaxBytes),
		Hint: cmp.Or(p.which.hint(), "allow more; exchanges in flight and the newest one always stay")}
}

// hint says what keeps exchanges from being pruned.
func (s selection) hint() string {
	if s.session == 0 && s.before == 0 && len(s.ended) == 0 {
		return ""
	}
	return "allow more, or let exchanges of other kinds be removed too"
}

// pages returns how many pages the tape has and how many of them are free.
func (w *writer) pages() (all, free int64, err error) {
	if all, err = w.stmt.pageCount.number(); err != nil {
		return 0, 0, err
	}
	free, err = w.stmt.freeCount.number()
	return all, free, err
}
