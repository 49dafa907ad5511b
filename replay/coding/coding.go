// Package coding undoes HTTP content codings: gzip, deflate, br and zstd, also several one after the other.
//
// A tape keeps the bytes that went over the wire, so whoever reads a recorded body for its meaning comes through here. Encoding is
// not its business: nothing recorded is ever encoded anew.
package coding

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// decoders makes a reader of decoded bytes for each coding that is understood. "compress" is registered with HTTP too, but no
// server in use sends it.
var decoders = map[string]func(*bufio.Reader) (io.ReadCloser, error){
	"gzip":    newGzip,
	"x-gzip":  newGzip,
	"deflate": newDeflate,
	"br":      newBrotli,
	"zstd":    newZstd,
}

// Of returns the codings that h's Content-Encoding names, in the order in which they were applied, in lower case and without
// "identity". It is empty for a body that is not encoded.
func Of(h http.Header) []string {
	var codings []string
	for _, name := range elements(h["Content-Encoding"]) {
		if name != "identity" {
			codings = append(codings, name)
		}
	}
	return codings
}

// Known reports whether every one of the codings can be undone.
func Known(codings []string) bool {
	for _, name := range codings {
		if decoders[name] == nil {
			return false
		}
	}
	return true
}

// Accepted reports whether a client that sent h has asked for every one of the codings, and so undoes them itself.
func Accepted(h http.Header, codings []string) bool {
	accepted := map[string]bool{}
	for _, element := range elements(h["Accept-Encoding"]) {
		name, params, _ := strings.Cut(element, ";")
		weight, _ := strings.CutPrefix(strings.TrimSpace(params), "q=")
		accepted[strings.TrimSpace(name)] = weight == "" || strings.Trim(weight, "0.") != ""
	}
	for _, name := range codings {
		if ok, listed := accepted[name]; !ok && (listed || !accepted["*"]) {
			return false
		}
	}
	return true
}

// elements splits the comma-separated values of a header, in lower case.
func elements(values []string) []string {
	var out []string
	for _, value := range values {
		for element := range strings.SplitSeq(value, ",") {
			if element = strings.ToLower(strings.TrimSpace(element)); element != "" {
				out = append(out, element)
			}
		}
	}
	return out
}

// NewReader returns the bytes of r with the codings undone. It reads nothing before it is read itself. Bytes that end inside a
// coded stream give [io.ErrUnexpectedEOF], no bytes at all are an empty body. Closing the reader does not close r.
func NewReader(r io.Reader, codings []string) (io.ReadCloser, error) {
	var out io.ReadCloser = io.NopCloser(r)
	for _, name := range slices.Backward(codings) {
		open := decoders[name]
		if open == nil {
			return nil, fmt.Errorf("content coding %q is not known (gzip, deflate, br and zstd are)", name)
		}
		out = &decoder{name: name, src: out, open: open}
	}
	return out, nil
}

// decoder undoes one coding. It opens its reader at the first Read, since opening most of them reads the head of the stream.
type decoder struct {
	name string
	src  io.ReadCloser
	open func(*bufio.Reader) (io.ReadCloser, error)
	r    io.ReadCloser
	err  error
}

func (d *decoder) Read(p []byte) (int, error) {
	if d.r == nil && d.err == nil {
		buffered := bufio.NewReader(d.src)
		if _, err := buffered.Peek(1); err != nil {
			d.err = err // nothing there: the end of an empty body, or the reason why there is nothing
		} else if d.r, err = d.open(buffered); err != nil {
			d.err = d.wrap(err)
		}
	}
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.r.Read(p)
	if err != nil {
		d.err = d.wrap(err)
	}
	return n, d.err
}

func (d *decoder) wrap(err error) error {
	if err == io.EOF {
		return err
	}
	return fmt.Errorf("undoing content coding %s: %w", d.name, err)
}

func (d *decoder) Close() error {
	if d.r != nil {
		d.r.Close()
	}
	return d.src.Close()
}

func newGzip(r *bufio.Reader) (io.ReadCloser, error) {
	z, err := gzip.NewReader(r)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	return z, nil
}

// newDeflate reads what RFC 9110 calls deflate, a zlib stream, and also the bare DEFLATE data that some servers send under that
// name.
func newDeflate(r *bufio.Reader) (io.ReadCloser, error) {
	head, err := r.Peek(2)
	if err != nil || head[0]&0x0f != 8 || (uint(head[0])<<8|uint(head[1]))%31 != 0 {
		return flate.NewReader(r), nil
	}
	return zlib.NewReader(r)
}

func newBrotli(r *bufio.Reader) (io.ReadCloser, error) {
	return io.NopCloser(brotli.NewReader(r)), nil
}

// maxWindow bounds what a zstd stream may ask to be remembered. RFC 8878 asks decoders to take at least 8 MiB.
const maxWindow = 64 << 20

func newZstd(r *bufio.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}
