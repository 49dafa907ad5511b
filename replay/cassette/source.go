package cassette

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Source is a recording, be it a tape or a cassette.
type Source interface {
	Sessions(context.Context) ([]tape.Session, error)
	// Exchanges yields exchanges in recorded order.
	Exchanges(context.Context, tape.Query) iter.Seq2[*tape.Exchange, error]
	Exchange(context.Context, tape.Ref) (*tape.Exchange, error)
	Body(context.Context, tape.Body) (io.ReadCloser, error)
	Summary(context.Context, tape.Query) (*tape.Summary, error)
	Close() error
}

var _ Source = (*tape.Tape)(nil)

// OpenSource opens the tape or cassette at path, whichever it is. Nothing is written to the disk.
func OpenSource(ctx context.Context, path string) (Source, error) {
	head, err := firstBytes(path)
	if err != nil || !looksLikeText(head) {
		t, err := tape.Open(ctx, path) // which says what is wrong with the path
		if e, ok := errors.AsType[*tape.Error](err); ok && errors.Is(err, tape.ErrNotTape) {
			return nil, &tape.Error{Op: "opening", Path: path, Err: &neitherError{e.Err}, Hint: "name a file made by exodeck record or exodeck cassette export"}
		}
		if err != nil {
			return nil, err
		}
		return t, nil
	}
	c, err := Open(path)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// neitherError says of a file that is no tape that it is no cassette either.
type neitherError struct{ err error }

func (e *neitherError) Error() string {
	return "neither a tape nor a cassette" + strings.TrimPrefix(e.err.Error(), tape.ErrNotTape.Error())
}

func (e *neitherError) Unwrap() error { return e.err }

// tapeMark is what every SQLite file begins with.
const tapeMark = "SQLite format 3\x00"

// byteOrderMark is what some editors put in front of a text.
var byteOrderMark = []byte("\ufeff")

// sniffed is how much of a file is looked at to tell what it is.
const sniffed = 4 << 10

func firstBytes(path string) (head []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, ErrNotCassette)
	}
	head = make([]byte, sniffed)
	n, err := io.ReadFull(f, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], err
}

// looksLikeText reports whether a file that begins with head may be a cassette. Tapes begin with the name of SQLite's format.
func looksLikeText(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	return len(text) > 0 && text[0] == '{'
}
