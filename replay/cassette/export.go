package cassette

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/exodeck/exodeck/proxy/tape"
)

// ExportOptions say what is exported, and how. The zero value exports everything as it is.
type ExportOptions struct {
	// Name is that of the cassette. When it is empty it is that of the cassette from which the exchanges come, or else Fallback.
	Name, Fallback string
	// Generator is the program that exports, such as "exodeck v1.0.0".
	Generator string
	// Query and Keep choose exchanges. A nil Keep keeps all.
	Query tape.Query
	Keep  func(*tape.Exchange) bool
}

// ErrNothing: no exchange is of the kind that was asked for.
var ErrNothing = errors.New("there is no exchange of that kind")

// Export writes exchanges of src as a cassette. The same exchanges and options give the same bytes. It returns how many there are.
func Export(ctx context.Context, out io.Writer, src Source, o ExportOptions) (n int, err error) {
	r, err := readRecorded(ctx, src)
	if err != nil {
		return 0, err
	}
	h := Head{Name: o.Name, Generator: o.Generator, unknown: r.head.unknown}
	if h.Name == "" {
		h.Name = r.head.Name
	}
	if h.Name == "" {
		h.Name = o.Fallback
	}
	w, err := NewWriter(h)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, s := range r.sessions {
		if err := w.session(s); err != nil {
			return 0, err
		}
	}
	for x, err := range r.entries(ctx, o.Query, o.Keep) {
		if err != nil {
			return 0, err
		}
		if err := w.Exchange(x); err != nil {
			return 0, err
		}
		n++
	}
	if n == 0 {
		return 0, ErrNothing
	}
	if _, err := w.WriteTo(out); err != nil {
		return 0, fmt.Errorf("writing the cassette: %w", err)
	}
	return n, nil
}
