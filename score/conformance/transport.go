package conformance

import (
	"encoding/json"
	"fmt"
	"mime"
	"strings"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/coding"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/markup"
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
			detail += ": " + shorten(*j.a.Error.Message)
		}
		j.add("http-error", Where{In: InResponse}, detail)
		if !json.Valid(j.ResponseBody) {
			j.add("non-json-error-body", Where{In: InResponse}, fmt.Sprintf("%d bytes that are not JSON: %s", len(j.ResponseBody), quoted(j.ResponseBody)))
		}
		j.leakedInError()
	default:
		return
	}
	j.over, j.unjudged = true, true
}

// timedOut reports whether the exchange ended because somebody waited no longer.
func (j *trial) timedOut() bool {
	cause := strings.ToLower(j.Cause)
	return strings.Contains(cause, "timeout") || strings.Contains(cause, "timed out") || strings.Contains(cause, "deadline exceeded")
}

// leakedInError looks for markup in the text of an error.
func (j *trial) leakedInError() {
	if j.a == nil || j.a.Error == nil || j.a.Error.Message == nil {
		return
	}
	e := j.a.Error
	for _, m := range markup.Markers(*e.Message) {
		if !j.q.says(m.Text) {
			j.add("leaked-markup-in-error", j.place(e.Place), fmt.Sprintf("%q in the error %s", m.Text, quoted([]byte(*e.Message))))
			j.failed = j.offeredCalls(*e.Message)
			return
		}
	}
}

// patience is how long a client must have been waiting for an event, so that its leaving is laid at the server.
const patience = 30 * time.Second

// clientGone takes answers whose client did not stay to the end. One that leaves at the end marker has all it needs.
func (j *trial) clientGone() {
	if j.Ended != tape.ClientGone || j.a != nil && j.a.Complete {
		return
	}
	j.over = true
	if gap, where := j.longestGap(); gap >= patience || j.timedOut() {
		detail := "the client gave up: " + j.Cause
		if gap >= patience {
			detail = fmt.Sprintf("the client gave up after %s without an event", gap.Round(time.Second))
		} else {
			where = j.end()
		}
		j.add("upstream-timeout", where, detail)
		if j.a != nil && j.a.Stream {
			j.add("truncated-stream", j.end(), "there is no end marker")
		} else {
			j.noCalls = true
		}
		return
	}
	detail := "before the response began"
	if j.a != nil {
		detail = fmt.Sprintf("after %d bytes", j.a.Size)
	}
	j.add("client-disconnect", j.end(), "the client closed the connection "+detail)
	j.unjudged = true
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
		j.add("body-not-json", Where{In: InResponse}, fmt.Sprintf("%d bytes: %s", len(j.ResponseBody), quoted(j.ResponseBody)))
	case wire.ErrorException:
		j.add("body-not-json", Where{In: InResponse}, "the body is empty; exo answers so when generation failed")
	default:
		return
	}
	j.over, j.noCalls = true, true
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
		fits = strings.HasSuffix(kind, "json") && (ollama || !strings.Contains(kind, "nd"))
	}
	if !fits {
		what := "a whole JSON body"
		if j.a.Stream {
			what = "a stream"
		}
		j.add("wrong-content-type", Where{In: InResponse}, fmt.Sprintf("%q over %s", header, what))
	}
}

// silence looks for a stream that had no event for too long, though it went on.
func (j *trial) silence() {
	if !j.a.Stream {
		return
	}
	if gap, where := j.longestGap(); gap > j.judge.rules.timeout() {
		j.add("upstream-timeout", where, fmt.Sprintf("%s without an event", gap.Round(time.Second)))
	}
}

// longestGap returns the longest time without a data event, and the event before which it was. Comments are no events.
func (j *trial) longestGap() (time.Duration, Where) {
	if j.Total < patience { // the usual case, told without a look at the events
		return 0, Where{}
	}
	where := j.end()
	last, longest := time.Duration(0), time.Duration(0)
	gap := func(until time.Duration, w Where) {
		if until-last > longest {
			longest, where = until-last, w
		}
		last = until
	}
	if j.a != nil && j.a.Stream && len(j.Pieces) > 0 && len(coding.Of(j.Response.Header)) == 0 {
		piece, events := 0, 0
		for e := range j.events() {
			for piece+1 < len(j.Pieces) && j.Pieces[piece+1].Offset < e.End {
				piece++
			}
			events++
			start := e.Start
			gap(j.Pieces[piece].At, Where{In: InResponse, Event: events, Offset: &start})
		}
	}
	if j.a == nil || !j.a.Complete {
		gap(j.Total, j.end())
	}
	return longest, where
}

// errorReported takes an error in an answer that should be none. It ends the judgement.
func (j *trial) errorReported() {
	e := j.a.Error
	if e == nil {
		return
	}
	detail := "the error has no text"
	switch {
	case e.Message != nil:
		detail = shorten(*e.Message)
	case len(e.Raw) > 0:
		detail = shorten(string(e.Raw))
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
			j.add("malformed-event", j.place(m.Place), m.What+": "+quoted(m.Data))
		default:
			j.add("partial-final-event", j.place(m.Place), "the bytes end inside an event: "+quoted(m.Data))
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
	detail := fmt.Sprintf("the stream ends after %d events without its end marker", j.a.Events)
	if j.Ended == tape.UpstreamTruncated {
		detail += ": " + j.Cause
	}
	j.add("truncated-stream", j.end(), detail)
}

// quoted shows the beginning of bytes.
func quoted(b []byte) string { return fmt.Sprintf("%q", shorten(string(b[:min(len(b), 200)]))) }

// shorten cuts a text that is long, between characters.
func shorten(s string) string {
	const most = 120
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
