package again

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

// Label is the label of exchanges that were asked again; its value names the exchange that was asked first.
const Label = pairs.AskedAgain

// Asker asks recorded requests again.
type Asker struct {
	// Client records; see [record.Transport].
	Client http.RoundTripper
	// Upstream is the base URL of the server.
	Upstream *url.URL
	Changes  Changes
	// Timeout is the longest time an answer may take; 0 for any.
	Timeout time.Duration
}

// Ask asks once more what x asked, and returns the name of the new exchange. That there is no answer is on the tape and no error: the
// error is that of ctx, or one of a request that could not be made or recorded.
func (a *Asker) Ask(ctx context.Context, x *reading.Exchange) (tape.Ref, error) {
	r, err := requestOf(x, a.Upstream, a.Changes)
	if err != nil {
		return tape.Ref{}, err
	}
	r.Header.Set(record.LabelHeader, fmt.Sprintf("%s=%s/%d", Label, x.Session, x.Seq))
	asking := ctx
	if a.Timeout > 0 {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, a.Timeout)
		defer cancel()
	}
	resp, err := a.Client.RoundTrip(r.WithContext(asking))
	if err != nil {
		if failure, ok := errors.AsType[*record.Failure](err); ok && ctx.Err() == nil {
			return failure.Ref, nil
		}
		return tape.Ref{}, err
	}
	defer resp.Body.Close()
	source, ok := record.SourceOf(resp)
	if !ok {
		return tape.Ref{}, fmt.Errorf("asking %s/%d again: the answer was not recorded", x.Session, x.Seq)
	}
	// How an answer ends is judged from the tape.
	_, _ = io.Copy(io.Discard, resp.Body)
	return source.Exchange(), ctx.Err()
}
