package wire

import "strconv"

// Normalized returns the answer as `exodeck parse` prints it, on one line:
//
//	{"finish_reason","text","reasoning","tool_calls":[{"id","name","arguments"}],"usage":{"input_tokens","output_tokens",
//	"total_tokens","cached_tokens","reasoning_tokens"},"error":{"kind","message","type","code"},"complete"}
//
// usage and error are null when there is none. A count, a type or a code that was not sent is left out. An id or message
// that was not sent is null.
func (a *Answer) Normalized() []byte {
	b := append([]byte(nil), `{"finish_reason":`...)
	b = quoteOrNull(b, a.FinishReason)
	b = quote(append(b, `,"text":`...), a.Text)
	b = quote(append(b, `,"reasoning":`...), a.Reasoning)
	b = append(b, `,"tool_calls":[`...)
	for i, c := range a.ToolCalls {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"id":`...)
		if c.HasID {
			b = quote(b, c.ID)
		} else {
			b = append(b, "null"...)
		}
		b = quote(append(b, `,"name":`...), c.Name)
		b = quote(append(b, `,"arguments":`...), c.Arguments)
		b = append(b, '}')
	}
	b = append(b, `],"usage":`...)
	b = a.Usage.append(b)
	b = append(b, `,"error":`...)
	b = a.Error.append(b)
	b = append(b, `,"complete":`...)
	b = strconv.AppendBool(b, a.Complete)
	return append(b, '}')
}

// append appends the counts as a JSON object, or null.
func (u *Usage) append(b []byte) []byte {
	if u == nil {
		return append(b, "null"...)
	}
	start := len(b)
	for _, count := range []struct {
		name string
		n    *int64
	}{
		{"input_tokens", u.Input}, {"output_tokens", u.Output}, {"total_tokens", u.Total},
		{"cached_tokens", u.Cached}, {"reasoning_tokens", u.Reasoning},
	} {
		if count.n != nil {
			b = append(b, ',', '"')
			b = append(b, count.name...)
			b = append(b, '"', ':')
			b = strconv.AppendInt(b, *count.n, 10)
		}
	}
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{'
	return append(b, '}')
}

// append appends the error as a JSON object, or null.
func (e *Error) append(b []byte) []byte {
	if e == nil {
		return append(b, "null"...)
	}
	b = quote(append(b, `{"kind":`...), string(e.Kind))
	b = quoteOrNull(append(b, `,"message":`...), e.Message)
	if e.Type != "" {
		b = quote(append(b, `,"type":`...), e.Type)
	}
	if e.Code != nil {
		b = append(append(b, `,"code":`...), e.Code...)
	}
	return append(b, '}')
}

func quoteOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return quote(b, *s)
}
