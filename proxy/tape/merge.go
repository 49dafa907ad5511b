package tape

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Merged says what a tape was merged of.
type Merged struct {
	Sessions, Exchanges int64
	// Doubled is how many exchanges were left out because the session has them already, from another tape.
	Doubled int64
	// Renamed lists sessions that got another name because theirs was taken by another session.
	Renamed []Renamed
}

// Renamed is a session whose name was taken.
type Renamed struct {
	Tape     string // that it is from
	Old, New string
}

// Merge makes a tape at out of all sessions and exchanges of other tapes, which stay as they are. The file must not exist; it is there
// whole or not at all.
//
// A session that is on several tapes, by name, start and upstream, is one session, and an exchange of it that is on several, by
// [Exchange.Digest], one exchange. Of an exchange that one tape has interrupted and another one as it ended, the latter is taken. Another
// session of the same name gets a suffix. Session names and sequence numbers stay as they are otherwise, and so do digests. What is in flight
// on a tape that is being recorded is interrupted on the new one.
func Merge(ctx context.Context, out string, in ...string) (merged Merged, err error) {
	if _, err := os.Lstat(out); err == nil {
		return merged, failure(merging, out, fs.ErrExist)
	}
	var sources []*Tape
	defer func() {
		for _, s := range sources {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, path := range in {
		t, err := Open(ctx, path)
		if err != nil {
			return merged, err
		}
		sources = append(sources, t)
	}
	dir, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".*")
	if errors.Is(err, fs.ErrNotExist) {
		return merged, noFolder(merging, out, err)
	}
	if err != nil {
		return merged, failure(merging, out, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	temp := filepath.Join(dir, "merged.tape")
	m := &merger{out: out}
	if err = m.make(ctx, temp, sources); err == nil {
		err = publish(temp, out)
	}
	return m.merged, failure(merging, out, err)
}

// merging is the operation that errors name.
const merging = "merging into"

// publish gives a finished file its name, unless there is one of that name.
func publish(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system has no hard links.
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	return os.Rename(temp, path)
}

// mergeBatch is about how many bytes are written in one transaction.
const mergeBatch = 8 << 20

// merger writes a tape that is merged of others.
type merger struct {
	out    string // what the tape will be called
	w      *writer
	merged Merged

	open    bool  // a transaction is
	written int64 // in it

	addSeen, seen, findSeq, lastSeq statement
}

// seenDigests is where the digests of exchanges are noted that may come again. It goes with the connection.
const seenDigests = `CREATE TEMP TABLE seen (session INTEGER, digest BLOB, PRIMARY KEY (session, digest)) WITHOUT ROWID`

// make makes the tape at path.
func (m *merger) make(ctx context.Context, path string, tapes []*Tape) (err error) {
	if m.w, err = openWriter(ctx, path, 0); err != nil {
		return err
	}
	if err = m.prepare(); err == nil {
		err = m.merge(ctx, tapes)
	}
	if err == nil {
		err = m.commit()
	}
	if m.open {
		err = errors.Join(err, m.w.stmt.rollback.exec())
	}
	return errors.Join(err, m.close(), m.w.close(time.Time{}))
}

func (m *merger) prepare() error {
	if _, err := m.w.conn.ExecContext(m.w.ctx, seenDigests); err != nil {
		return err
	}
	return m.w.conn.Raw(func(c any) error {
		for _, s := range []struct {
			st   *statement
			text string
		}{
			{&m.addSeen, `INSERT OR IGNORE INTO seen (session, digest) VALUES (?, ?)`},
			{&m.seen, `SELECT count(*) FROM seen WHERE session = ? AND digest = ?`},
			{&m.findSeq, `SELECT started, id, session, request_body, response_body, ended FROM exchanges WHERE session = ? AND seq = ?`},
			{&m.lastSeq, `SELECT coalesce(max(seq), 0) FROM exchanges WHERE session = ?`},
		} {
			if err := s.st.prepare(m.w.ctx, c.(driver.Conn), s.text); err != nil {
				return err
			}
		}
		return nil
	})
}

func (m *merger) close() error {
	return errors.Join(m.addSeen.close(), m.seen.close(), m.findSeq.close(), m.lastSeq.close())
}

// write has f add about n bytes. Several calls make one transaction.
func (m *merger) write(n int64, f func() error) error {
	if !m.open {
		if err := m.w.stmt.begin.exec(); err != nil {
			return failure(merging, m.out, err)
		}
		m.open = true
	}
	if err := f(); err != nil {
		return failure(merging, m.out, err)
	}
	if m.written += n; m.written < mergeBatch {
		return nil
	}
	return m.commit()
}

func (m *merger) commit() error {
	if !m.open {
		return nil
	}
	if err := m.w.stmt.commit.exec(); err != nil {
		return failure(merging, m.out, err)
	}
	m.w.checkpoint(m.written)
	m.open, m.written = false, 0
	return nil
}

// merge copies all sessions of the tapes, in the order in which they started.
func (m *merger) merge(ctx context.Context, tapes []*Tape) (err error) {
	var all []mergedSession
	for _, t := range tapes {
		s, end, err := t.snapshot(ctx)
		if err != nil {
			return fmt.Errorf("reading %s: %w", t.path, err)
		}
		defer end()
		sessions, err := s.sessions(ctx)
		if err != nil {
			return failure("reading tape", t.path, err)
		}
		for _, session := range sessions {
			all = append(all, mergedSession{session, s})
		}
	}
	names := make(map[string]bool)
	for _, same := range groupSessions(all) {
		if err := m.session(ctx, same, names); err != nil {
			return err
		}
	}
	return nil
}
