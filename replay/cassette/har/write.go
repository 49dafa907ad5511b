package har

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
)

// Write writes the exchanges of c as an archive. version is that of the exodeck that writes.
func Write(ctx context.Context, w io.Writer, c *cassette.Cassette, version string) error {
	head, err := json.Marshal(creator{"exodeck", version})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `{"log":{"version":"1.2","creator":%s,"pages":[],"entries":[`, head); err != nil {
		return err
	}
	separator := "\n"
	for x, err := range c.Entries(ctx, tape.Query{}) {
		if err != nil {
			return err
		}
		text, err := json.Marshal(entryOf(x))
		if err != nil {
			return fmt.Errorf("writing exchange %s/%d: %w", x.Session, x.Seq, err)
		}
		if _, err := fmt.Fprintf(w, "%s%s", separator, text); err != nil {
			return err
		}
		separator = ",\n"
	}
	_, err = io.WriteString(w, "\n]}}\n")
	return err
}

func entryOf(x *cassette.Entry) *entry {
	q, p := &x.Request, &x.Response
	e := &entry{
		Started: x.Started,
		Time:    millis(x.Total),
		Request: request{
			Method: q.Method, URL: absolute(x.Upstream, q.URL), Version: q.Proto, Cookies: []pair{}, Headers: pairs(q.Header, q.Host),
			QueryString: query(q.URL), HeadersSize: -1, BodySize: int64(len(x.RequestBody)),
		},
		Response: response{
			Status: p.Status, StatusText: reason(p), Version: p.Proto, Cookies: []pair{}, Headers: pairs(p.Header, ""), RedirectURL: p.Header.Get("Location"),
			Content:     content{Size: int64(len(x.ResponseBody)), MimeType: mimeType(p.Header)},
			HeadersSize: -1, BodySize: int64(len(x.ResponseBody)), Error: x.Cause,
		},
		Timings: timings{Wait: millis(x.TTFB), Receive: millis(max(0, x.Total-x.TTFB))},
		Exodeck: &exodeck{
			Session: x.Session, Upstream: x.Upstream, Target: q.URL, Host: q.Host, Ended: string(x.Ended), Cause: x.Cause, Labels: x.Labels, NoReason: p.NoReason,
		},
	}
	if len(x.RequestBody) > 0 {
		e.Request.PostData = &postData{MimeType: mimeType(q.Header)}
		e.Request.PostData.Text, e.Request.PostData.Encoding = text(x.RequestBody)
	}
	e.Response.Content.Text, e.Response.Content.Encoding = text(x.ResponseBody)
	for _, piece := range x.Pieces {
		e.Frames = append(e.Frames, frame{piece.Offset, millis(piece.At)})
	}
	return e
}

func reason(p *tape.Response) string {
	if p.Reason == "" && !p.NoReason {
		return http.StatusText(p.Status)
	}
	return p.Reason
}

func mimeType(h http.Header) string {
	if kind := h.Get("Content-Type"); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

func text(body []byte) (text, encoding string) {
	if utf8.Valid(body) {
		return string(body), ""
	}
	return base64.StdEncoding.EncodeToString(body), "base64"
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// absolute is the URL of a request target; archives know no others.
func absolute(upstream, target string) string {
	if strings.Contains(target, "://") {
		return target
	}
	if upstream == "" {
		upstream = "http://localhost"
	}
	return strings.TrimSuffix(upstream, "/") + target
}

func pairs(h http.Header, host string) []pair {
	list := []pair{}
	if host != "" {
		list = append(list, pair{"Host", host})
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			list = append(list, pair{name, strings.ToValidUTF8(v, "\uFFFD")})
		}
	}
	return list
}

func query(target string) []pair {
	list := []pair{}
	_, raw, _ := strings.Cut(target, "?")
	for param := range strings.SplitSeq(raw, "&") {
		if param == "" {
			continue
		}
		name, value, _ := strings.Cut(param, "=")
		list = append(list, pair{unescape(name), unescape(value)})
	}
	return list
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return strings.ToValidUTF8(plain, "\uFFFD")
	}
	return s
}
