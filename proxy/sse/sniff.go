package sse

import (
	"bytes"
	"encoding/json"
	"mime"
	"strings"
)

// SniffLen is how many bytes from the beginning of a body FormatOf looks at, at most.
const SniffLen = 4 << 10

// FormatOf tells how a body is framed from its Content-Type and its first bytes. The bytes decide where they can, as servers
// mislabel streams; the Content-Type decides for a body without bytes. A head shorter than SniffLen is taken for the whole
// body.
func FormatOf(contentType string, head []byte) Format {
	head = head[:min(len(head), SniffLen)]
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	labelled := labelFormat(contentType)
	switch {
	case len(text) == 0:
		return labelled
	case startsWithField(text):
		return EventStream
	case labelled == EventStream && !bytes.ContainsRune([]byte("{[<"), rune(text[0])):
		return EventStream
	case text[0] == '{' && labelled != EventStream:
		return jsonFormat(text, labelled)
	}
	return Whole
}

// jsonFormat tells NDJSON from one JSON value. NDJSON has a complete value on its first line, followed by another one
// or by nothing if it is labelled so.
func jsonFormat(text []byte, labelled Format) Format {
	line, rest, found := bytes.Cut(text, []byte{'\n'})
	if !found {
		return labelled
	}
	if !json.Valid(line) {
		return Whole
	}
	if len(bytes.TrimSpace(rest)) == 0 {
		return labelled
	}
	return NDJSON
}

// startsWithField reports whether text begins like a line of an event stream.
func startsWithField(text []byte) bool {
	if text[0] == ':' {
		return true
	}
	for _, field := range []string{"data", "event", "id", "retry"} {
		if rest, ok := bytes.CutPrefix(text, []byte(field)); ok && len(rest) > 0 && rest[0] == ':' {
			return true
		}
	}
	return false
}

func labelFormat(contentType string) Format {
	switch mediaType(contentType) {
	case "text/event-stream":
		return EventStream
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/json-seq":
		return NDJSON
	}
	return Whole
}

func mediaType(contentType string) string {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		t, _, _ = strings.Cut(contentType, ";")
		t = strings.ToLower(strings.TrimSpace(t))
	}
	return t
}
