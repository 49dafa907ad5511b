// Package vcr reads the YAML cassettes of go-vcr (version 2 of its format, which its version 4 writes) and of VCR.py.
//
// Both keep no times of streams, so an answer comes in one piece. go-vcr tells how long an answer took. Bodies that were kept as
// they were sent are decoded.
package vcr

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/coding"
)

// file is a cassette of either program. They agree on the names of what they both have.
type file struct {
	Interactions []interaction `yaml:"interactions"`
}

type interaction struct {
	Request struct {
		Method  string `yaml:"method"`
		URL     string `yaml:"url"` // go-vcr
		URI     string `yaml:"uri"` // VCR.py
		Host    string `yaml:"host"`
		Proto   string `yaml:"proto"`
		Headers header `yaml:"headers"`
		Body    body   `yaml:"body"`
	} `yaml:"request"`
	Response struct {
		Proto    string `yaml:"proto"`
		Headers  header `yaml:"headers"`
		Trailer  header `yaml:"trailer"`
		Body     body   `yaml:"body"`
		Code     int    `yaml:"code"`     // go-vcr
		Status   status `yaml:"status"`   // "200 OK" of go-vcr, or {code, message} of VCR.py
		Duration string `yaml:"duration"` // go-vcr
	} `yaml:"response"`
}

// header is a header whose values are lists or, as people write it, single texts.
type header http.Header

func (h *header) UnmarshalYAML(n *yaml.Node) error {
	var values map[string]yaml.Node
	if err := n.Decode(&values); err != nil {
		return err
	}
	*h = header{}
	for name, v := range values {
		var list []string
		if v.Kind == yaml.ScalarNode {
			list = []string{v.Value}
		} else if err := v.Decode(&list); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
		name = http.CanonicalHeaderKey(name)
		(*h)[name] = append((*h)[name], list...)
	}
	return nil
}

// body is a text, binary data, or {string: …} or {base64_string: …}.
type body []byte

func (b *body) UnmarshalYAML(n *yaml.Node) error {
	var text string
	if n.Kind != yaml.MappingNode {
		err := n.Decode(&text)
		*b = []byte(text)
		return err
	}
	var in struct {
		String string `yaml:"string"`
		Base64 string `yaml:"base64_string"`
	}
	if err := n.Decode(&in); err != nil {
		return err
	}
	*b = []byte(in.String)
	if in.Base64 == "" {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(in.Base64)
	*b = data
	return err
}

type status struct {
	code   int
	reason string
}

func (s *status) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		code, reason, _ := strings.Cut(n.Value, " ")
		s.code, _ = strconv.Atoi(code) // go-vcr has the number in a place of its own too
		s.reason = reason
		return nil
	}
	var in struct {
		Code    int    `yaml:"code"`
		Message string `yaml:"message"`
	}
	err := n.Decode(&in)
	s.code, s.reason = in.Code, in.Message
	return err
}

// Read reads a cassette of go-vcr or VCR.py. name is what errors call it.
func Read(r io.Reader, name string) (*cassette.Cassette, error) {
	data, err := cassette.ReadForeign(r)
	var f file
	if err == nil {
		err = yaml.Unmarshal(data, &f)
	}
	if err == nil && len(f.Interactions) == 0 {
		err = errors.New("there are no interactions; is it a cassette of go-vcr or VCR.py?")
	}
	var c *cassette.Cassette
	if err == nil {
		c, err = cassette.Build(name, entries(f.Interactions))
	}
	if err != nil {
		return nil, fmt.Errorf("reading VCR cassette %s: %w", name, err)
	}
	return c, nil
}

func entries(list []interaction) iter.Seq2[*cassette.Entry, error] {
	return func(yield func(*cassette.Entry, error) bool) {
		for i := range list {
			x, err := list[i].entry()
			if err != nil {
				err = fmt.Errorf("interactions[%d]: %w", i, err)
			} else {
				x.Started = time.Unix(int64(i), 0)
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

func (i *interaction) entry() (*cassette.Entry, error) {
	q, p := &i.Request, &i.Response
	x := &cassette.Entry{}
	x.Ended = tape.Complete
	if err := x.SetTarget(q.URL + q.URI); err != nil {
		return nil, fmt.Errorf("request.url: %w", err)
	}
	if err := x.SetMethod(q.Method); err != nil {
		return nil, fmt.Errorf("request.method: %w", err)
	}
	x.Request.Proto, x.Request.Header = cmp.Or(q.Proto, "HTTP/1.1"), http.Header(q.Headers)
	x.Request.Host = cmp.Or(q.Host, x.Request.Host)
	x.Request.Header.Del("Host")
	code := cmp.Or(p.Code, p.Status.code)
	if code == 0 {
		return nil, errors.New("response.code: it is missing")
	}
	if code < 100 || code > 999 {
		return nil, fmt.Errorf("response.code: %d is no status", code)
	}
	x.Response = tape.Response{
		Status: code, Reason: strings.TrimPrefix(p.Status.reason, strconv.Itoa(code)+" "), NoReason: p.Status.reason == "", Proto: cmp.Or(p.Proto, x.Request.Proto),
		Header: http.Header(p.Headers), Trailer: http.Header(p.Trailer),
	}
	if d, err := time.ParseDuration(p.Duration); err == nil && d > 0 {
		x.TTFB, x.Total = min(d, 24*time.Hour), min(d, 24*time.Hour)
	}
	x.RequestBody, x.RequestEncoding = decoded(q.Body, x.Request.Header)
	x.ResponseBody, x.ResponseEncoding = decoded(p.Body, x.Response.Header)
	return x, nil
}

// decoded undoes the content coding of a body. Either program may have undone it already and have left the header as it was.
func decoded(data []byte, h http.Header) ([]byte, string) {
	codings := coding.Of(h)
	if len(codings) == 0 || len(data) == 0 {
		return data, ""
	}
	if r, err := coding.NewReader(bytes.NewReader(data), codings); err == nil {
		defer r.Close()
		if plain, err := io.ReadAll(io.LimitReader(r, cassette.MaxBody+1)); err == nil && len(plain) <= cassette.MaxBody {
			data = plain
		} else if len(plain) > cassette.MaxBody {
			return data, "" // it stays as it was sent
		}
	}
	return data, cassette.TakeCoding(h, len(data))
}
