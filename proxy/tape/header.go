package tape

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// encodeHeader returns h as a JSON object of arrays of strings, names sorted, and nil when h is empty. HTTP allows bytes in a value that
// are not UTF-8 and JSON does not: such a value becomes {"base64": "..."}, so that no byte is lost.
func encodeHeader(h http.Header) []byte {
	if len(h) == 0 {
		return nil
	}
	b := append(make([]byte, 0, 512), '{')
	for i, name := range sortedKeys(h) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, name)
		b = append(b, ':', '[')
		for j, value := range h[name] {
			if j > 0 {
				b = append(b, ',')
			}
			if utf8.ValidString(value) {
				b = appendString(b, value)
				continue
			}
			b = append(b, `{"base64":"`...)
			b = base64.StdEncoding.AppendEncode(b, []byte(value))
			b = append(b, `"}`...)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendString appends s as a JSON string. Bytes that are not UTF-8 become the replacement character.
func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // the error only says that something was replaced
	return b
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// decodeHeader reads what encodeHeader wrote.
func decodeHeader(data []byte) (http.Header, error) {
	if len(data) == 0 {
		return nil, nil
	}
	if !bytes.Contains(data, []byte(`{"base64"`)) && !bytes.Contains(data, []byte("null")) {
		var h http.Header // which reads texts alone, as most headers have them, in half the time
		if err := json.Unmarshal(data, &h); err == nil {
			return h, nil
		}
	}
	var values map[string][]headerValue
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrDamaged, err)
	}
	h := make(http.Header, len(values))
	for name, list := range values {
		h[name] = make([]string, len(list))
		for i, v := range list {
			h[name][i] = string(v)
		}
	}
	return h, nil
}

// headerValue is one value as it stands in the JSON text of a header.
type headerValue string

// UnmarshalJSON reads a string or {"base64": "..."}.
func (v *headerValue) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("{")) {
		return json.Unmarshal(data, (*string)(v))
	}
	var raw struct {
		Base64 []byte `json:"base64"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*v = headerValue(raw.Base64)
	return nil
}

// encodeLabels returns labels as a JSON object of strings, names sorted, and nil when there are none.
func encodeLabels(labels map[string]string) []byte {
	if len(labels) == 0 {
		return nil
	}
	b := []byte{'{'}
	for i, name := range sortedKeys(labels) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, name)
		b = append(b, ':')
		b = appendString(b, labels[name])
	}
	return append(b, '}')
}

// decodeLabels reads what encodeLabels wrote.
func decodeLabels(data []byte) (map[string]string, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var labels map[string]string
	if err := json.Unmarshal(data, &labels); err != nil {
		return nil, fmt.Errorf("%w: labels: %w", ErrDamaged, err)
	}
	return labels, nil
}

// validLabels returns a copy of labels in which names and values are UTF-8.
func validLabels(labels map[string]string) map[string]string {
	if len(labels) == 0 {
		return nil
	}
	valid := make(map[string]string, len(labels))
	for name, value := range labels {
		valid[strings.ToValidUTF8(name, "\uFFFD")] = strings.ToValidUTF8(value, "\uFFFD")
	}
	return valid
}
