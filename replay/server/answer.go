package server

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/apierror"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/coding"
)

// answer is a recorded response on its way to a client.
type answer struct {
	server *Server
	x      *tape.Exchange
	pace   pace
}

// write sends the response, and breaks off where the recorded one did: an HTTP/1.1 client learns that a response is not whole from its
// connection being cut.
func (a *answer) write(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	switch status := a.x.Response.Status; {
	case status == 0:
		a.noResponse(ctx, w, r)
		return
	case status < 200 || status > 999:
		a.server.fail(w, r, fmt.Errorf("exchange %s/%d has the status %d, with which no response ends; only its tape can show it", a.x.Session, a.x.Seq, status))
		return
	}
	body, decoded, err := a.open(ctx, r)
	if err != nil {
		a.server.fail(w, r, err)
		return
	}
	defer body.Close()
	a.head(w, r, decoded)
	if err := a.pace.until(ctx, a.x.TTFB); err != nil {
		panic(http.ErrAbortHandler)
	}
	expectReason(ctx, a.x.Response)
	w.WriteHeader(a.x.Response.Status)
	err = a.copy(w, body)
	if err == nil {
		err = a.pace.until(ctx, a.x.Total)
	}
	if err != nil && ctx.Err() == nil && a.x.Ended == tape.Complete {
		a.server.log.Error("the recorded answer cannot be sent whole", "exchange", fmt.Sprintf("%s/%d", a.x.Session, a.x.Seq), "error", err)
	}
	if err != nil || a.x.Ended != tape.Complete {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), a.x.Response.Trailer)
}

// noResponse tells the client what it was told when there was no response: by the proxy, that its upstream gave none; else nothing.
func (a *answer) noResponse(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if err := a.pace.until(ctx, a.x.Total); err != nil || a.x.Ended != tape.UpstreamError {
		panic(http.ErrAbortHandler)
	}
	a.server.refuse(w, r, apierror.Error{Status: http.StatusBadGateway, Kind: apierror.Unreachable,
		Message: fmt.Sprintf("exodeck got no answer from the upstream %s: %s", a.x.Upstream, a.x.Cause)})
}

// open opens the recorded body, with its content coding undone when the client does not accept it.
func (a *answer) open(ctx context.Context, r *http.Request) (body io.ReadCloser, decoded bool, err error) {
	if r.Method == http.MethodHead || !bodyAllowed(a.x.Response.Status) || a.x.Response.Body.Size == 0 {
		return http.NoBody, false, nil
	}
	recorded, err := a.server.source.Body(ctx, a.x.Response.Body)
	if err != nil {
		return nil, false, err
	}
	var paced io.Reader = newPacedReader(ctx, recorded, a.pace, a.x.Pieces)
	codings := coding.Of(a.x.Response.Header)
	if len(codings) > 0 && coding.Known(codings) && !coding.Accepted(r.Header, codings) {
		plain, err := coding.NewReader(paced, codings)
		if err != nil {
			recorded.Close()
			return nil, false, err
		}
		paced, decoded = plain, true
	}
	return struct {
		io.Reader
		io.Closer
	}{paced, recorded}, decoded, nil
}

// bodyAllowed reports whether a response with the status has a body (RFC 9110, 15.3.5 and 15.4.5).
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// ofConnection are headers of one connection, which is another one now.
var ofConnection = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Trailer"}

// head sets the recorded headers.
func (a *answer) head(w http.ResponseWriter, r *http.Request, decoded bool) {
	recorded, h := a.x.Response, w.Header()
	maps.Copy(h, recorded.Header)
	for _, name := range ofConnection {
		delete(h, name)
	}
	if strings.EqualFold(recorded.Header.Get("Connection"), "close") {
		h.Set("Connection", "close")
	}
	// What was not recorded is not made up.
	for _, name := range []string{"Date", "Content-Type"} {
		if _, ok := h[name]; !ok {
			h[name] = nil
		}
	}
	if decoded {
		delete(h, "Content-Encoding")
		delete(h, "Content-Length")
	}
	if length := h.Get("Content-Length"); length != "" && r.Method != http.MethodHead && bodyAllowed(recorded.Status) {
		// A body that was cut off is shorter than it says. Any other length is a mistake, such as one of a cassette that was edited.
		n, err := strconv.ParseInt(length, 10, 64)
		if size := recorded.Body.Size; err != nil || n < size || n > size && a.x.Ended == tape.Complete {
			h.Set("Content-Length", strconv.FormatInt(size, 10))
		}
	}
	if len(recorded.Trailer) > 0 {
		h["Trailer"] = slices.Sorted(maps.Keys(recorded.Trailer))
	}
}

// copy sends the body piece by piece, each at once. The end of a body of known length goes out with the end of the response, in one packet.
func (a *answer) copy(w http.ResponseWriter, body io.Reader) error {
	control := http.NewResponseController(w)
	left := int64(-1)
	if length, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64); err == nil {
		left = length
	}
	if left < 0 || a.x.Ended != tape.Complete {
		if err := control.Flush(); err != nil {
			return err
		}
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
			if left >= 0 {
				left -= int64(n)
			}
			if left != 0 || a.x.Ended != tape.Complete {
				if err := control.Flush(); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
