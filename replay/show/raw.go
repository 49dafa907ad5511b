package show

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

// Raw prints the request and the response as they went over the wire, save for transfer coding, the order of headers, and
// credentials. Bodies are passed through, however large they are.
func Raw(ctx context.Context, w io.Writer, src reading.Source, x *tape.Exchange) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\n", x.Request.Method, x.Request.URL, x.Request.Proto, x.Request.Host)
	writeHeader(&b, x.Request.Header)
	b.WriteString("\r\n")
	if err := copyBody(ctx, w, &b, src, x.Request.Body); err != nil {
		return fmt.Errorf("printing the request of %s/%d: %w", x.Session, x.Seq, err)
	}
	writeTrailer(&b, x.Request.Trailer)
	if x.Response.Status != 0 {
		if x.Request.Body.Size > 0 {
			b.WriteString("\r\n\r\n")
		}
		fmt.Fprintf(&b, "%s %d %s\r\n", x.Response.Proto, x.Response.Status, Phrase(x.Response))
		writeHeader(&b, x.Response.Header)
		b.WriteString("\r\n")
		if err := copyBody(ctx, w, &b, src, x.Response.Body); err != nil {
			return fmt.Errorf("printing the response of %s/%d: %w", x.Session, x.Seq, err)
		}
		writeTrailer(&b, x.Response.Trailer)
	}
	_, err := b.WriteTo(w)
	return err
}

// copyBody writes what stands before a body, then the body.
func copyBody(ctx context.Context, w io.Writer, before *bytes.Buffer, src reading.Source, b tape.Body) error {
	if _, err := before.WriteTo(w); err != nil {
		return err
	}
	rc, err := src.Body(ctx, b)
	if err != nil {
		return err
	}
	defer rc.Close()
	_, err = io.Copy(w, rc)
	return err
}

func writeHeader(b *bytes.Buffer, h http.Header) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			fmt.Fprintf(b, "%s: %s\r\n", name, v)
		}
	}
}

func writeTrailer(b *bytes.Buffer, h http.Header) {
	if len(h) > 0 {
		b.WriteString("\r\n")
		writeHeader(b, h)
	}
}
