package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	"github.com/exodeck/exodeck/proxy/apierror"
)

// errorBody words an error of the proxy itself in the shape of the API that was asked.
func errorBody(r *http.Request, why *refusal) []byte {
	return apierror.Error{Status: why.status, Kind: why.kind, Message: why.reason}.Body(r.Method, r.URL.Path)
}

func errorResponse(r *http.Request, why *refusal) *http.Response {
	body := errorBody(r, why)
	return &http.Response{
		StatusCode:    why.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(body))}},
		ContentLength: int64(len(body)),
		Body:          io.NopCloser(bytes.NewReader(body)),
		Request:       r,
	}
}

// writeError answers a request that is refused. The connection ends with it: what follows may belong to something else than it says.
func writeError(w http.ResponseWriter, r *http.Request, why *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Connection", "close")
	w.WriteHeader(why.status)
	// A client that is gone by now has no use for the message.
	_, _ = w.Write(errorBody(r, why))
}
