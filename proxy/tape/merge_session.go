package tape

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
)

// mergedSession is a session on the tape it is from.
type mergedSession struct {
	sessionRow
	tape *Tape
}

// groupSessions puts together what is one session on several tapes, in the order in which they started.
func groupSessions(all []mergedSession) (groups [][]mergedSession) {
	type identity struct {
		name, upstream string
		started        int64
	}
	slices.SortStableFunc(all, func(a, b mergedSession) int { return a.Started.Compare(b.Started) })
	index := make(map[identity]int)
	for _, s := range all {
		id := identity{s.Name, s.Upstream, s.Started.UnixNano()}
		i, ok := index[id]
		if !ok {
			i = len(groups)
			index[id] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// session merges what is one session. Names are those that are taken.
func (m *merger) session(ctx context.Context, same []mergedSession, names map[string]bool) error {
	s := same[0].Session
	for _, other := range same[1:] {
		s.Unrecorded = max(s.Unrecorded, other.Unrecorded)
		if other.Ended.After(s.Ended) {
			s.Ended = other.Ended
		}
	}
	for n := 2; names[s.Name]; n++ {
		s.Name = fmt.Sprintf("%s-%d", same[0].Name, n)
	}
	names[s.Name] = true
	if s.Name != same[0].Name {
		m.merged.Renamed = append(m.merged.Renamed, Renamed{Tape: same[0].tape.path, Old: same[0].Name, New: s.Name})
	}
	id, err := m.addSession(s)
	if err != nil {
		return err
	}
	m.merged.Sessions++
	for _, from := range same {
		for r, err := range from.tape.inSession(ctx, from.id, Query{}) {
			if err == nil {
				err = m.exchange(ctx, from, r, id, len(same) > 1)
			}
			if err != nil {
				return failure("reading tape", from.tape.path, err)
			}
		}
	}
	return nil
}

func (m *merger) addSession(s Session) (id int64, err error) {
	return id, m.write(queuedOverhead, func() (err error) {
		id, err = m.w.stmt.startSession.insert(s.Name, s.Started.UnixNano(), s.Upstream, s.Version, textOrNull(encodeLabels(s.Labels)))
		if err == nil && !s.Ended.IsZero() {
			err = m.w.stmt.endSession.exec(s.Ended.UnixNano(), id)
		}
		if err == nil && s.Unrecorded > 0 {
			err = m.w.stmt.setUnrecorded.exec(s.Unrecorded, id)
		}
		return err
	})
}

// exchange copies an exchange into a session, unless that has it from another tape.
func (m *merger) exchange(ctx context.Context, from mergedSession, r *row, session int64, shared bool) error {
	x, err := from.tape.exchange(ctx, r)
	if err != nil {
		return err
	}
	if shared {
		take, err := m.place(session, x)
		if err != nil {
			return err
		}
		if !take {
			m.merged.Doubled++
			return nil
		}
	}
	request, err := m.body(ctx, from.tape, x.Request.Body)
	if err != nil {
		return err
	}
	response, err := m.body(ctx, from.tape, x.Response.Body)
	if err != nil {
		return err
	}
	m.merged.Exchanges++
	return m.write(queuedOverhead+int64(len(r.pieces)), func() error {
		return m.insert(from.Session, r, x, session, request, response)
	})
}

// insert adds the row of an exchange whose bodies are there.
func (m *merger) insert(s Session, r *row, x *Exchange, session int64, request, response any) error {
	var upstream, reason, pieces any
	if x.Upstream != s.Upstream {
		upstream = x.Upstream
	}
	if x.Response.Reason != "" || x.Response.NoReason {
		reason = x.Response.Reason
	}
	if len(r.pieces) > 0 {
		pieces = r.pieces
	}
	id, err := m.w.stmt.insertExchange.insert(
		session, x.Seq, x.Started.UnixNano(), upstream, x.Request.Method, x.Request.URL, x.Request.Host, x.Request.Proto, textOrNull(r.labels),
		textOrNull(r.requestHeader), textOrNull(r.requestTrailer), request,
		int64(x.Response.Status), reason, textOrNull([]byte(x.Response.Proto)), textOrNull(r.responseHeader), textOrNull(r.responseTrailer), response,
		x.TTFB.Microseconds(), x.Total.Microseconds(), pieces, string(x.Ended), textOrNull([]byte(x.Cause)))
	if err != nil {
		return err
	}
	return m.w.setFacts(id, x.Facts)
}

// place reports whether x is to be added to a session that is on several tapes, and under which number: its own, unless another exchange
// has that. Of an exchange that was interrupted on one tape only, the interrupted one makes room.
func (m *merger) place(session int64, x *Exchange) (take bool, err error) {
	digest := x.Digest()
	doubled, err := m.seen.number(session, digest[:])
	if err != nil || doubled > 0 {
		return false, err
	}
	present, ended, ok, err := m.numbered(session, x.Seq)
	if err != nil {
		return false, err
	}
	if ok && present.started == x.Started.UnixNano() {
		if x.Ended == Interrupted {
			return false, nil
		}
		if ended == Interrupted {
			ok = false
			err = m.replace(present)
		}
	}
	if err == nil && ok {
		var last int64
		last, err = m.lastSeq.number(session)
		x.Seq = last + 1
	}
	if err != nil {
		return false, err
	}
	return true, m.write(0, func() error { return m.addSeen.exec(session, digest[:]) })
}

// numbered returns the exchange of that number, if there is one.
func (m *merger) numbered(session, seq int64) (c candidate, ended Ended, ok bool, err error) {
	err = m.findSeq.query(func(row []driver.Value) error {
		c, ok = candidateOf(row), true
		text, _ := row[5].(string)
		ended = Ended(text)
		return nil
	}, 6, session, seq)
	return c, ended, ok, err
}

// replace takes an exchange off the tape for another one to take its place.
func (m *merger) replace(c candidate) error {
	m.merged.Exchanges--
	m.merged.Doubled++
	return m.write(0, func() error {
		bodies, err := m.w.disown(c)
		if err != nil {
			return err
		}
		for _, b := range bodies {
			if b.inParts {
				if err := m.w.dropBody(b.id); err != nil {
					return err
				}
			}
		}
		return m.w.dropExchange(c)
	})
}

// body copies a body as it is stored, or adds a reference to an equal one. It returns its row.
func (m *merger) body(ctx context.Context, t *Tape, b Body) (row any, err error) {
	if b.Size == 0 {
		return nil, nil
	}
	id, err := m.w.lookUp(b.SHA256)
	if err != nil {
		return nil, err
	}
	if id != 0 {
		return id, m.write(0, func() error { return m.w.stmt.addRef.exec(id) })
	}
	var size int64
	var codec sql.NullInt64
	var data []byte
	if err := t.db.QueryRowContext(ctx, `SELECT size, codec, data FROM bodies WHERE id = ?`, b.id).Scan(&size, &codec, &data); err != nil {
		return nil, err
	}
	if !codec.Valid {
		id, err = m.parts(ctx, t, b)
		return id, err
	}
	err = m.write(int64(len(data)), func() (err error) {
		id, err = m.w.stmt.insertBody.insert(prefixOf(b.SHA256[:]), b.SHA256[:], size, int64(len(data)), codec.Int64, data)
		return err
	})
	return id, err
}

// parts copies a body that is in parts, a few of which make a transaction.
func (m *merger) parts(ctx context.Context, t *Tape, b Body) (id int64, err error) {
	if err := m.write(0, func() (err error) {
		id, err = m.w.stmt.insertBody.insert(nil, nil, int64(0), int64(0), nil, nil)
		return err
	}); err != nil {
		return 0, err
	}
	var n, whole, stored int64
	for ; whole < b.Size; n++ {
		var size, codec int64
		var data []byte
		err := t.db.QueryRowContext(ctx, `SELECT size, codec, data FROM parts WHERE id = ?`, partRow(b.id, n)).Scan(&size, &codec, &data)
		if errors.Is(err, sql.ErrNoRows) {
			return 0, fmt.Errorf("%w: body %d has %d bytes instead of %d", ErrDamaged, b.id, whole, b.Size)
		}
		if err != nil {
			return 0, err
		}
		if err := m.write(int64(len(data)), func() error {
			return m.w.stmt.insertPart.exec(partRow(id, n), size, codec, data)
		}); err != nil {
			return 0, err
		}
		whole += size
		stored += int64(len(data))
	}
	return id, m.write(0, func() error {
		return m.w.stmt.finishBody.exec(prefixOf(b.SHA256[:]), b.SHA256[:], whole, stored, id)
	})
}
