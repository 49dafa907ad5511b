package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// Version is the version of the format.
const Version = 1

// line is what one line of a cassette says: one of the three is set.
type line struct {
	head     *Head
	session  *sessionLine
	exchange *exchangeLine
}

type sessionLine struct {
	tape.Session
	unknown members
}

// exchangeLine is an exchange, and which of its parts the line leaves out.
type exchangeLine struct {
	Entry
	hasSeq, hasSession, hasStarted, hasUpstream, hasProto, hasResponseProto bool
}

// decodeLine reads one line. The error is a [*fieldError] when it is about one field. The result does not refer to data.
func decodeLine(data []byte) (l line, err error) {
	d := lineDecoder{newDecoder(data)}
	switch kind := leading(data); kind {
	case "cassette":
		l.head, err = d.head()
	case "session":
		l.session, err = d.session()
	}
	if l.head == nil && l.session == nil {
		// A line that begins with another key than these two is an exchange; "session" may come first there too.
		d = lineDecoder{newDecoder(data)}
		l.exchange, err = d.exchange()
	}
	if err == nil && len(bytes.TrimSpace(d.UnreadBuffer())) > 0 {
		err = errors.New("something follows the object")
	}
	return l, err
}

// leading tells what kind of line it is: "cassette", "session" or anything else.
func leading(data []byte) string {
	first := ""
	d := lineDecoder{newDecoder(data)}
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	for {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return first
		}
		switch key := name.String(); key {
		case "cassette":
			return key
		case "request", "response":
			return "exchange"
		case "session":
			first = key
		}
		if d.SkipValue() != nil {
			return first
		}
	}
}

func (d lineDecoder) header(into *http.Header) error {
	h := http.Header{}
	err := d.object(func(name string) error {
		values := []string{}
		if d.PeekKind() == '"' { // as people write it
			values = append(values, "")
			if err := d.text(&values[0]); err != nil {
				return err
			}
		} else if err := d.array(func(int) error {
			values = append(values, "")
			return d.text(&values[len(values)-1])
		}); err != nil {
			return err
		}
		h[name] = values
		return nil
	})
	if len(h) > 0 {
		*into = h
	}
	return err
}

func (d lineDecoder) labels(into *map[string]string) error {
	labels := map[string]string{}
	err := d.object(func(name string) error {
		var value string
		err := d.text(&value)
		labels[name] = value
		return err
	})
	if len(labels) > 0 {
		*into = labels
	}
	return err
}

// body reads a member that holds a body.
func (d lineDecoder) body(name string, into *[]byte, has *string) error {
	if *has != "" {
		return fmt.Errorf("there is %q already; a body is one of body, text and base64", *has)
	}
	*has = name
	var err error
	switch name {
	case "body":
		var v jsontext.Value
		v, err = d.ReadValue()
		*into = bytes.Clone(v)
	case "text":
		var s string
		err = d.text(&s)
		*into = []byte(s)
	case "base64":
		*into, err = d.base64()
	}
	return err
}

func (d lineDecoder) head() (*Head, error) {
	h := &Head{Exchanges: -1}
	var version int64
	err := d.object(func(name string) error {
		switch name {
		case "cassette":
			return d.number(&version, math.MaxInt32)
		case "name":
			return d.text(&h.Name)
		case "created":
			return d.time(&h.Created)
		case "generator":
			return d.text(&h.Generator)
		case "exchanges":
			var n int64
			err := d.number(&n, math.MaxInt64)
			h.Exchanges = int(min(n, math.MaxInt32))
			return err
		case "sha256":
			return d.text(&h.SHA256)
		}
		return d.unknown(name, &h.unknown)
	})
	switch {
	case err != nil:
		return h, err
	case version > Version:
		return h, in("cassette", fmt.Errorf("%w: version %d, this exodeck reads version %d", ErrNewer, version, Version))
	case version < 1:
		return h, in("cassette", fmt.Errorf("there is no version %d", version))
	}
	return h, nil
}

func (d lineDecoder) session() (*sessionLine, error) {
	s := &sessionLine{}
	err := d.object(func(name string) error {
		switch name {
		case "session":
			return d.text(&s.Name)
		case "upstream":
			return d.text(&s.Upstream)
		case "labels":
			return d.labels(&s.Labels)
		}
		return d.unknown(name, &s.unknown)
	})
	if err != nil {
		return s, err
	}
	return s, in("session", checkName(s.Name))
}

// checkName refuses names that would be misread in "SESSION/SEQ" or that do something to a terminal.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > 200:
		return fmt.Errorf("a name of %d bytes; 200 are allowed", len(name))
	case strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return fmt.Errorf("the name %.40q holds a slash or a character that cannot be seen", name)
	}
	return nil
}

// checkMethod refuses what no client can have sent, and what would break a line in two wherever the exchange is listed. A placeholder is
// let through.
func checkMethod(method string) error {
	switch {
	case method == "":
		return errors.New("it is missing")
	case strings.ContainsFunc(method, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }):
		return fmt.Errorf("%.40q holds a blank or a character that cannot be seen; write one word, such as POST", method)
	}
	return nil
}

// endings are what "ended" may say.
var endings = []tape.Ended{tape.Complete, tape.ClientGone, tape.UpstreamError, tape.UpstreamTruncated, tape.RecorderError, tape.Interrupted}

func (d lineDecoder) exchange() (*exchangeLine, error) {
	x := &exchangeLine{}
	x.Ended = tape.Complete
	var hasRequest, hasResponse, hasEnded bool
	err := d.object(func(name string) error {
		switch name {
		case "seq":
			x.hasSeq = true
			return d.number(&x.Seq, math.MaxInt32)
		case "session":
			x.hasSession = true
			if err := d.text(&x.Session); err != nil {
				return err
			}
			return checkName(x.Session)
		case "started":
			x.hasStarted = true
			return d.time(&x.Started)
		case "upstream":
			x.hasUpstream = true
			return d.text(&x.Upstream)
		case "request":
			hasRequest = true
			return d.request(x)
		case "response":
			hasResponse = true
			return d.response(x)
		case "timing":
			return d.timing(x)
		case "ended":
			hasEnded = true
			var s string
			err := d.text(&s)
			x.Ended = tape.Ended(s)
			if err == nil && !slices.Contains(endings, x.Ended) {
				err = fmt.Errorf("%.40q is none of %v", s, endings)
			}
			return err
		case "cause":
			return d.text(&x.Cause)
		case "labels":
			return d.labels(&x.Labels)
		}
		return d.unknown(name, &x.unknown.line)
	})
	if err != nil {
		return x, err
	}
	if !hasRequest {
		return x, in("request", errors.New("it is missing"))
	}
	if !hasResponse && !hasEnded {
		return x, in("response", fmt.Errorf(`it is missing; where none came, say how the exchange ended, such as "ended":%q`, tape.UpstreamError))
	}
	return x, in("timing.pieces", checkPieces(x.Pieces, int64(len(x.ResponseBody))))
}

// checkPieces makes sure that pieces divide a body of size bytes.
func checkPieces(pieces []tape.Piece, size int64) error {
	for i, p := range pieces {
		var err error
		switch {
		case i == 0 && p.Offset != 0:
			err = fmt.Errorf("the first piece is at offset %d, not at 0", p.Offset)
		case p.Offset >= size:
			err = fmt.Errorf("offset %d is beyond the response body of %d bytes", p.Offset, size)
		case i > 0 && p.Offset <= pieces[i-1].Offset:
			err = fmt.Errorf("offset %d is not behind that of the piece before, %d", p.Offset, pieces[i-1].Offset)
		case i > 0 && p.At < pieces[i-1].At:
			err = errors.New("it arrived before the piece before it")
		}
		if err != nil {
			return in("["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

func (d lineDecoder) request(x *exchangeLine) error {
	r := &x.Request
	var body string
	err := d.object(func(name string) error {
		switch name {
		case "method":
			if err := d.text(&r.Method); err != nil {
				return err
			}
			return checkMethod(r.Method)
		case "url":
			return d.text(&r.URL)
		case "host":
			return d.text(&r.Host)
		case "proto":
			x.hasProto = true
			return d.text(&r.Proto)
		case "headers":
			return d.header(&r.Header)
		case "encoding":
			return d.text(&x.RequestEncoding)
		case "body", "text", "base64":
			return d.body(name, &x.RequestBody, &body)
		case "trailers":
			return d.header(&r.Trailer)
		}
		return d.unknown(name, &x.unknown.request)
	})
	switch {
	case err != nil:
		return err
	case r.Method == "":
		return in("method", errors.New("it is missing"))
	case r.URL == "":
		return in("url", errors.New("it is missing; a path is enough"))
	}
	return nil
}

func (d lineDecoder) response(x *exchangeLine) error {
	r := &x.Response
	var body string
	hasReason := false
	err := d.object(func(name string) error {
		switch name {
		case "status":
			var n int64
			err := d.number(&n, 999)
			r.Status = int(n)
			return err
		case "reason":
			hasReason = true
			return d.text(&r.Reason)
		case "proto":
			x.hasResponseProto = true
			return d.text(&r.Proto)
		case "headers":
			return d.header(&r.Header)
		case "encoding":
			return d.text(&x.ResponseEncoding)
		case "body", "text", "base64":
			return d.body(name, &x.ResponseBody, &body)
		case "trailers":
			return d.header(&r.Trailer)
		}
		return d.unknown(name, &x.unknown.response)
	})
	r.NoReason = hasReason && r.Reason == ""
	if err == nil && r.Status == 0 {
		return in("status", errors.New("it is missing"))
	}
	return err
}

func (d lineDecoder) timing(x *exchangeLine) error {
	return d.object(func(name string) error {
		switch name {
		case "ttfb_ms":
			return d.millis(&x.TTFB)
		case "total_ms":
			return d.millis(&x.Total)
		case "pieces":
			return d.array(func(int) error {
				p, n := tape.Piece{}, 0
				err := d.array(func(i int) error {
					n++
					switch i {
					case 0:
						return d.number(&p.Offset, math.MaxInt64)
					case 1:
						return d.millis(&p.At)
					}
					return errors.New("a piece has an offset and a time, no more")
				})
				if err == nil && n != 2 {
					err = errors.New("a piece has an offset and a time")
				}
				x.Pieces = append(x.Pieces, p)
				return err
			})
		}
		return d.unknown(name, &x.unknown.timing)
	})
}
