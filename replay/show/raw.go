package show

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
)

// Raw prints the request and the response as they went over the wire, save for transfer coding, the order of headers, and
// credentials.
func Raw(w io.Writer, x Exchange) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\n", x.Request.Method, x.Request.URL, x.Request.Proto, x.Request.Host)
	writeHeader(&b, x.Request.Header)
	b.WriteString("\r\n")
	b.Write(x.RequestBody)
	writeTrailer(&b, x.Request.Trailer)
	if x.Response.Status != 0 {
		if len(x.RequestBody) > 0 {
			b.WriteString("\r\n\r\n")
		}
		fmt.Fprintf(&b, "%s %d %s\r\n", x.Response.Proto, x.Response.Status, Phrase(x.Response))
		writeHeader(&b, x.Response.Header)
		b.WriteString("\r\n")
		b.Write(x.ResponseBody)
		writeTrailer(&b, x.Response.Trailer)
	}
	_, err := w.Write(b.Bytes())
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
