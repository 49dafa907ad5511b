package scenario

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// isStream reports whether a response is an event stream or NDJSON. It goes by what the response says of itself: a recording of another
// client may hold the streamed answer to what is asked as a whole here.
func isStream(header http.Header) bool {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "text/event-stream", "application/x-ndjson", "application/ndjson":
		return true
	}
	return false
}

// parseStream assembles a streamed answer into the form whole ones have. A stream that reports an error or has no end is an
// [*UnusableError]; its finish reason could not be trusted.
func parseStream(api tape.API, body []byte) (Answer, error) {
	a, err := wire.ParseResponse(api, true, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	switch {
	case a.Error != nil && a.Error.Message != nil:
		return Answer{}, &UnusableError{What: "the stream reports an error: " + *a.Error.Message}
	case a.Error != nil:
		return Answer{}, &UnusableError{What: "the stream reports an error without a message"}
	case !a.Complete:
		return Answer{}, &UnusableError{What: "the stream ended without its end marker"}
	}
	out := Answer{FinishReason: streamFinish(api, a), Content: pyvalue.None{}}
	if a.Text != "" {
		out.Content = pyvalue.Str(a.Text)
	}
	if len(a.ToolCalls) > 0 {
		call := a.ToolCalls[0]
		out.Call = &Call{ID: defaultCallID, Name: pyvalue.Str(call.Name), Arguments: pyvalue.Str(call.Arguments)}
		if call.HasID {
			out.Call.ID = pyvalue.Str(call.ID)
		}
		switch call.Sent {
		case wire.ArgumentsAbsent:
			out.Call.Arguments = pyvalue.Str("{}")
		case wire.ArgumentsNull:
			out.Call.Arguments = pyvalue.None{}
		}
	}
	return out, nil
}

// streamFinish is the finish reason of a stream in the words of the whole answers.
func streamFinish(api tape.API, a *wire.Answer) pyvalue.Value {
	reason := pyvalue.Str("")
	if a.FinishReason != nil {
		reason = pyvalue.Str(*a.FinishReason)
	}
	called := len(a.ToolCalls) > 0
	switch api {
	case tape.Claude:
		return claudeFinish(reason)
	case tape.Responses:
		return responsesFinish(reason, called)
	case tape.Ollama:
		return ollamaFinish(reason, called)
	default:
		return reason
	}
}
