package tape

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// Digest returns the SHA-256 of all that is kept of the exchange: everything but Session, Seq and Facts. It stays the same when the exchange is
// copied to another tape or through a cassette, and differs as soon as any kept fact does.
//
// What is digested is a sequence of fields, each the length of its text as 8 bytes, big-endian, then the text. The fields are, in this order:
//
//	"exodeck exchange 1"
//	started, in nanoseconds since 1970, decimal as all numbers are
//	upstream; method, URL, host, proto
//	request header, body, trailer
//	status, reason, "1" for a missing reason phrase or "0", proto
//	response header, body, trailer
//	ttfb, total, in microseconds
//	the number of pieces, then for each its offset and time in microseconds
//	ended, cause
//	the number of labels, then for each, sorted, its name and value
//
// A header or trailer is the number of its names, then for each, sorted, the name, the number of its values and these in order.
// A body is its size, then its SHA-256 in hexadecimal, or nothing when it is empty.
func (x *Exchange) Digest() [32]byte {
	var d digester
	d.text("exodeck exchange 1")
	d.number(x.Started.UnixNano())
	d.text(x.Upstream)
	d.text(x.Request.Method)
	d.text(x.Request.URL)
	d.text(x.Request.Host)
	d.text(x.Request.Proto)
	d.header(x.Request.Header)
	d.body(x.Request.Body)
	d.header(x.Request.Trailer)
	d.number(int64(x.Response.Status))
	d.text(x.Response.Reason)
	if x.Response.NoReason {
		d.number(1)
	} else {
		d.number(0)
	}
	d.text(x.Response.Proto)
	d.header(x.Response.Header)
	d.body(x.Response.Body)
	d.header(x.Response.Trailer)
	d.micros(x.TTFB)
	d.micros(x.Total)
	d.number(int64(len(x.Pieces)))
	for _, p := range x.Pieces {
		d.number(p.Offset)
		d.micros(p.At)
	}
	d.text(string(x.Ended))
	d.text(x.Cause)
	d.number(int64(len(x.Labels)))
	for _, name := range sortedKeys(x.Labels) {
		d.text(name)
		d.text(x.Labels[name])
	}
	return sha256.Sum256(d.buf)
}

// digester gathers the fields of a digest.
type digester struct{ buf []byte }

func (d *digester) text(s string) {
	d.buf = binary.BigEndian.AppendUint64(d.buf, uint64(len(s)))
	d.buf = append(d.buf, s...)
}

func (d *digester) number(n int64) { d.text(strconv.FormatInt(n, 10)) }

func (d *digester) micros(t time.Duration) { d.number(t.Microseconds()) }

func (d *digester) header(h http.Header) {
	d.number(int64(len(h)))
	for _, name := range sortedKeys(h) {
		d.text(name)
		d.number(int64(len(h[name])))
		for _, value := range h[name] {
			d.text(value)
		}
	}
}

func (d *digester) body(b Body) {
	d.number(b.Size)
	if b.Size == 0 {
		d.text("")
		return
	}
	d.text(hex.EncodeToString(b.SHA256[:]))
}
