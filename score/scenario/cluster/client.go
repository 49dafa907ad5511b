package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Client talks to exo's control endpoints, one call after the other. HTTP and BaseURL are needed.
type Client struct {
	// HTTP sends the requests, as for the suite itself.
	HTTP http.RoundTripper
	// BaseURL is the server's address without a path.
	BaseURL string
	// Timeout limits each call; 0 means none.
	Timeout time.Duration
	// Log gets messages about what goes on, in the words of exo's evaluator; nil drops them.
	Log func(slog.Level, string)
	// OnDownload is told how each download gets on. When it is nil that is logged.
	OnDownload func(Download)
	// Now and Sleep are the clock; nil means the real one. Sleep returns early with the context's error.
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error

	heard map[tape.Ref]bool // the exchanges that have answered a call
	news  bool              // since the last wait an answer came that was not heard before
}

// maxBody bounds what is read of an answer. The largest there are list all models, in some hundred kilobytes.
const maxBody = 64 << 20

// HTTPError is a control call that was answered with a status of 400 or more.
type HTTPError struct {
	Method, Path string
	Status       int
	// Reason is the reason phrase on the wire; exo sends none.
	Reason string
	// Body is the beginning of the body.
	Body string
}

// Error implements error in the words of exo's own client.
func (e *HTTPError) Error() string {
	return fmt.Sprintf("HTTP %d %s: %s", e.Status, e.Reason, e.Body)
}

// shownBody is how many characters of a body an [HTTPError] shows.
const shownBody = 300

// call sends a control request. The value is nil when the body of the answer is empty.
func (c *Client) call(ctx context.Context, method, path string, body pyvalue.Value) (pyvalue.Value, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	var text []byte
	if body != nil {
		var err error
		if text, err = pyjson.Encode(body, pyjson.Default); err != nil {
			return nil, fmt.Errorf("writing %s %s: %w", method, path, err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.BaseURL, "/")+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{"Accept": {"application/json"}, record.LabelHeader: {"suite=exo", "phase=control"}}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.HTTP.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	c.hear(resp)
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("reading the answer to %s %s: %w", method, path, err)
	}
	if resp.StatusCode >= 400 {
		_, reason, _ := strings.Cut(resp.Status, " ")
		shown := []rune(strings.ToValidUTF8(string(data), "\ufffd"))
		return nil, &HTTPError{method, path, resp.StatusCode, reason, string(shown[:min(len(shown), shownBody)])}
	}
	if len(data) == 0 {
		return nil, nil
	}
	value, err := pyjson.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("the answer to %s %s is not JSON: %w", method, path, err)
	}
	return value, nil
}

// state reads a part of the cluster's state, nil when there is none.
func (c *Client) state(ctx context.Context, parts ...string) (pyvalue.Value, error) {
	value, err := c.call(ctx, http.MethodGet, "/state/"+escapePath(parts...), nil)
	if isNotFound(err) {
		return nil, nil
	}
	return value, err
}

// escapePath joins parts to a path. A slash inside a part stays one: exo takes model ids so.
func escapePath(parts ...string) string {
	segments := strings.Split(strings.Join(parts, "/"), "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/")
}

func (c *Client) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// hear notes whether an answer is a new one. A server's always is; a recording answers a poll again when it has no further answer.
func (c *Client) hear(resp *http.Response) {
	var from tape.Ref // zero where the transport does not say
	if source, ok := record.SourceOf(resp); ok {
		from = source.Exchange()
	}
	if c.heard[from] {
		return
	}
	c.news = true
	if from == (tape.Ref{}) {
		return
	}
	if c.heard == nil {
		c.heard = map[tape.Ref]bool{}
	}
	c.heard[from] = true
}

// wait sleeps between two looks at something that a change is waited for in. When the last look brought nothing but answers that
// were heard before, no change will ever come: the recorded run went no further.
func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if !c.news {
		return ErrRecordingEnds
	}
	c.news = false
	return c.sleep(ctx, d)
}

func (c *Client) log(level slog.Level, format string, args ...any) {
	if c.Log != nil {
		c.Log(level, fmt.Sprintf(format, args...))
	}
}

// backoff is the time to wait between tries that may need some minutes: 1, 2, 4 … s, at most 60.
type backoff struct{ delay time.Duration }

const (
	firstDelay = time.Second
	maxDelay   = time.Minute
)

// next is the following delay.
func (b *backoff) next() time.Duration {
	switch {
	case b.delay == 0:
		b.delay = firstDelay
	default:
		b.delay = min(2*b.delay, maxDelay)
	}
	return b.delay
}
