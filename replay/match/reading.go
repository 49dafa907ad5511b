package match

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/coding"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/go-json-experiment/json/jsontext"
)

// maxRead is the size of the largest request body that is compared by more than its bytes.
const maxRead = 64 << 20

// reading is what the rules compare of a request body. Equal bodies share one.
type reading struct {
	canonical [sha256.Size]byte // of the body in canonical form
	model     bool              // a model call that could be parsed: the keys below count
	name      string            // of the model
	meaning   key
	anyModel  key
	// options is equal for calls that are equal in what their meaning leaves out.
	options key
	// template is there for a recorded body with placeholders: of its meaning if it is a model call, else of its canonical form.
	template *template
}

// read makes the reading of a decoded body as it is compared.
func (o Options) read(api tape.API, plain []byte) *reading {
	r := &reading{canonical: sha256.Sum256(canonical(plain))}
	if parsed, ok := parse(api, plain); ok {
		r.model, r.name = true, parsed.Model
		r.meaning, r.anyModel = callKeys(parsed, o.SameMode && parsed.Stream)
		if o.Canonical != nil {
			r.options = optionsKey(parsed)
		}
	}
	return r
}

// readRecorded is as read, for the body of a recorded request.
func (o Options) readRecorded(e *entry, body []byte) *reading {
	plain := o.plainRecorded(e, body)
	r := o.read(e.api, plain)
	if o.Canonical == nil || !bytes.Contains(plain, []byte(redacted)) {
		return r
	}
	named := decoded(e.codings, body)
	if !r.model {
		text := canonical(plain)
		r.template = newTemplate(string(text), string(canonical(named)), jsontext.Value(text).IsValid())
	} else if call, ok := parse(e.api, named); ok {
		shown, _ := parse(e.api, plain) // as it was for r.model
		r.template = newTemplate(o.meaningText(shown), o.meaningText(call), true)
	}
	return r
}

// optionsKey digests what the meaning of a call leaves out.
func optionsKey(r *wire.Request) key {
	fields := []string{strconv.FormatBool(r.Stream)}
	for _, f := range slices.Concat(r.Options, r.Unknown) {
		fields = append(fields, f.Name+"="+string(canonical(f.Value)))
	}
	slices.Sort(fields)
	return newKey("options", fields...)
}

// callKeys returns the keys of a model call under the rules 3 and 4. stream tells keys apart where the mode counts.
func callKeys(r *wire.Request, stream bool) (meaning, anyModel key) {
	anyModel = newKey("any-model", string(r.API), string(r.Meaning(false)), strconv.FormatBool(stream))
	return newKey("meaning", r.Model, string(anyModel[:])), anyModel
}

// parse reads a decoded body as a model call.
func parse(api tape.API, plain []byte) (*wire.Request, bool) {
	if !api.Model() {
		return nil, false
	}
	parsed, err := wire.ParseRequest(api, plain)
	return parsed, err == nil
}

func (r *reading) exact(method, target string) key {
	return newKey("exact", method, target, string(r.canonical[:]))
}

// codingsOf returns the codings of a body that can be undone; none when one of them cannot, since the bytes as sent are then all
// there is to compare.
func codingsOf(h http.Header) []string {
	codings := coding.Of(h)
	if !coding.Known(codings) {
		return nil
	}
	return codings
}

// decoded undoes the codings. A body that does not decode, or to more than maxRead bytes, stays as it is.
func decoded(codings []string, body []byte) []byte {
	if len(codings) == 0 {
		return body
	}
	r, err := coding.NewReader(bytes.NewReader(body), codings)
	if err != nil {
		return body
	}
	defer r.Close()
	plain, err := io.ReadAll(io.LimitReader(r, maxRead+1))
	if err != nil || len(plain) > maxRead {
		return body
	}
	return plain
}

// canonical returns a JSON body with sorted keys and without blanks, and any other body as it is. Numbers stay as they were
// written: canonical JSON as RFC 8785 has it would make different long integers one.
func canonical(body []byte) []byte {
	v := jsontext.Value(bytes.Clone(body))
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return body
	}
	return v
}

// plainOutline returns a decoded body that is no model call as lines of text.
func plainOutline(plain []byte) string {
	if v := jsontext.Value(canonical(plain)); len(v) > 0 && v.Indent(jsontext.WithIndent("  ")) == nil {
		return endLine(string(v))
	}
	if utf8.Valid(plain) {
		return endLine(string(plain))
	}
	return fmt.Sprintf("%d bytes, SHA-256 %x\n", len(plain), sha256.Sum256(plain))
}

// endLine returns s with exactly one line end after it, or nothing when s is blank.
func endLine(s string) string {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return ""
	}
	return s + "\n"
}

// bodyOf reads the recorded request body of x, nil when it is larger than maxRead.
func bodyOf(ctx context.Context, src Source, x *tape.Exchange) ([]byte, error) {
	b := x.Request.Body
	if b.Size == 0 || b.Size > maxRead {
		return nil, nil
	}
	r, err := src.Body(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("opening the request body of exchange %s/%d: %w", x.Session, x.Seq, err)
	}
	defer r.Close()
	body := bytes.NewBuffer(make([]byte, 0, int(b.Size)+bytes.MinRead))
	if _, err := body.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("reading the request body of exchange %s/%d: %w", x.Session, x.Seq, err)
	}
	return slices.Clip(body.Bytes()), nil
}
