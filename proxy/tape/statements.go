package tape

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// newestExchange yields the exchange that started last.
const newestExchange = `SELECT id FROM exchanges ORDER BY started DESC, id DESC LIMIT 1`

// busyTimeout is how many milliseconds SQLite waits for what another program has locked.
const busyTimeout = 5000

// statements are what the writer runs for every batch. They go to the driver directly: database/sql costs about as much again
// as what it wraps here.
type statements struct {
	begin, commit, rollback                    statement
	insertExchange, completeExchange           statement
	linkRequest, linkResponse, breakExchange   statement
	setFacts, markStream                       statement
	insertBody, findBody, addRef, finishBody   statement
	dropBody, insertPart, listParts, dropParts statement
	startSession, endSession, setUnrecorded    statement
	listPartial, listOrphans, markInterrupted  statement

	pageCount, freeCount, giveBack, truncateLog statement
	impatient, patient                          statement
	newestExchange, dropExchange, dropFacts     statement
	findOwners, lowerRefs, disownBody           statement
	dropSomeParts, dropEmptySession             statement
}

// each calls f with every statement and its text.
func (s *statements) each(f func(st *statement, text string) error) error {
	return errors.Join(
		f(&s.begin, `BEGIN IMMEDIATE`),
		f(&s.commit, `COMMIT`),
		f(&s.rollback, `ROLLBACK`),
		f(&s.insertExchange, `INSERT INTO exchanges (session, seq, started, upstream, method, url, host, proto, labels,
				request_header, request_trailer, request_body, status, reason, response_proto, response_header, response_trailer,
				response_body, ttfb, total, pieces, ended, cause) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`),
		f(&s.completeExchange, `UPDATE exchanges SET status = ?, reason = ?, response_proto = ?, response_header = ?,
				response_trailer = ?, response_body = ?, ttfb = ?, total = ?, pieces = ?, ended = ?, cause = ? WHERE id = ?`),
		f(&s.linkResponse, `UPDATE exchanges SET status = ?, reason = ?, response_proto = ?, response_header = ?,
				response_body = ? WHERE id = ?`),
		f(&s.linkRequest, `UPDATE exchanges SET request_body = ? WHERE id = ? AND request_body IS NULL`),
		f(&s.breakExchange, `UPDATE exchanges SET ended = ?, cause = ? WHERE id = ?`),
		f(&s.setFacts, `INSERT OR REPLACE INTO facts (exchange, version, api, model, stream) VALUES (?,?,?,?,?)`),
		f(&s.markStream, `UPDATE facts SET stream = 1 WHERE exchange = ?`),
		f(&s.insertBody, `INSERT INTO bodies (prefix, sha256, refs, size, stored, codec, data) VALUES (?,?,1,?,?,?,?)`),
		f(&s.findBody, `SELECT id, sha256 FROM bodies WHERE prefix = ?`),
		f(&s.addRef, `UPDATE bodies SET refs = refs + 1 WHERE id = ?`),
		f(&s.finishBody, `UPDATE bodies SET prefix = ?, sha256 = ?, size = ?, stored = ? WHERE id = ?`),
		f(&s.dropBody, `DELETE FROM bodies WHERE id = ?`),
		f(&s.insertPart, `INSERT INTO parts (id, size, codec, data) VALUES (?,?,?,?)`),
		f(&s.listParts, `SELECT size, codec, data FROM parts WHERE id >= ? AND id < ? ORDER BY id`),
		f(&s.dropParts, `DELETE FROM parts WHERE id >= ? AND id < ?`),
		f(&s.startSession, `INSERT INTO sessions (name, started, upstream, version, labels) VALUES (?,?,?,?,?)`),
		f(&s.endSession, `UPDATE sessions SET ended = ? WHERE id = ?`),
		f(&s.listPartial, `SELECT response_body FROM exchanges JOIN bodies ON bodies.id = response_body
			WHERE ended IS NULL AND prefix IS NULL`),
		f(&s.listOrphans, `SELECT id FROM bodies WHERE prefix IS NULL`),
		f(&s.markInterrupted, `UPDATE exchanges SET ended = ?, cause = ? WHERE ended IS NULL`),
		f(&s.setUnrecorded, `UPDATE sessions SET unrecorded = ? WHERE id = ?`),
		f(&s.pageCount, `PRAGMA page_count`),
		f(&s.freeCount, `PRAGMA freelist_count`),
		f(&s.giveBack, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, pagesAtOnce)),
		f(&s.truncateLog, `PRAGMA wal_checkpoint(TRUNCATE)`),
		f(&s.impatient, `PRAGMA busy_timeout = 0`),
		f(&s.patient, fmt.Sprintf(`PRAGMA busy_timeout = %d`, busyTimeout)),
		f(&s.newestExchange, newestExchange),
		f(&s.dropExchange, `DELETE FROM exchanges WHERE id = ?`),
		f(&s.dropFacts, `DELETE FROM facts WHERE exchange = ?`),
		f(&s.findOwners, `SELECT refs, sha256, stored, codec IS NULL FROM bodies WHERE id = ?`),
		f(&s.lowerRefs, `UPDATE bodies SET refs = refs - ? WHERE id = ?`),
		f(&s.disownBody, `UPDATE bodies SET refs = 0, prefix = NULL, sha256 = NULL WHERE id = ?`),
		f(&s.dropSomeParts, `DELETE FROM parts WHERE id IN (SELECT id FROM parts WHERE id >= ? AND id < ? LIMIT ?)`),
		f(&s.dropEmptySession, `DELETE FROM sessions WHERE id = ? AND NOT EXISTS (SELECT 1 FROM exchanges WHERE session = ?)`),
	)
}

func (s *statements) prepare(ctx context.Context, conn *sql.Conn) error {
	return conn.Raw(func(c any) error {
		return s.each(func(st *statement, text string) error {
			return st.prepare(ctx, c.(driver.Conn), text)
		})
	})
}

func (s *statements) close() error {
	return s.each(func(st *statement, _ string) error { return st.close() })
}

// statement is one prepared statement, used by one goroutine.
type statement struct {
	ctx  context.Context // the writer's
	stmt driver.Stmt
	args []driver.NamedValue
}

func (s *statement) prepare(ctx context.Context, conn driver.Conn, text string) (err error) {
	s.ctx = ctx
	if s.stmt, err = conn.Prepare(text); err != nil {
		return fmt.Errorf("preparing %q: %w", text, err)
	}
	return nil
}

func (s *statement) close() error {
	if s.stmt == nil {
		return nil
	}
	return s.stmt.Close()
}

func (s *statement) bind(values []any) []driver.NamedValue {
	s.args = s.args[:0]
	for i, v := range values {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return s.args
}

// exec runs the statement. Values are nil, int64, bool, string or []byte.
func (s *statement) exec(values ...any) error {
	_, err := s.run(values)
	return err
}

// insert runs the statement and returns the row it made.
func (s *statement) insert(values ...any) (int64, error) {
	result, err := s.run(values)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// count runs the statement and returns how many rows it changed.
func (s *statement) count(values ...any) (int64, error) {
	result, err := s.run(values)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// number runs the statement and returns the one number that it yields.
func (s *statement) number(values ...any) (n int64, err error) {
	err = s.query(func(row []driver.Value) error {
		n, _ = row[0].(int64)
		return nil
	}, 1, values...)
	return n, err
}

func (s *statement) run(values []any) (driver.Result, error) {
	return s.stmt.(driver.StmtExecContext).ExecContext(s.ctx, s.bind(values))
}

// query runs the statement and calls f with each row of so many columns. The row is valid during the call.
func (s *statement) query(f func(row []driver.Value) error, columns int, values ...any) error {
	rows, err := s.stmt.(driver.StmtQueryContext).QueryContext(s.ctx, s.bind(values))
	if err != nil {
		return err
	}
	row := make([]driver.Value, columns)
	for err == nil {
		if err = rows.Next(row); err == nil {
			err = f(row)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, rows.Close())
}
