package har

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
)

// Read reads an archive. name is what errors call it.
func Read(r io.Reader, name string) (*cassette.Cassette, error) {
	data, err := cassette.ReadForeign(r)
	var a archive
	if err == nil {
		// Which refuses keys that come twice, and text that is not UTF-8.
		err = json.Unmarshal(data, &a)
	}
	if err == nil && a.Log.Entries == nil {
		err = errors.New("there is no list of entries; is it a HAR file?")
	}
	if err != nil {
		return nil, fmt.Errorf("reading HAR file %s: %w", name, err)
	}
	list, err := exchanges(a.Log.Entries)
	var c *cassette.Cassette
	if err == nil {
		c, err = cassette.Build(name, list)
	}
	if err != nil {
		return nil, fmt.Errorf("reading HAR file %s: %w", name, err)
	}
	return c, nil
}

// exchanges are the entries in the order in which they were asked; archives may have another.
func exchanges(list []*entry) (iter.Seq2[*cassette.Entry, error], error) {
	var all []*cassette.Entry
	for i, e := range list {
		if e == nil {
			return nil, fmt.Errorf("log.entries[%d] is null", i)
		}
		x, err := e.exchange()
		if err != nil {
			return nil, fmt.Errorf("log.entries[%d]: %w", i, err)
		}
		all = append(all, x)
	}
	slices.SortStableFunc(all, func(a, b *cassette.Entry) int { return a.Started.Compare(b.Started) })
	return func(yield func(*cassette.Entry, error) bool) {
		for _, x := range all {
			if !yield(x, nil) {
				return
			}
		}
	}, nil
}

func (e *entry) exchange() (*cassette.Entry, error) {
	x := &cassette.Entry{}
	x.Started = e.Started
	if x.Started.Year() < 1700 || x.Started.Year() > 2200 {
		x.Started = time.Unix(0, 0)
	}
	x.Ended = tape.Complete
	if err := x.SetTarget(e.Request.URL); err != nil {
		return nil, fmt.Errorf("request.url: %w", err)
	}
	if err := x.SetMethod(e.Request.Method); err != nil {
		return nil, fmt.Errorf("request.method: %w", err)
	}
	x.Request.Proto = proto(e.Request.Version)
	x.Request.Header = header(e.Request.Headers, &x.Request.Host)
	if err := e.body(x); err != nil {
		return nil, err
	}
	if e.Response.Status < 0 || e.Response.Status > 999 {
		return nil, fmt.Errorf("response.status: %d is no status", e.Response.Status)
	}
	p := &x.Response
	p.Status, p.Reason, p.Proto = e.Response.Status, e.Response.StatusText, proto(e.Response.Version)
	p.NoReason = p.Reason == ""
	p.Header = header(e.Response.Headers, nil)
	var err error
	if x.ResponseBody, err = decode(e.Response.Content.Text, e.Response.Content.Encoding); err != nil {
		return nil, fmt.Errorf("response.content.text: %w", err)
	}
	x.ResponseEncoding = cassette.TakeCoding(p.Header, len(x.ResponseBody))
	if p.Status == 0 {
		x.Ended, x.Cause = tape.UpstreamError, e.Response.Error
	}
	e.times(x)
	if o := e.Exodeck; o != nil {
		x.Session, x.Cause, x.Labels = o.Session, o.Cause, o.Labels
		x.Ended = tape.Ended(o.Ended)
		p.NoReason = o.NoReason
		if o.Target != "" {
			x.Upstream, x.Request.URL, x.Request.Host = o.Upstream, o.Target, o.Host
		}
	}
	return x, nil
}

// body reads the request body. A form may be told by its parameters alone.
func (e *entry) body(x *cassette.Entry) error {
	p := e.Request.PostData
	if p == nil {
		return nil
	}
	var err error
	if x.RequestBody, err = decode(p.Text, p.Encoding); err != nil {
		return fmt.Errorf("request.postData.text: %w", err)
	}
	if p.Text == "" && len(p.Params) > 0 {
		var params []string
		for _, param := range p.Params {
			params = append(params, url.QueryEscape(param.Name)+"="+url.QueryEscape(param.Value))
		}
		x.RequestBody = []byte(strings.Join(params, "&"))
	}
	x.RequestEncoding = cassette.TakeCoding(x.Request.Header, len(x.RequestBody))
	return nil
}

func decode(text, encoding string) ([]byte, error) {
	switch encoding {
	case "":
		return []byte(text), nil
	case "base64":
		return base64.StdEncoding.DecodeString(text)
	}
	return nil, fmt.Errorf("the encoding %q is not known", encoding)
}

// header gathers headers under their usual names, as HTTP/2 sends them in lower case. The name of the host is no header on a tape.
func header(list []pair, host *string) http.Header {
	h := http.Header{}
	for _, p := range list {
		name := http.CanonicalHeaderKey(p.Name)
		switch {
		case host != nil && (name == "Host" || p.Name == ":authority"):
			*host = p.Value
		case strings.HasPrefix(name, ":") || name == "":
		default:
			h[name] = append(h[name], p.Value)
		}
	}
	return h
}

func proto(version string) string {
	switch v := strings.ToUpper(version); v {
	case "", "UNKNOWN":
		return "HTTP/1.1"
	case "H2", "HTTP/2":
		return "HTTP/2.0"
	case "H3", "HTTP/3":
		return "HTTP/3.0"
	default:
		return v
	}
}

// times reads when what came. Pieces that do not divide the body are none.
func (e *entry) times(x *cassette.Entry) {
	t := e.Timings
	for _, ms := range []float64{t.Blocked, t.DNS, t.Connect, t.Send, t.Wait} {
		x.TTFB += duration(ms)
	}
	x.Total = max(duration(e.Time), x.TTFB)
	for i, f := range e.Frames {
		at := duration(f.MS)
		last := tape.Piece{Offset: -1}
		if i > 0 {
			last = x.Pieces[i-1]
		}
		if i == 0 && f.Offset != 0 || f.Offset <= last.Offset || f.Offset >= int64(len(x.ResponseBody)) || at < last.At {
			x.Pieces = nil
			return
		}
		x.Pieces = append(x.Pieces, tape.Piece{Offset: f.Offset, At: at})
	}
}

// duration reads milliseconds. What is negative does not apply; a year is the most.
func duration(ms float64) time.Duration {
	const year = 365 * 24 * time.Hour
	if !(ms > 0) {
		return 0
	}
	return min(time.Duration(math.Round(min(ms, 1e12)*1000))*time.Microsecond, year)
}
