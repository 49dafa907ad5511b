package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/markup"
	"github.com/exodeck/exodeck/score/conformance/quote"
)

// noRecord ends the judgement of an exchange that is not on the tape as it was.
func (j *trial) noRecord() {
	switch {
	case j.Ended == tape.RecorderError || j.Ended == tape.Interrupted:
		j.report.Evidence = append(j.report.Evidence, "not all of the exchange is on the tape: "+string(j.Ended))
	case j.a == nil && j.Response.Status != 0:
		j.report.Evidence = append(j.report.Evidence, "the answer is too large to be read")
	default:
		return
	}
	j.over, j.unjudged = true, true
}

// httpError takes responses that are none.
func (j *trial) httpError() {
	switch {
	case j.Response.Status == 0 && j.Ended == tape.UpstreamError:
		if j.timedOut() {
			j.add("upstream-timeout", Where{In: InResponse}, "no response came: "+j.Cause)
		} else {
			j.add("http-error", Where{In: InResponse}, "no response could be had: "+j.Cause)
		}
	case j.Response.Status >= 400:
		detail := fmt.Sprintf("status %d", j.Response.Status)
		if j.a != nil && j.a.Error != nil && j.a.Error.Message != nil {
			detail += ": " + quote.Short(*j.a.Error.Message)
		}
		j.add("http-error", Where{In: InResponse}, detail)
		if !json.Valid(j.ResponseBody) {
			j.add("non-json-error-body", Where{In: InResponse}, fmt.Sprintf("%d bytes that are not JSON: %s", len(j.ResponseBody), quote.Text(string(j.ResponseBody))))
		}
		j.leakedInError()
	default:
		return
	}
	j.over, j.unjudged = true, true
}

// leakedInError looks for markup in the text of an error.
func (j *trial) leakedInError() {
	if j.a == nil || j.a.Error == nil || j.a.Error.Message == nil {
		return
	}
	e := j.a.Error
	for _, m := range markup.Markers(*e.Message) {
		if !shows(j.q.says, m) {
			j.add("leaked-markup-in-error", j.place(e.Place), fmt.Sprintf("%q in the error %s", m.Text, quote.Text(*e.Message)))
			j.failed = j.offeredCalls(*e.Message)
			return
		}
	}
}

// bodyNotJSON takes whole answers that are not JSON, also empty ones: exo answers so when generation failed.
func (j *trial) bodyNotJSON() {
	if j.a == nil {
		j.over, j.unjudged = true, true
		return
	}
	if j.a.Stream || j.a.Error == nil {
		return
	}
	switch j.a.Error.Kind {
	case wire.ErrorNotJSON:
		detail := show.Count(len(j.ResponseBody), "byte") + ": " + quote.Text(string(j.ResponseBody))
		if j.Ended == tape.UpstreamTruncated {
			detail += "; the upstream broke off: " + j.Cause
		}
		j.add("body-not-json", Where{In: InResponse}, detail)
	case wire.ErrorException:
		detail := "the body is empty; exo answers so when generation failed"
		if j.Ended == tape.UpstreamTruncated {
			detail = "the body is empty; the upstream broke off: " + j.Cause
		}
		j.add("body-not-json", Where{In: InResponse}, detail)
	default:
		return
	}
	j.over, j.noCalls = true, true
}

// otherMode takes answers in the mode that was not asked for. No client reads them, whatever they say: one that waits for events meets the end
// without any, and one that waits for a JSON value finds lines of a stream. One line of NDJSON is both. Errors are told as what they are.
func (j *trial) otherMode() {
	if j.q == nil || j.a.Error != nil || j.a.Stream == j.q.Stream || slices.ContainsFunc(j.q.Notes, func(n wire.Note) bool { return n.Path == "/stream" }) {
		return
	}
	body := bytes.TrimSpace(j.ResponseBody)
	switch {
	case j.a.Stream && !json.Valid(body):
		detail := fmt.Sprintf("a whole answer was asked for, and a stream of %s came: %s", show.Count(j.a.Events, "event"), quote.Text(string(body)))
		j.unread = "body-not-json"
		j.add(j.unread, Where{In: InResponse}, detail)
	case !j.a.Stream && (hasIDs(j.a.API) || bytes.IndexByte(body, '\n') >= 0):
		j.unread = "truncated-stream"
		j.add(j.unread, Where{In: InResponse}, "a stream was asked for, and a whole JSON body came, in which a client finds no event: "+quote.Text(string(body)))
	default:
		return
	}
	j.over = true
}

// contentType compares the Content-Type with the bytes. One that is absent says nothing.
func (j *trial) contentType() {
	header := j.Response.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(header)
	if err != nil || len(j.ResponseBody) == 0 {
		return
	}
	ollama := !hasIDs(j.a.API)
	var fits bool
	switch {
	case j.a.Stream && ollama:
		fits = strings.Contains(kind, "ndjson") || strings.Contains(kind, "jsonl") || strings.Contains(kind, "json-seq")
	case j.a.Stream:
		fits = kind == "text/event-stream"
	default: // one line of NDJSON is a whole body, too
		fits = strings.HasSuffix(kind, "json") && (ollama || !strings.Contains(kind, "ndjson"))
	}
	if !fits {
		what := "a whole JSON body"
		if j.a.Stream {
			what = "a stream"
		}
		j.add("wrong-content-type", Where{In: InResponse}, fmt.Sprintf("%q over %s", header, what))
	}
}

// errorReported takes an error in an answer that should be none. It ends the judgement.
func (j *trial) errorReported() {
	e := j.a.Error
	if e == nil {
		if j.a.FinishReason != nil && *j.a.FinishReason == "failed" && j.a.API == tape.Responses {
			j.add("stream-error-event", j.reason(), "the status is failed, and no error is told")
			j.over = true
		}
		return
	}
	detail := "the error has no text"
	switch {
	case e.Message != nil:
		detail = quote.Short(*e.Message)
	case len(e.Raw) > 0:
		detail = quote.Short(string(e.Raw))
	}
	j.add("stream-error-event", j.place(e.Place), detail)
	j.leakedInError()
	j.over = true
}

// malformed takes events that are not JSON. One that the end of the body cut off is a part of that.
func (j *trial) malformed() {
	if !j.a.Stream {
		return
	}
	for _, m := range j.a.Malformed {
		switch {
		case m.End < j.a.Size || !strings.HasPrefix(m.What, "cut off"):
			j.add("malformed-event", j.place(m.Place), inWords(m.What, "the data is not JSON: ")+": "+quote.Text(string(m.Data)))
		default:
			j.add("partial-final-event", j.place(m.Place), "the bytes end inside an event: "+quote.Text(string(m.Data)))
		}
	}
}

// ending looks whether a stream came to its end.
func (j *trial) ending() {
	if !j.a.Stream || j.a.Complete {
		return
	}
	if j.a.API == tape.OpenAI && j.a.FinishReason != nil {
		if !j.has("partial-final-event") {
			j.add("missing-done", j.end(), fmt.Sprintf("the finish reason is %q, but [DONE] never came", *j.a.FinishReason))
		}
		return
	}
	detail := fmt.Sprintf("the stream ends after %s without its end marker", show.Count(j.a.Events, "event"))
	if j.Ended == tape.UpstreamTruncated {
		detail += ": " + j.Cause
	}
	j.add("truncated-stream", j.end(), detail)
}
