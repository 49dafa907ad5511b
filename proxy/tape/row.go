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
const exchangeColumns = `SELECT s.name, x.seq, x.started, coalesce(x.upstream, s.upstream), x.method, x.url, x.host, x.proto, x.labels,
	x.request_header, x.request_trailer, x.request_body, rb.sha256, rb.size,
	x.status, x.reason, x.response_proto, x.response_header, x.response_trailer, x.response_body, pb.sha256, pb.size,
	x.ttfb, x.total, x.pieces, x.ended, x.cause, f.version, f.api, f.model, f.stream
	FROM exchanges x JOIN sessions s ON s.id = x.session
	LEFT JOIN bodies rb ON rb.id = x.request_body LEFT JOIN bodies pb ON pb.id = x.response_body
	LEFT JOIN facts f ON f.exchange = x.id`

// row is an exchange as it has been read, before what needs further reading is filled in.
type row struct {
	x       *Exchange
	pieces  []byte
	partial bool // the response body was not completed by its recorder
	stale   bool // the facts have to be derived
}

// bodyColumns are the columns of a body an exchange refers to.
type bodyColumns struct {
	id, size sql.NullInt64
	sum      []byte
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

// scan reads the columns of exchangeColumns.
func (r *row) scan(scan func(dest ...any) error, alive bool) error {
	x := new(Exchange)
	r.x = x
	var (
		started, ttfb, total                                                   int64
		labels, requestHeader, requestTrailer, responseHeader, responseTrailer []byte
		reason, responseProto, ended, cause, api, model                        sql.NullString
		request, response                                                      bodyColumns
		version                                                                sql.NullInt64
		stream                                                                 sql.NullBool
	)
	err := scan(&x.Session, &x.Seq, &started, &x.Upstream, &x.Request.Method, &x.Request.URL, &x.Request.Host, &x.Request.Proto, &labels,
		&requestHeader, &requestTrailer, &request.id, &request.sum, &request.size,
		&x.Response.Status, &reason, &responseProto, &responseHeader, &responseTrailer, &response.id, &response.sum, &response.size,
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
	x.Response.Proto = responseProto.String
	x.Cause = cause.String
	switch {
	case ended.Valid:
		x.Ended = Ended(ended.String)
	case alive:
		x.Ended = InFlight
	default:
		x.Ended = Interrupted
	}
	x.Facts = Facts{API: API(api.String), Model: model.String, Stream: stream.Bool}
	r.stale = !version.Valid || version.Int64 < DeriveVersion

	errs := make([]error, 7)
	x.Labels, errs[0] = decodeLabels(labels)
	x.Request.Header, errs[1] = decodeHeader(requestHeader)
	x.Request.Trailer, errs[2] = decodeHeader(requestTrailer)
	x.Response.Header, errs[3] = decodeHeader(responseHeader)
	x.Response.Trailer, errs[4] = decodeHeader(responseTrailer)
	x.Request.Body, _, errs[5] = request.body()
	x.Response.Body, r.partial, errs[6] = response.body()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("exchange %d of %s: %w", x.Seq, x.Session, err)
	}
	return nil
}

// complete fills in what is read from other rows.
func (t *Tape) complete(ctx context.Context, r *row) error {
	x := r.x
	if r.partial {
		if err := t.completePartial(ctx, x); err != nil {
			return err
		}
	}
	var err error
	if x.Pieces, err = unpackPieces(r.pieces, x.Response.Body.Size); err != nil {
		return fmt.Errorf("exchange %d of %s: %w", x.Seq, x.Session, err)
	}
	if r.stale {
		if x.Facts, err = t.derive(ctx, x); err != nil {
			return err
		}
	}
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

// derive derives the facts of x.
func (t *Tape) derive(ctx context.Context, x *Exchange) (Facts, error) {
	body, err := t.Body(ctx, x.Request.Body)
	if err != nil {
		return Facts{}, err
	}
	defer body.Close()
	var scanner modelScanner
	if _, err := io.Copy(&scanner, body); err != nil {
		return Facts{}, err
	}
	return deriveFacts(x.Request.Method, x.Request.URL, scanner.model, x.Response.Header), nil
}
