package tape

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"time"
)

// exchangeColumns selects what [row.scan] reads.
const exchangeColumns = `SELECT s.name, x.id, x.seq, x.started, coalesce(x.upstream, s.upstream), x.method, x.url, x.host, x.proto, x.labels,
	x.request_header, x.request_trailer, x.request_body, rb.sha256, rb.size, rb.stored,
	x.status, x.reason, x.response_proto, x.response_header, x.response_trailer, x.response_body, pb.sha256, pb.size, pb.stored,
	x.ttfb, x.total, x.pieces, x.ended, x.cause, f.version, f.api, f.model, f.stream
	FROM exchanges x JOIN sessions s ON s.id = x.session
	LEFT JOIN bodies rb ON rb.id = x.request_body LEFT JOIN bodies pb ON pb.id = x.response_body
	LEFT JOIN facts f ON f.exchange = x.id`

// staleFacts is the condition for facts that have to be derived; its parameter is [DeriveVersion].
const staleFacts = `(f.version IS NULL OR f.version < ?)`

// row is an exchange as its columns have it.
type row struct {
	id    int64
	x     Exchange // without what has to be decoded, which is the rest of the fields
	stale bool     // the facts are of an older derivation
	open  bool     // the tape does not say how the exchange ended

	labels, pieces                  []byte
	requestHeader, requestTrailer   []byte
	responseHeader, responseTrailer []byte
	request, response               bodyColumns
}

// bodyColumns are the columns of a body that an exchange refers to.
type bodyColumns struct {
	id, size, stored sql.NullInt64
	sum              []byte
}

// body returns the body, and whether it is one that has not been completed.
func (c bodyColumns) body() (b Body, partial bool, err error) {
	switch {
	case !c.id.Valid:
		return Body{}, false, nil
	case !c.size.Valid || c.size.Int64 < 0:
		return Body{}, false, fmt.Errorf("%w: body %d is missing", ErrDamaged, c.id.Int64)
	case c.sum == nil:
		return Body{id: c.id.Int64}, true, nil
	case len(c.sum) != len(b.SHA256):
		return Body{}, false, fmt.Errorf("%w: body %d has a digest of %d bytes", ErrDamaged, c.id.Int64, len(c.sum))
	}
	return Body{Size: c.size.Int64, SHA256: [32]byte(c.sum), id: c.id.Int64}, false, nil
}

// scan reads the columns of exchangeColumns. An exchange that has not ended is in flight when its recorder is alive.
func (r *row) scan(scan func(dest ...any) error, alive bool) error {
	x := &r.x
	var started, ttfb, total int64
	var reason, proto, ended, cause, api, model sql.NullString
	var version sql.NullInt64
	var stream sql.NullBool
	err := scan(&x.Session, &r.id, &x.Seq, &started, &x.Upstream, &x.Request.Method, &x.Request.URL, &x.Request.Host, &x.Request.Proto,
		&r.labels, &r.requestHeader, &r.requestTrailer, &r.request.id, &r.request.sum, &r.request.size, &r.request.stored,
		&x.Response.Status, &reason, &proto, &r.responseHeader, &r.responseTrailer,
		&r.response.id, &r.response.sum, &r.response.size, &r.response.stored,
		&ttfb, &total, &r.pieces, &ended, &cause, &version, &api, &model, &stream)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNoExchange
	}
	if err != nil {
		return err
	}
	x.Started = timeOf(started)
	x.TTFB, x.Total = time.Duration(ttfb)*time.Microsecond, time.Duration(total)*time.Microsecond
	x.Response.Reason, x.Response.NoReason = reason.String, reason.Valid && reason.String == ""
	x.Response.Proto = proto.String
	x.Ended, x.Cause = Ended(ended.String), cause.String
	r.open = !ended.Valid
	if r.open && !alive {
		x.Ended, x.Cause = Interrupted, causeInterrupted
	}
	x.Facts = Facts{API: API(api.String), Model: model.String, Stream: stream.Bool}
	r.stale = !version.Valid || version.Int64 < DeriveVersion
	return nil
}

// exchange decodes the row.
func (t *Tape) exchange(ctx context.Context, r *row) (*Exchange, error) {
	x := r.x
	var partial bool
	errs := make([]error, 7)
	x.Labels, errs[0] = decodeLabels(r.labels)
	x.Request.Header, errs[1] = decodeHeader(r.requestHeader)
	x.Request.Trailer, errs[2] = decodeHeader(r.requestTrailer)
	x.Response.Header, errs[3] = decodeHeader(r.responseHeader)
	x.Response.Trailer, errs[4] = decodeHeader(r.responseTrailer)
	x.Request.Body, _, errs[5] = r.request.body()
	x.Response.Body, partial, errs[6] = r.response.body()
	err := errors.Join(errs...)
	if err == nil && partial {
		err = t.completePartial(ctx, &x)
	}
	if err == nil {
		x.Pieces, err = unpackPieces(r.pieces, x.Response.Body.Size)
	}
	if err != nil {
		return nil, fmt.Errorf("exchange %d of %s: %w", x.Seq, x.Session, err)
	}
	return &x, nil
}

// refreshFacts derives the facts of a row when these are of an older derivation.
func (t *Tape) refreshFacts(ctx context.Context, r *row) error {
	if !r.stale {
		return nil
	}
	request, _, err := r.request.body()
	if err != nil {
		return err
	}
	header, err := decodeHeader(r.responseHeader)
	if err != nil {
		return err
	}
	body, err := t.Body(ctx, request)
	if err != nil {
		return err
	}
	defer body.Close()
	var scanner modelScanner
	if _, err := io.Copy(&scanner, body); err != nil {
		return err
	}
	r.x.Facts = deriveFacts(r.x.Request.Method, r.x.Request.URL, scanner.model, header)
	return nil
}

// completePartial finds out how much of a response body has been spooled and, when no more can come, its digest.
func (t *Tape) completePartial(ctx context.Context, x *Exchange) error {
	b := &x.Response.Body
	if err := t.db.QueryRowContext(ctx, `SELECT coalesce(sum(size), 0) FROM parts WHERE id >= ? AND id < ?`,
		partRow(b.id, 0), partRow(b.id+1, 0)).Scan(&b.Size); err != nil {
		return err
	}
	if x.Ended == InFlight || b.Size == 0 {
		return nil
	}
	body, err := t.Body(ctx, *b)
	if err != nil {
		return err
	}
	defer body.Close()
	b.SHA256, err = digestOf(body)
	return err
}
