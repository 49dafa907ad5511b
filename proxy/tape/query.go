package tape

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
)

// Query says which exchanges are asked for. Zero values do not restrict.
type Query struct {
	Session string
	// From and To restrict to exchanges with From <= Started < To.
	From, To time.Time
	API      API
	Model    string
	// Ended restricts to exchanges that ended in one of these ways.
	Ended []Ended
}

// pageLength is how many exchanges are read at a time. Between pages no transaction is open, so a slow reader does not make the recorder's
// write-ahead log grow.
const pageLength = 64

// Exchanges yields the exchanges that q asks for in recorded order: by the start of their session, then by Seq. It ends with the first error.
// Of a tape that is being recorded it yields what is there as it gets to it; bodies may have been pruned when they are asked for.
func (t *Tape) Exchanges(ctx context.Context, q Query) iter.Seq2[*Exchange, error] {
	return func(yield func(*Exchange, error) bool) {
		for r, err := range t.matching(ctx, q) {
			if err != nil {
				yield(nil, failure("reading tape", t.path, err))
				return
			}
			x, err := t.exchange(ctx, r)
			if err != nil {
				yield(nil, failure("reading tape", t.path, err))
				return
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

// matching yields the rows that q asks for, in recorded order, with their facts up to date.
func (t *Tape) matching(ctx context.Context, q Query) iter.Seq2[*row, error] {
	return func(yield func(*row, error) bool) {
		sessions, err := t.sessions(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, s := range sessions {
			if q.Session != "" && s.Name != q.Session {
				continue
			}
			for r, err := range t.inSession(ctx, s.id, q) {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// inSession yields the rows of one session that q asks for, page by page.
func (t *Tape) inSession(ctx context.Context, session int64, q Query) iter.Seq2[*row, error] {
	return func(yield func(*row, error) bool) {
		last := int64(math.MinInt64)
		for {
			var page []*row
			err := t.whileAlive(func(alive bool) (open bool, err error) {
				where, args := q.condition(alive)
				page, err = t.rows(ctx, alive, ` WHERE x.session = ? AND x.seq > ?`+where+fmt.Sprintf(` ORDER BY x.seq LIMIT %d`, pageLength),
					append([]any{session, last}, args...)...)
				return slices.ContainsFunc(page, func(r *row) bool { return r.open }), err
			})
			if err != nil {
				yield(nil, err)
				return
			}
			for _, r := range page {
				if r.x.Seq <= last {
					yield(nil, fmt.Errorf("%w: exchange %d of %s is out of order", ErrDamaged, r.x.Seq, r.x.Session))
					return
				}
				last = r.x.Seq
				if err := t.refreshFacts(ctx, r); err != nil {
					if errors.Is(err, ErrNoBody) {
						continue // it has been pruned since the page was read
					}
					yield(nil, err)
					return
				}
				if q.API != "" && r.x.Facts.API != q.API || q.Model != "" && r.x.Facts.Model != q.Model {
					continue // which the facts on the tape, of an older derivation, did not tell
				}
				if !yield(r, nil) {
					return
				}
			}
			if len(page) < pageLength {
				return
			}
		}
	}
}

// rows returns the rows that a clause selects.
func (t *Tape) rows(ctx context.Context, alive bool, clause string, args ...any) ([]*row, error) {
	rows, err := t.db.QueryContext(ctx, exchangeColumns+clause, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []*row
	for rows.Next() {
		r := new(row)
		if err := r.scan(rows.Scan, alive); err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, rows.Err()
}

// condition returns what q adds to a WHERE clause. Facts of an older version let every exchange pass, to be derived and looked at later.
func (q Query) condition(alive bool) (where string, args []any) {
	add := func(condition string, values ...any) {
		where += " AND " + condition
		args = append(args, values...)
	}
	if !q.From.IsZero() {
		add("x.started >= ?", q.From.UnixNano())
	}
	if !q.To.IsZero() {
		add("x.started < ?", q.To.UnixNano())
	}
	if q.API != "" {
		add("("+staleFacts+" OR f.api = ?)", DeriveVersion, string(q.API))
	}
	if q.Model != "" {
		add("("+staleFacts+" OR f.model = ?)", DeriveVersion, q.Model)
	}
	if len(q.Ended) > 0 {
		unended := Interrupted
		if alive {
			unended = InFlight
		}
		var values []any
		for _, e := range q.Ended {
			values = append(values, string(e))
		}
		condition := "x.ended IN (?" + strings.Repeat(", ?", len(values)-1) + ")"
		if slices.Contains(q.Ended, unended) {
			condition += " OR x.ended IS NULL"
		}
		add("("+condition+")", values...)
	}
	return where, args
}

// Exchange returns one exchange, or an error that is [ErrNoExchange].
func (t *Tape) Exchange(ctx context.Context, ref Ref) (*Exchange, error) {
	var r row
	var x *Exchange
	err := t.whileAlive(func(alive bool) (open bool, err error) {
		err = r.scan(t.db.QueryRowContext(ctx, exchangeColumns+` WHERE s.name = ? AND x.seq = ?`, ref.Session, ref.Seq).Scan, alive)
		return r.open, err
	})
	if err == nil {
		err = t.refreshFacts(ctx, &r)
	}
	if err == nil {
		x, err = t.exchange(ctx, &r)
	}
	if err != nil {
		return nil, failure(fmt.Sprintf("reading exchange %d of %s from", ref.Seq, ref.Session), t.path, err)
	}
	return x, nil
}

// Sessions returns the sessions of the tape by their start.
func (t *Tape) Sessions(ctx context.Context) ([]Session, error) {
	rows, err := t.sessions(ctx)
	if err != nil {
		return nil, failure("reading tape", t.path, err)
	}
	sessions := make([]Session, len(rows))
	for i, s := range rows {
		sessions[i] = s.Session
	}
	return sessions, nil
}

// sessionRow is a session with its row.
type sessionRow struct {
	Session
	id int64
}

func (t *Tape) sessions(ctx context.Context) ([]sessionRow, error) {
	rows, err := t.db.QueryContext(ctx, `SELECT id, name, started, ended, upstream, version, labels, unrecorded,
		(SELECT count(*) FROM exchanges WHERE session = sessions.id) FROM sessions ORDER BY started, id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var sessions []sessionRow
	for rows.Next() {
		var s sessionRow
		var started int64
		var ended sql.NullInt64
		var labels []byte
		if err := rows.Scan(&s.id, &s.Name, &started, &ended, &s.Upstream, &s.Version, &labels, &s.Unrecorded, &s.Exchanges); err != nil {
			return nil, err
		}
		s.Started = timeOf(started)
		if ended.Valid {
			s.Ended = timeOf(ended.Int64)
		}
		if s.Labels, err = decodeLabels(labels); err != nil {
			return nil, err
		}
		sessions = append(sessions, s)
	}
	return sessions, rows.Err()
}

// timeOf returns the time of day that a column holds.
func timeOf(nanos int64) time.Time { return time.Unix(0, nanos).UTC() }
