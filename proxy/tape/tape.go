package tape

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"time"
)

// Tape reads a tape. It never changes it, and may be used by several goroutines at a time.
type Tape struct{}

// Open opens the tape at path for reading. A recorder may be writing it meanwhile, and its disk may be read-only.
func Open(ctx context.Context, path string) (*Tape, error) {
	return nil, errors.ErrUnsupported
}

// OpenFS opens the tape called name in fsys, such as one that is embedded in a program.
func OpenFS(ctx context.Context, fsys fs.FS, name string) (*Tape, error) {
	return nil, errors.ErrUnsupported
}

// Close closes the tape.
func (t *Tape) Close() error { return nil }

// Sessions returns the sessions of the tape by their start.
func (t *Tape) Sessions(ctx context.Context) ([]Session, error) { return nil, errors.ErrUnsupported }

// Query says which exchanges are asked for. Zero values do not restrict.
type Query struct {
	Session  string
	From, To time.Time // started in [From, To)
	API      API
	Model    string
	Ended    []Ended
}

// Exchanges yields the exchanges that q asks for in recorded order: by the start of their session, then by Seq.
func (t *Tape) Exchanges(ctx context.Context, q Query) iter.Seq2[*Exchange, error] {
	return func(yield func(*Exchange, error) bool) { yield(nil, errors.ErrUnsupported) }
}

// Exchange returns one exchange, or an error that is [ErrNoExchange].
func (t *Tape) Exchange(ctx context.Context, ref Ref) (*Exchange, error) {
	return nil, errors.ErrUnsupported
}

// Body opens a body for reading.
func (t *Tape) Body(ctx context.Context, b Body) (io.ReadCloser, error) {
	return nil, errors.ErrUnsupported
}
