package cassette

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette/redact"
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
	// Redact takes secrets out by these rules, and by those that src was redacted by before. Nil exports everything as it is.
	Redact *redact.Rules
}

// ErrNothing: no exchange is of the kind that was asked for.
var ErrNothing = errors.New("there is no exchange of that kind")

// Export writes exchanges of src as a cassette. The same exchanges and options give the same bytes.
func Export(ctx context.Context, out io.Writer, src Source, o ExportOptions) (done Exported, err error) {
	r, err := readRecorded(ctx, src)
	if err != nil {
		return done, err
	}
	h := Head{Name: cmp.Or(o.Name, r.head.Name, o.Fallback), Generator: o.Generator, unknown: r.head.unknown}
	take := redactor{}
	if o.Redact != nil {
		if take, err = r.learn(ctx, h, o); err != nil {
			return done, err
		}
		rules, err := r.rules(o)
		if err != nil {
			return done, err
		}
		take.head(&h)
		h.setRedaction(rules)
	}
	w, err := NewWriter(h)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, s := range r.sessions {
		s := *s
		if o.Redact != nil {
			take.session(&s)
		}
		if err := w.session(&s); err != nil {
			return done, err
		}
	}
	for x, err := range r.entries(ctx, o.Query, o.Keep) {
		if err != nil {
			return done, err
		}
		if o.Redact != nil {
			take.entry(x)
			if err := take.Err(); err != nil {
				return done, fmt.Errorf("redacting exchange %s/%d: %w: leave the exchange out", x.Session, x.Seq, err)
			}
		}
		if err := w.Exchange(x); err != nil {
			return done, err
		}
		done.Exchanges++
	}
	if done.Exchanges == 0 {
		return done, ErrNothing
	}
	if o.Redact != nil {
		done.Secrets, done.Files = take.Secrets(), take.Files()
	}
	if _, err := w.WriteTo(out); err != nil {
		return done, fmt.Errorf("writing the cassette: %w", err)
	}
	return done, nil
}

// Exported says what was exported.
type Exported struct {
	Exchanges int
	// Secrets is how many different ones were taken out.
	Secrets int
	// Files is how many different packed files were replaced, for the secrets in them or because they were too large to search.
	Files int
}

// rules are those of the options and those that the source was redacted by.
func (r *recorded) rules(o ExportOptions) (redact.Rules, error) {
	before, err := r.head.redaction()
	if err != nil || before == nil {
		return join(*o.Redact, redact.Rules{}), err
	}
	return join(*before, *o.Redact), nil
}

// learn returns a redactor that has seen all that is to be exported.
func (r *recorded) learn(ctx context.Context, h Head, o ExportOptions) (redactor, error) {
	rules, err := r.rules(o)
	if err != nil {
		return redactor{}, err
	}
	take := redactor{redact.New(rules)}
	take.head(&h)
	for _, s := range r.sessions {
		s := *s
		take.session(&s)
	}
	for x, err := range r.entries(ctx, o.Query, o.Keep) {
		if err != nil {
			return take, err
		}
		take.entry(x)
	}
	take.Learned()
	return take, nil
}
