// Package apierror words errors that exodeck itself answers in the shape of the API that was asked, so that its clients show the
// message as they show one of exo's.
package apierror

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Kinds of errors that are exodeck's own. Others are named as APIs name them, such as "invalid_request_error".
const (
	// Unreachable: the upstream gave no answer.
	Unreachable = "upstream_unreachable"
	// NotRecorded: a recording that is served holds no answer.
	NotRecorded = "not_recorded"
)

// claudeKinds are the kinds that Claude Messages documents in place of our own: its clients know no others.
var claudeKinds = map[string]string{Unreachable: "api_error", NotRecorded: "invalid_request_error"}

// Error is an error to answer with.
type Error struct {
	Status  int
	Kind    string // Ollama's errors have none
	Message string
}

// Body is the JSON body for a request with a method and a path.
func (e Error) Body(method, path string) []byte {
	var shape any
	switch family := tape.FamilyOf(method, path); {
	case family == tape.Claude:
		type inner struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		}
		kind, ours := claudeKinds[e.Kind]
		if !ours {
			kind = e.Kind
		}
		shape = struct {
			Type  string `json:"type"`
			Error inner  `json:"error"`
		}{"error", inner{kind, e.Message}}
	case family == tape.Ollama, family == tape.OllamaGenerate, strings.HasPrefix(path, "/ollama/api/"):
		shape = struct {
			Error string `json:"error"`
		}{e.Message}
	default:
		type inner struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Param   *string `json:"param"`
			Code    int     `json:"code"`
		}
		shape = struct {
			Error inner `json:"error"`
		}{inner{e.Message, e.Kind, nil, e.Status}}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// Strings and integers always encode.
	_ = enc.Encode(shape)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
