package proxy

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
)

// errorBody words an error of the proxy itself in the shape of the API that was asked, so that its clients show the message.
func errorBody(r *http.Request, why *refusal) []byte {
	kind, message := why.kind, why.reason
	var shape any
	switch family := tape.FamilyOf(r.Method, r.URL.Path); {
	case family == tape.Claude:
		type inner struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		}
		if kind == "upstream_unreachable" {
			kind = "api_error"
		}
		shape = struct {
			Type  string `json:"type"`
			Error inner  `json:"error"`
		}{"error", inner{kind, message}}
	case family == tape.Ollama, family == tape.OllamaGenerate, strings.HasPrefix(r.URL.Path, "/ollama/api/"):
		shape = struct {
			Error string `json:"error"`
		}{message}
	default:
		type inner struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Param   *string `json:"param"`
			Code    int     `json:"code"`
		}
		shape = struct {
			Error inner `json:"error"`
		}{inner{message, kind, nil, why.status}}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// Strings and integers always encode.
	_ = enc.Encode(shape)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
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
