package ask

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
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// DefaultTimeout is how long a server may be silent before its answer is given up.
const DefaultTimeout = 600 * time.Second

// errTimedOut becomes the cause of an exchange on the tape, so its text is what an offline run reads, too.
var errTimedOut = errors.New("the server was silent for longer than the time limit")

// question is one request of a sample.
type question struct {
	to       *Endpoint
	messages []rollout.Message
	labels   []string
}

// reply is the answer to a question.
type reply struct {
	Said
	exchanges []tape.Ref // that it rests on, failed attempts of earlier runs not among them
	recorded  bool       // it was on the tape already
	attempt   tape.Ref   // the exchange that answered, be it with a failure; zero when none is known to
}

// answer gets the answer to a question: from the recording when it holds a usable one, else from the server. Without a server the
// error is that of the last recorded attempt, or the one that says that there is none. What keeps the recording from being asked at
// all, a question that cannot be written or a tape that cannot be read, is an error at once.
func (s *Suite) answer(ctx context.Context, q question) (reply, error) {
	var failed reply
	var failure error
	tried := map[tape.Ref]bool{}
	for s.Recorded != nil {
		r, err := s.attempt(ctx, offline, q)
		r.recorded = true
		switch {
		case err == nil, ctx.Err() != nil:
			return r, err
		case isMissing(err) && s.Client != nil:
			return s.attempt(ctx, live, q)
		case isMissing(err) && failure == nil:
			return r, err
		case isMissing(err):
			return failed, failure
		case r.attempt == tape.Ref{}, tried[r.attempt]:
			return r, err // asking again would bring the same
		}
		failed, failure = r, err
		tried[r.attempt] = true
	}
	return s.attempt(ctx, live, q)
}

// way says who is asked: the recording or the server.
type way bool

const (
	offline way = false
	live    way = true
)

// attempt asks once.
func (s *Suite) attempt(ctx context.Context, w way, q question) (reply, error) {
	client := s.Recorded
	if w == live {
		client = s.Client
	}
	req, err := q.to.NewRequest(q.messages, s.Stream)
	if err != nil {
		return reply{}, err
	}
	req.Header[record.LabelHeader] = q.labels

	ctx, silence := score.LimitSilence(ctx, s.limit(w), errTimedOut)
	defer silence.Stop()
	resp, err := client.RoundTrip(req.WithContext(ctx))
	if err != nil {
		var r reply
		if failure, ok := errors.AsType[*record.Failure](err); ok {
			r.attempt = failure.Ref
		}
		return r, transportError(ctx, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(silence.Reader(resp.Body))
	var r reply
	if source, ok := record.SourceOf(resp); ok {
		r.attempt = source.Exchange()
		r.exchanges = []tape.Ref{r.attempt}
	}
	if isUnreadable(err) {
		return r, err // an answer that looks whole all the same may be another
	}
	if err != nil {
		err = transportError(ctx, err)
	}
	r.Said, err = Read(q.to.API, resp.StatusCode, resp.Header.Get("Content-Type"), data, err)
	return r, err
}

// Said is the text of an answer.
type Said struct {
	Text string // as evalscope gets it: without the reasoning, whether that came apart or between think tags
	Sent string // as it was sent, which is how the official runner gets it: without the reasoning only when that came apart
}

// Read takes the answer's text out of a response of a model API. broken is the error at the end of the body, nil when there was none; an answer that is whole all the
// same counts, as of a client that leaves at the end marker of a stream. The error says why there is no usable answer.
func Read(api tape.API, status int, contentType string, body []byte, broken error) (Said, error) {
	if status/100 != 2 {
		if broken != nil {
			return Said{}, broken
		}
		return Said{}, fmt.Errorf("the server answered %s: %s", statusText(status), excerpt(body))
	}
	answer, err := wire.ParseResponse(api, wire.Streamed(api, contentType, body[:min(len(body), wire.SniffLen)]), bytes.NewReader(body))
	switch {
	case err != nil:
		return Said{}, err
	case broken != nil && !answer.Complete && !reported(answer.Error):
		return Said{}, broken
	case reported(answer.Error) && answer.Error.Message != nil:
		return Said{}, fmt.Errorf("the server reported an error: %s", *answer.Error.Message)
	case reported(answer.Error):
		return Said{}, fmt.Errorf("the server reported an error: %s", excerpt(answer.Error.Raw))
	case answer.Error != nil:
		return Said{}, fmt.Errorf("the answer is none of the API %s: %s", api, excerpt(body))
	case !answer.Complete:
		return Said{}, errors.New("the answer broke off before its end marker")
	case answer.Refusal != "":
		return Said{answer.Refusal, answer.Refusal}, nil
	case answer.Reasoning != "":
		return Said{answer.Text, answer.Text}, nil
	}
	return Said{acebench.WithoutReasoning(answer.Text), answer.Text}, nil
}

// reported says whether an error is one that the server told of, and not just something that cannot be read.
func reported(e *wire.Error) bool {
	return e != nil && (e.Kind == wire.ErrorBody || e.Kind == wire.ErrorChunk)
}

func statusText(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}

// excerpt is the beginning of a body on one line.
func excerpt(body []byte) string {
	const most = 200
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 4*most)]), "\ufffd")), " ")
	if text == "" {
		return "no text"
	}
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// transportError words the error of a transport, the same live and offline.
func transportError(ctx context.Context, err error) error {
	var gone *replay.IncompleteError
	switch {
	case isMissing(err):
		return err
	case errors.Is(context.Cause(ctx), errTimedOut), errors.As(err, &gone) && gone.Cause == errTimedOut.Error():
		return errTimedOut
	}
	return fmt.Errorf("no answer could be had: %w", err)
}

// isMissing reports whether an error of a transport means that its recording has no answer.
func isMissing(err error) bool {
	_, missing := errors.AsType[*match.Miss](err)
	return missing
}

// isUnreadable reports whether an error of a transport means that its tape cannot be read.
func isUnreadable(err error) bool {
	_, unreadable := errors.AsType[*tape.Error](err)
	return unreadable
}

// limit is how long may be silent who is asked. A recording has no limit: how fast it is read says nothing about the answer.
func (s *Suite) limit(w way) time.Duration {
	switch {
	case w == offline:
		return 0
	case s.Timeout <= 0:
		return DefaultTimeout
	}
	return s.Timeout
}
