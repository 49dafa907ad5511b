package again

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/replay/reading"
)

// Mode says whether answers are to be streamed.
type Mode string

const (
	// AsRecorded asks for what the recorded request asked for.
	AsRecorded Mode = ""
	// On asks for streams, Off for whole answers, Flip for the other of what was recorded.
	On   Mode = "on"
	Off  Mode = "off"
	Flip Mode = "flip"
)

// Changes say in what a request differs from the recorded one. The zero value changes nothing.
type Changes struct {
	Stream Mode
	// Model replaces the name of the model; "" keeps it.
	Model string
	// Header is added, in place of recorded headers of the same names. It can bring the credentials that are on no tape.
	Header http.Header
}

// notSent are the headers of a recorded request that are of its connection or its body as it was, and those that the transport sets.
var notSent = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
	"Content-Length", "Content-Encoding", "Accept-Encoding",
}

// requestOf makes the request to an upstream that asks again what x asked. x.Request must not be nil.
func requestOf(x *reading.Exchange, upstream *url.URL, c Changes) (*http.Request, error) {
	body, stream, err := c.body(x)
	if err != nil {
		return nil, fmt.Errorf("making the request of %s/%d again: %w", x.Session, x.Seq, err)
	}
	target, err := url.Parse(x.Exchange.Request.URL)
	if err != nil {
		return nil, fmt.Errorf("making the request of %s/%d again: %w", x.Session, x.Seq, err)
	}
	u := *upstream
	u.Path, u.RawPath = strings.TrimSuffix(upstream.Path, "/")+target.Path, ""
	u.RawQuery = sentQuery(target.RawQuery)
	r, err := http.NewRequest(x.Exchange.Request.Method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making the request of %s/%d again: %w", x.Session, x.Seq, err)
	}
	for name, values := range x.Exchange.Request.Header {
		// What a client accepts goes with the mode it asked for.
		if slices.Contains(notSent, name) || slices.ContainsFunc(values, standsIn) || name == "Accept" && stream != x.Request.Stream {
			continue
		}
		r.Header[name] = slices.Clone(values)
	}
	for name, values := range c.Header {
		r.Header[name] = slices.Clone(values)
	}
	return r, nil
}

// sentQuery is a recorded query without the parameters whose value stands in for a credential. All else keeps its bytes.
func sentQuery(raw string) string {
	parameters := slices.DeleteFunc(strings.Split(raw, "&"), func(p string) bool {
		_, value, _ := strings.Cut(p, "=")
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		return standsIn(value)
	})
	return strings.Join(parameters, "&")
}

// standsIn reports whether the value of a header or a parameter stands in for a credential that is not on the tape.
func standsIn(value string) bool {
	return strings.Contains(value, "[fingerprint:") || strings.Contains(value, "[redacted:")
}

// body is the recorded body with the changes made to it, and whether it asks for a stream. All else keeps its bytes.
func (c Changes) body(x *reading.Exchange) ([]byte, bool, error) {
	stream := x.Request.Stream
	switch c.Stream {
	case On:
		stream = true
	case Off:
		stream = false
	case Flip:
		stream = !stream
	}
	var set []member
	var drop string
	if stream != x.Request.Stream {
		set = append(set, member{"stream", jsontext.Value(strconv.FormatBool(stream))})
		if !stream {
			drop = "stream_options" // they may only be there with a stream
		}
	}
	if c.Model != "" {
		name, err := jsontext.AppendQuote(nil, c.Model)
		if err != nil {
			return nil, false, fmt.Errorf("the model's name %q: %w", c.Model, err)
		}
		set = append(set, member{"model", name})
	}
	if set == nil {
		return x.RequestBody, stream, nil
	}
	body, err := rewrite(x.RequestBody, set, drop)
	return body, stream, err
}

// member is a member of a JSON object.
type member struct {
	name  string
	value jsontext.Value
}

// rewrite returns a JSON object with some members set and one dropped. Those that it does not have come last.
func rewrite(object []byte, set []member, drop string) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	between := byte('{')
	put := func(name, value jsontext.Value) {
		b.WriteByte(between)
		between = ','
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	for d.PeekKind() == '"' {
		quoted, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		quoted = slices.Clone(quoted)
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		name, err := jsontext.AppendUnquote(nil, quoted)
		if err == nil && drop != "" && string(name) == drop {
			continue
		}
		if i := slices.IndexFunc(set, func(m member) bool { return err == nil && m.name == string(name) }); i >= 0 {
			value = set[i].value
			set = slices.Delete(slices.Clone(set), i, i+1)
		}
		put(quoted, value)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for _, m := range set {
		put(jsontext.Value(strconv.Quote(m.name)), m.value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
