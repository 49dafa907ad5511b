package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/simenv/pyjson"
)

// reply is an answer that arrived.
type reply struct {
	answer    Answer
	latencyMS float64
	exchanges []tape.Ref
}

// ask sends one question and reads the answer. Also with an error, the reply names the exchanges.
func (s *Suite) ask(ctx context.Context, t Task, phase string, question *Request) (reply, error) {
	url := s.url(question.Path)
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(question.Body))
	if err != nil {
		return reply{}, err
	}
	req.Header = http.Header{
		"Accept":           {"*/*"},
		"Accept-Encoding":  {acceptEncoding},
		"Content-Type":     {"application/json"},
		record.LabelHeader: labels(t, phase),
	}
	prefix := ""
	if phase == PhaseFollowUp {
		prefix = PhaseFollowUp + " "
	}
	s.say("    [%s] %srequest: %s %s\n", t.API, prefix, question.Path, indented(question.value))

	resp, body, err := s.exchange(ctx, t.API, req)
	var r reply
	r.exchanges = resp.exchanges
	if err != nil {
		return r, err
	}
	if text := statusText(resp.Response, url); text != "" {
		return r, errors.New(text)
	}
	if body, err = decodeContent(resp.Header, body); err != nil {
		return r, err
	}
	if isStream(resp.Header) {
		s.say("    [%s] %sresponse: %s\n", t.API, prefix, body)
		r.answer, err = parseStream(t.API, body)
	} else {
		data, decodeErr := pyjson.Decode(body)
		if decodeErr != nil {
			return r, decodeErr
		}
		s.say("    [%s] %sresponse: %s\n", t.API, prefix, indented(data))
		r.answer, err = parseAnswer(t.API, data)
	}
	if err == nil {
		r.latencyMS = resp.latencyMS
	}
	return r, err
}

// received is a response whose body has been read.
type received struct {
	*http.Response
	latencyMS float64
	exchanges []tape.Ref
}

// exchange sends a request and reads the response to its end. The errors are worded as httpx words them.
func (s *Suite) exchange(ctx context.Context, api tape.API, req *http.Request) (received, []byte, error) {
	now := s.Now
	if now == nil {
		now = time.Now
	}
	timeout := s.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, silence := score.LimitSilence(ctx, timeout, errTimedOut)
	defer silence.Stop()

	began := now()
	resp, err := s.Client.RoundTrip(req.WithContext(ctx))
	if err != nil {
		var r received
		if failure, ok := errors.AsType[*record.Failure](err); ok {
			r.exchanges = []tape.Ref{failure.Ref}
		}
		return r, nil, failed(ctx, err, transportText(err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(silence.Reader(resp.Body))
	r := received{Response: resp, latencyMS: milliseconds(now().Sub(began))}
	source, known := record.SourceOf(resp)
	if known {
		r.exchanges = []tape.Ref{source.Exchange()}
	}
	if err != nil && !leftAtTheEnd(api, resp, body, err) {
		return r, nil, failed(ctx, err, bodyText(err, resp, int64(len(body))))
	}
	if known {
		r.latencyMS = milliseconds(source.Elapsed())
	}
	return r, body, nil
}

// failed is the error for an exchange that failed, worded as given unless there is a better reason.
func failed(ctx context.Context, err error, text string) error {
	_, missing := errors.AsType[*match.Miss](err)
	_, unreadable := errors.AsType[*tape.Error](err)
	if missing || unreadable {
		return err
	}
	if errors.Is(context.Cause(ctx), errTimedOut) {
		return errTimedOut
	}
	return errors.New(text)
}

// leftAtTheEnd reports whether a recorded stream is whole although its client closed the connection first: many do so as soon as they
// have read the end marker, without waiting for the end of the response.
func leftAtTheEnd(api tape.API, resp *http.Response, body []byte, err error) bool {
	cut, ok := errors.AsType[*replay.IncompleteError](err)
	if !ok || cut.Ended != tape.ClientGone || !isStream(resp.Header) {
		return false
	}
	answer, err := wire.ParseResponse(api, true, bytes.NewReader(body))
	return err == nil && answer.Complete
}

// labels are what a recorder keeps of a question, and what a replay finds its answer by.
func labels(t Task, phase string) []string {
	stream := StreamOff
	if t.Stream {
		stream = StreamOn
	}
	return []string{
		"suite=" + Name,
		"sample=" + labelValue(t.Scenario.Name),
		"api=" + string(t.API),
		"repeat=" + strconv.Itoa(t.Repeat),
		"phase=" + phase,
		"stream=" + string(stream),
	}
}

// labelValue makes any name fit to stand in a header.
func labelValue(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return strconv.QuoteToASCII(s)
	}
	return s
}

// milliseconds has the precision of a tape, which is microseconds.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// say writes to Verbose.
func (s *Suite) say(format string, args ...any) {
	if s.Verbose == nil {
		return
	}
	s.verbose.Lock()
	defer s.verbose.Unlock()
	io.WriteString(s.Verbose, redact.Text(fmt.Sprintf(format, args...))) // it gets into logs
}
