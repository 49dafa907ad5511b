package tape

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Conditions a caller may act on, to be asked for with [errors.Is]. A missing file is [fs.ErrNotExist].
var (
	// ErrNotTape: the file is something else than a tape.
	ErrNotTape = errors.New("not a tape")
	// ErrNewer: the tape was written by a newer exodeck.
	ErrNewer = errors.New("tape of a newer exodeck")
	// ErrOlder: the tape has an older schema that only a recorder can bring up to date.
	ErrOlder = errors.New("tape of an older exodeck")
	// ErrDamaged: the tape was truncated or overwritten in part.
	ErrDamaged = errors.New("tape is damaged")
	// ErrBusy: another recorder writes the tape.
	ErrBusy = errors.New("another recorder writes this tape")
	// ErrFull: the disk, or the size allowed for the tape, is used up.
	ErrFull = errors.New("no space left for the tape")
	// ErrDisk: the system failed to read or write the file, and SQLite does not tell why.
	ErrDisk = errors.New("the tape cannot be read or written")
	// ErrOverLimit: the tape cannot be brought down to the size it may have.
	ErrOverLimit = errors.New("the tape is larger than it may be")
	// ErrPruneAll: the options of [Prune] ask for nothing in particular, which would be everything.
	ErrPruneAll = errors.New("nothing says what to prune")
	// ErrLocked: another program has locked the tape for longer than one waits for it.
	ErrLocked = errors.New("another program has the tape locked")
	// ErrSlow: the disk did not keep up, and traffic was not made to wait any longer.
	ErrSlow = errors.New("the disk of the tape did not keep up")
	// ErrClosed: the recorder or the tape has been closed.
	ErrClosed = errors.New("closed")
	// ErrNoExchange: the tape has no exchange of that name.
	ErrNoExchange = errors.New("no such exchange")
	// ErrNoSession: the tape has no session of that name.
	ErrNoSession = errors.New("no such session")
	// ErrNoBody: the tape has no body with that digest.
	ErrNoBody = errors.New("no such body")
)

// Error is a failure that a person has to do something about.
type Error struct {
	Op   string // what was being done, such as "opening tape"
	Path string
	Err  error
	Hint string // what to do next
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err)
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// failure puts what SQLite or the file system reported into an [Error] that says what to do. It passes on what is one already.
func failure(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	e := &Error{Op: op, Path: path, Err: err}
	if kind := classify(err); kind != nil {
		e.Err = fmt.Errorf("%w: %w", kind, err)
	}
	switch {
	case errors.Is(e.Err, fs.ErrNotExist):
		e.Hint = "check the path; exodeck record creates a tape"
	case errors.Is(e.Err, syscall.EROFS):
		e.Hint = "name a file on a disk that can be written"
	case errors.Is(e.Err, fs.ErrPermission):
		e.Hint = "check the permissions of the file and of its folder"
	case errors.Is(e.Err, fs.ErrExist):
		e.Hint = "name a file that is not there yet"
	case errors.Is(e.Err, ErrNotTape):
		e.Hint = "name a file made by exodeck record"
	case errors.Is(e.Err, ErrNewer):
		e.Hint = "use a newer exodeck"
	case errors.Is(e.Err, ErrOlder):
		e.Hint = "bring it up to date by recording on it, or on a copy"
	case errors.Is(e.Err, ErrDamaged):
		e.Hint = "restore it from a copy; sqlite3 " + filepath.Base(path) + " .recover may save what is left"
	case errors.Is(e.Err, ErrNoSession):
		e.Hint = "exodeck tape stats lists those it has"
	case errors.Is(e.Err, ErrFull):
		e.Hint = "free some space; recording goes on when there is room"
	case errors.Is(e.Err, ErrDisk):
		e.Hint = "see whether the disk fails, or a quota or a limit on the size of files is reached"
	case errors.Is(e.Err, ErrLocked):
		e.Hint = "close what else has the tape open for writing"
	case errors.Is(e.Err, ErrSlow):
		e.Hint = "put the tape on a faster disk"
	}
	return e
}

// noFolder is the failure to make a file in a folder that is not there.
func noFolder(op, path string, err error) error {
	return &Error{Op: op, Path: path, Err: err, Hint: "make the folder " + filepath.Dir(path) + " first, or name a file in one that is there"}
}

// classify tells which of the sentinels a result code of SQLite stands for, nil when none does.
func classify(err error) error {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return nil
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return ErrNotTape
	case sqlite3.SQLITE_CORRUPT:
		return ErrDamaged
	case sqlite3.SQLITE_FULL:
		return ErrFull
	case sqlite3.SQLITE_IOERR:
		return ErrDisk
	case sqlite3.SQLITE_BUSY:
		return ErrLocked
	}
	return nil
}
