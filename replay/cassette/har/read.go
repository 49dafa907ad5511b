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
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
)

// maxSize is how large an archive may be.
const maxSize = 256 << 20

// Read reads an archive. name is what errors call it.
func Read(r io.Reader, name string) (*cassette.Cassette, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = fmt.Errorf("%w: it has more than %d MiB", cassette.ErrTooLarge, maxSize>>20)
	}
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
	slices.SortStableFunc(a.Log.Entries, func(a, b *entry) int {
		if a == nil || b == nil {
			return 0
		}
		return a.Started.Compare(b.Started)
	})
	c, err := cassette.Build(name, entries(a.Log.Entries))
	if err != nil {
		return nil, fmt.Errorf("reading HAR file %s: %w", name, err)
	}
	return c, nil
}

func entries(list []*entry) iter.Seq2[*cassette.Entry, error] {
	return func(yield func(*cassette.Entry, error) bool) {
		for i, e := range list {
			if e == nil {
				yield(nil, fmt.Errorf("log.entries[%d] is null", i))
				return
			}
			x, err := e.exchange()
			if err != nil {
				err = fmt.Errorf("log.entries[%d]: %w", i, err)
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

func (e *entry) exchange() (*cassette.Entry, error) {
	x := &cassette.Entry{}
	x.Started = e.Started
	if x.Started.Year() < 1700 || x.Started.Year() > 2200 {
		x.Started = time.Unix(0, 0)
	}
	x.Ended = tape.Complete
	if err := e.target(x); err != nil {
		return nil, err
	}
	x.Request.Method, x.Request.Proto = e.Request.Method, proto(e.Request.Version)
	if x.Request.Method == "" {
		return nil, errors.New("request.method is missing")
	}
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
	x.ResponseEncoding = shown(p.Header, len(x.ResponseBody))
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

// target splits the URL into what was asked and whom.
func (e *entry) target(x *cassette.Entry) error {
	u, err := url.Parse(e.Request.URL)
	if err != nil {
		return fmt.Errorf("request.url: %w", err)
	}
	if e.Request.URL == "" {
		return errors.New("request.url is missing")
	}
	if u.Host != "" {
		x.Upstream, x.Request.Host = u.Scheme+"://"+u.Host, u.Host
	}
	x.Request.URL = u.RequestURI()
	return nil
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
	x.RequestEncoding = shown(x.Request.Header, len(x.RequestBody))
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

// shown takes the content coding out of the header of a body, which archives show decoded, and returns it.
func shown(h http.Header, size int) string {
	encoding := h.Get("Content-Encoding")
	if encoding == "" || size == 0 {
		return ""
	}
	h.Del("Content-Encoding")
	if h.Get("Content-Length") != "" {
		h.Set("Content-Length", strconv.Itoa(size))
	}
	return encoding
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
