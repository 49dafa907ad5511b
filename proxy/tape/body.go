package tape

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
)

// Body opens a body for reading. It holds at most 256 KiB of it at a time. A [Body] from another tape is found when a body with its
// digest is on this one. What is read is checked against the digest: bytes that were changed on the disk are an error at the end. A body that is
// pruned is [ErrNoBody], also when it has been read in part.
func (t *Tape) Body(ctx context.Context, b Body) (io.ReadCloser, error) {
	if b.Size == 0 {
		return http.NoBody, nil
	}
	r, err := t.openBody(ctx, b)
	if err != nil {
		return nil, failure("reading a body from", t.path, err)
	}
	return r, nil
}

func (t *Tape) openBody(ctx context.Context, b Body) (*bodyReader, error) {
	r := &bodyReader{ctx: ctx, tape: t, body: b, sum: sha256.New()}
	if b.id != 0 {
		// One that is still coming in has no digest yet.
		coming := b.SHA256 == [32]byte{}
		err := r.find(`id = ? AND (? OR sha256 IS NULL OR sha256 = ?)`, b.id, coming, b.SHA256[:])
		if coming || !errors.Is(err, ErrNoBody) {
			return r, err
		}
	}
	return r, r.find(`prefix = ? AND sha256 = ?`, prefixOf(b.SHA256[:]), b.SHA256[:])
}

// bodyReader reads a body part by part.
type bodyReader struct {
	ctx  context.Context
	tape *Tape
	body Body
	sum  hash.Hash
	part int64  // number of the next part; -1 when the only one has been read
	buf  []byte // what is left of the part before
	read int64
	err  error
}

// find looks up the row of the body. The bytes of a small body come with it.
func (r *bodyReader) find(where string, args ...any) error {
	var codec sql.NullInt64
	var size int64
	var data []byte
	err := r.tape.db.QueryRowContext(r.ctx, `SELECT id, size, codec, data FROM bodies WHERE `+where, args...).
		Scan(&r.body.id, &size, &codec, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNoBody
	}
	if err != nil || !codec.Valid {
		return err
	}
	r.part = -1
	r.buf, err = unpack(blob{codec: codec.Int64, data: data}, size)
	return err
}

// Read implements [io.Reader].
func (r *bodyReader) Read(p []byte) (int, error) {
	for len(r.buf) == 0 && r.err == nil {
		r.next()
	}
	if r.err != nil {
		return 0, r.err
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	r.sum.Write(p[:n])
	r.read += int64(n)
	return n, nil
}

// next reads the next part, or finds that there are no more.
func (r *bodyReader) next() {
	if r.part < 0 || r.read >= r.body.Size {
		r.err = r.check()
		return
	}
	var size, codec int64
	var data []byte
	err := r.tape.db.QueryRowContext(r.ctx, `SELECT size, codec, data FROM parts WHERE id = ?`, partRow(r.body.id, r.part)).
		Scan(&size, &codec, &data)
	if errors.Is(err, sql.ErrNoRows) {
		r.err = r.check()
		return
	}
	if err == nil {
		r.buf, err = unpack(blob{codec: codec, data: data}, size)
	}
	r.part++
	r.err = failure("reading a body from", r.tape.path, err)
}

// check returns [io.EOF] when all has been read as it was recorded.
func (r *bodyReader) check() error {
	whole := r.read == r.body.Size
	known := r.body.SHA256 != [32]byte{}
	if whole && (!known || string(r.sum.Sum(nil)) == string(r.body.SHA256[:])) {
		return io.EOF
	}
	var err error
	switch {
	case known && r.part >= 0 && r.gone():
		err = fmt.Errorf("%w any more: body %d was pruned while it was read", ErrNoBody, r.body.id)
	case !whole:
		err = fmt.Errorf("%w: body %d has %d bytes instead of %d", ErrDamaged, r.body.id, r.read, r.body.Size)
	default:
		err = fmt.Errorf("%w: the bytes of body %d are not those that were recorded", ErrDamaged, r.body.id)
	}
	return failure("reading a body from", r.tape.path, err)
}

// gone reports whether the tape has the body no more.
func (r *bodyReader) gone() bool {
	var n int
	err := r.tape.db.QueryRowContext(r.ctx, `SELECT count(*) FROM bodies WHERE id = ? AND sha256 = ?`, r.body.id, r.body.SHA256[:]).Scan(&n)
	return err == nil && n == 0
}

// Close implements [io.Closer].
func (r *bodyReader) Close() error {
	r.buf, r.err = nil, ErrClosed
	return nil
}

// digestOf returns the SHA-256 of what r has.
func digestOf(r io.Reader) (sum [32]byte, err error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return sum, err
	}
	return [32]byte(h.Sum(nil)), nil
}
