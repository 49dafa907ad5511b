package tape

import "net/http"

// headColumns are the columns of a response head.
type headColumns struct {
	status                int64
	reason, proto, header any
	original              http.Header
}

// headOrNone returns the columns of the response head, also when none came.
func (j *job) headOrNone() headColumns {
	h := j.head
	if h == nil {
		return headColumns{}
	}
	c := headColumns{status: int64(h.status), proto: h.proto, header: textOrNull(encodeHeader(h.header)), original: h.header}
	if h.reason != "" || h.noReason {
		c.reason = h.reason
	}
	return c
}

// endColumns are the columns that are known at the end of an exchange. The zero value is for before that.
type endColumns struct {
	ttfb, total                   int64
	trailer, pieces, ended, cause any
}

func (e *ending) columns() endColumns {
	c := endColumns{
		ttfb: e.ttfb.Microseconds(), total: e.total.Microseconds(),
		trailer: textOrNull(encodeHeader(e.trailer)), ended: string(e.ended), cause: textOrNull([]byte(e.cause)),
	}
	if len(e.pieces) > 0 {
		c.pieces = e.pieces
	}
	return c
}

// textOrNull returns text as a value for a column, NULL when it is empty.
func textOrNull(text []byte) any {
	if len(text) == 0 {
		return nil
	}
	return string(text)
}

// rowOrNull returns a row for a column that refers to it, NULL when there is none.
func rowOrNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}
