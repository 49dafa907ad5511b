package tape

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vfs"
)

// Tape reads a tape. It never changes it, and may be used by several goroutines at a time.
type Tape struct {
	path     string
	db       reader
	pool     *sql.DB // what db reads from
	files    *vfs.FS // where the tape is when that is not the file system of the machine
	recorded bool    // path is one on which a recorder may be at work
}

// reader is a pool of connections to a tape, or a transaction.
type reader interface {
	queryer
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Open opens the tape at path for reading. A recorder may be writing it meanwhile, and its disk may be read-only. What a
// recorder that died has left in the files beside the tape is read too.
func Open(ctx context.Context, path string) (*Tape, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, failure("opening tape", path, err)
	}
	t, err := openFile(ctx, path)
	if unwritable(err) {
		// SQLite wants to write beside the tape, to read it together with a writer. Where it cannot, nobody else can either.
		t, err = openAlone(ctx, path)
	}
	if err != nil {
		return nil, failure("opening tape", path, err)
	}
	t.path, t.recorded = path, true
	return t, nil
}

// OpenFS opens the tape called name in fsys, such as one that is embedded in a program.
func OpenFS(ctx context.Context, fsys fs.FS, name string) (*Tape, error) {
	info, err := fs.Stat(fsys, name)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, failure("opening tape", name, err)
	}
	t, err := openIn(ctx, fsys, name)
	if err != nil {
		return nil, failure("opening tape", name, err)
	}
	t.path = name
	return t, nil
}

// regular returns an error unless the file may be a tape.
func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%w: it is a folder", ErrNotTape)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: it is no regular file", ErrNotTape)
	case info.Size() == 0:
		return fmt.Errorf("%w: the file is empty", ErrNotTape)
	}
	return nil
}

// unwritable reports whether SQLite could not open a file because it may not write.
func unwritable(err error) bool {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return false
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		return true
	}
	return false
}

func openFile(ctx context.Context, path string) (*Tape, error) {
	db, err := openReader(ctx, path, url.Values{"mode": {accessMode(path, recording(path))}})
	if err != nil {
		return nil, err
	}
	return &Tape{db: newPrepared(db), pool: db}, nil
}

// openAlone opens a tape that is on a disk that cannot be written.
func openAlone(ctx context.Context, path string) (*Tape, error) {
	// SQLite does not say why it cannot open a file.
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return openIn(ctx, os.DirFS(filepath.Dir(path)), filepath.Base(path))
}

func openIn(ctx context.Context, fsys fs.FS, name string) (*Tape, error) {
	id, files, err := vfs.New(withLog{fsys, name + "-wal"})
	if err != nil {
		return nil, err
	}
	// There is no shared memory in such a file system: each connection reads the write-ahead log for itself.
	db, err := openReader(ctx, name, url.Values{"vfs": {id}, "_pragma": {"locking_mode(exclusive)"}})
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	return &Tape{db: newPrepared(db), pool: db, files: files}, nil
}

// accessMode returns the mode in which SQLite is to open a file it shall only read. SQLite makes two files beside it, and removes them in the
// end only when it may write. It would then also fold in what a recorder that died has left there; so that a reader
// changes nothing, such a tape is opened for reading only, the files being there already.
func accessMode(path string, alive bool) string {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 && !alive {
		return "ro"
	}
	return "rw"
}

// openReader opens the file at path and makes sure that it is a tape.
func openReader(ctx context.Context, path string, params url.Values) (*sql.DB, error) {
	params["_pragma"] = append(params["_pragma"], "busy_timeout(5000)", "query_only(on)", "trusted_schema(off)", "cell_size_check(on)")
	db, err := sql.Open("sqlite", dsn(path, params))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	if err := checkSchema(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// checkSchema makes sure that db is a tape with the newest schema.
func checkSchema(ctx context.Context, db queryer) error {
	version, err := schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	if version < len(migrations) {
		return fmt.Errorf("%w: its schema is version %d, this exodeck reads version %d", ErrOlder, version, len(migrations))
	}
	return nil
}

// probe makes sure that the file at path is a tape, without changing it, and returns the version of its schema.
func probe(ctx context.Context, path string, info fs.FileInfo) (version int, err error) {
	if err := regular(info); err != nil {
		return 0, err
	}
	db, err := sql.Open("sqlite", dsn(path, url.Values{"mode": {accessMode(path, false)}, "_pragma": {"busy_timeout(5000)", "query_only(on)"}}))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return schemaVersion(ctx, db)
}

// Close closes the tape. Bodies that are being read fail.
func (t *Tape) Close() error {
	err := t.pool.Close()
	if t.files != nil {
		err = errors.Join(err, t.files.Close())
	}
	return failure("closing tape", t.path, err)
}

// alive reports whether a recorder has the tape open.
func (t *Tape) alive() bool { return t.recorded && recording(t.path) }

// whileAlive has f read exchanges, told whether the tape is being recorded. When some of them are open and a recorder has come or gone meanwhile,
// f is called again: what it read might be in flight and not interrupted, or the reverse.
func (t *Tape) whileAlive(f func(alive bool) (open bool, err error)) error {
	for {
		alive := t.alive()
		open, err := f(alive)
		if err != nil || !open || t.alive() == alive {
			return err
		}
	}
}

// snapshot returns the tape as it is now, whatever a recorder does meanwhile; to be ended soon, as the recorder's write-ahead log grows until
// then. What is in flight counts as interrupted. It is to be used by one goroutine.
func (t *Tape) snapshot(ctx context.Context) (s *Tape, end func() error, err error) {
	tx, err := t.pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, nil, err
	}
	return &Tape{path: t.path, db: tx}, tx.Rollback, nil
}
