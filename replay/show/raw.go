package show

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
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

// notRepeated are the headers that curl makes itself, or that say how one connection was used.
var notRepeated = []string{"Content-Length", "Transfer-Encoding", "Connection", "Expect", "Accept-Encoding", "Te", "User-Agent"}

// Curl prints the shell command that asks again. Credentials are not on a tape: a comment says which variables to set for them.
func Curl(w io.Writer, x Exchange) error {
	var comments, args strings.Builder
	method := "-X " + shellQuote(x.Request.Method)
	if x.Request.Method == http.MethodHead {
		method = "--head" // with -X curl would wait for a body
	}
	fmt.Fprintf(&args, "curl -sS -N %s %s", method, shellQuote(strings.TrimSuffix(x.Upstream, "/")+x.Request.URL))
	for _, name := range slices.Sorted(maps.Keys(x.Request.Header)) {
		if slices.Contains(notRepeated, name) {
			continue
		}
		for _, v := range x.Request.Header[name] {
			if i := strings.Index(v, "[fingerprint:"); i >= 0 {
				variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
				fmt.Fprintf(&comments, "# %s is not on the tape: set %s to it\n", name, variable)
				fmt.Fprintf(&args, " \\\n  -H %s\"$%s\"", shellQuote(name+": "+v[:i]), variable)
				continue
			}
			fmt.Fprintf(&args, " \\\n  -H %s", shellQuote(name+": "+v))
		}
	}
	command := args.String()
	switch {
	case len(x.RequestBody) == 0:
	case utf8.Valid(x.RequestBody) && !bytes.ContainsRune(x.RequestBody, 0) && x.RequestBody[0] != '@':
		command += " \\\n  --data-binary " + shellQuote(string(x.RequestBody))
	default:
		command = "base64 -d <<'END' | " + command + " --data-binary @-\n" + base64.StdEncoding.EncodeToString(x.RequestBody) + "\nEND"
	}
	_, err := io.WriteString(w, comments.String()+command+"\n")
	return err
}

// shellQuote quotes text for a POSIX shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
