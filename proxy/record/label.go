package record

import (
	"maps"
	"net/http"
	"strings"
)

// LabelHeader carries labels of one exchange, one "k=v" a header value. The [Transport] takes it off before the
// request is forwarded; the labels are kept on the tape.
const LabelHeader = "X-Exodeck-Label"

// ParseLabel reads one "k=v". A label without "=" or without a key is not one.
func ParseLabel(s string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(strings.TrimSpace(s), "=")
	key = strings.TrimSpace(key)
	return key, strings.TrimSpace(value), ok && key != ""
}

// LabelsOf returns the labels that h carries, laid over base. It is nil when there are none.
func LabelsOf(h http.Header, base map[string]string) map[string]string {
	labels := make(map[string]string, len(base))
	maps.Copy(labels, base)
	for _, v := range h[LabelHeader] {
		if key, value, ok := ParseLabel(v); ok {
			labels[key] = value
		}
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}
