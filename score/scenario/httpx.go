package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/coding"
)

// errTimedOut ends an operation that took too long. Its text is httpx's, and the recorder keeps it as the cause.
var errTimedOut = errors.New("timed out")

// transportText words a failure to get a response as httpx does. It goes by the text of the error, not its type: a failure that is
// replayed has only its text left, and must read like the live one.
func transportText(err error) string {
	text := err.Error()
	for _, known := range transportTexts {
		if strings.Contains(text, known.contains) {
			return known.text
		}
	}
	if cut, ok := errors.AsType[*replay.IncompleteError](err); ok {
		return incompleteText(cut)
	}
	// The connection was closed before a response began.
	if strings.HasSuffix(text, "EOF") || strings.Contains(text, "server closed idle connection") {
		return "Server disconnected without sending a response."
	}
	return text
}

// incompleteText words a recorded answer that is not whole. It does not say where on the tape the answer is: the same recording
// must give the same text wherever it is kept.
func incompleteText(e *replay.IncompleteError) string {
	text := "the recorded answer is not whole (" + string(e.Ended)
	if e.Ended == tape.InFlight {
		text = "the recorded answer is not whole (still being recorded"
	}
	if e.Cause != "" {
		text += ": " + e.Cause
	}
	return text + ")"
}

// transportTexts pairs what Go says of a failed operation with what Python says of it. The error numbers are Linux's.
var transportTexts = []struct{ contains, text string }{
	{"connection timed out", "[Errno 110] Connection timed out"},
	{"timed out", "timed out"},
	{"i/o timeout", "timed out"},
	{"deadline exceeded", "timed out"},
	{"connection refused", "[Errno 111] Connection refused"},
	{"connection reset by peer", "[Errno 104] Connection reset by peer"},
	{"broken pipe", "[Errno 32] Broken pipe"},
	{"no route to host", "[Errno 113] No route to host"},
	{"network is unreachable", "[Errno 101] Network is unreachable"},
	{"no such host", "[Errno -2] Name or service not known"},
}

// bodyText words a failure to read a response body to its end.
func bodyText(err error, resp *http.Response, received int64) string {
	if !strings.HasSuffix(err.Error(), "unexpected EOF") {
		return transportText(err)
	}
	if resp.ContentLength >= 0 && !slices.Contains(resp.TransferEncoding, "chunked") {
		return fmt.Sprintf("peer closed connection without sending complete message body (received %d bytes, expected %d)",
			received, resp.ContentLength)
	}
	return "peer closed connection without sending complete message body (incomplete chunked read)"
}

// statusText words a status that is no success as httpx's raise_for_status does; "" for a success. The reason phrase is the one on
// the wire, and exo sends none.
func statusText(resp *http.Response, url string) string {
	kind := ""
	switch resp.StatusCode / 100 {
	case 2:
		return ""
	case 1:
		kind = "Informational response"
	case 3:
		kind = "Redirect response"
	case 4:
		kind = "Client error"
	case 5:
		kind = "Server error"
	default:
		kind = "Invalid status code"
	}
	_, reason, _ := strings.Cut(resp.Status, " ")
	var b strings.Builder
	fmt.Fprintf(&b, "%s '%d %s' for url '%s'\n", kind, resp.StatusCode, reason, url)
	switch resp.StatusCode {
	case 301, 302, 303, 307, 308:
		if values, ok := resp.Header["Location"]; ok {
			fmt.Fprintf(&b, "Redirect location: '%s'\n", strings.Join(values, ", "))
		}
	}
	fmt.Fprintf(&b, "For more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/%d", resp.StatusCode)
	return b.String()
}

// acceptEncoding is what httpx asks for when it is installed alone.
const acceptEncoding = "gzip, deflate"

// decodeContent undoes the content codings of a response.
func decodeContent(header http.Header, body []byte) ([]byte, error) {
	codings := coding.Of(header)
	if len(codings) == 0 {
		return body, nil
	}
	r, err := coding.NewReader(bytes.NewReader(body), codings)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
