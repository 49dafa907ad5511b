package cassette

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/go-json-experiment/json/jsontext"
)

// Problem is something in a file that should not be there, and its place.
type Problem struct {
	// Line counts lines from 1; of JSON over several lines it counts the values. It is 0 when it is no matter of one.
	Line int
	// Field is the place in the line, such as "request.headers.Authorization[0]"; "" when it cannot be told.
	Field string
	// What says what is there, without saying so much that it would be of use to anybody.
	What string
}

func (p Problem) String() string {
	s := ""
	if p.Line > 0 {
		s = fmt.Sprintf("line %d: ", p.Line)
	}
	if p.Field != "" {
		s += p.Field + ": "
	}
	return s + p.What
}

// maxProblems is how many problems are told of one file.
const maxProblems = 1000

// VerifyFile looks for secrets in a file: a cassette of ours, where it also checks that it can be read and is as it was written, or any other file of JSON or text. The error is one of
// reading the file.
func VerifyFile(ctx context.Context, path string, rules redact.Rules) ([]Problem, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{Path: path, Err: err, Hint: "check the path"}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &Error{Path: path, Err: errors.Join(err, errors.New("it is no regular file"))}
	}
	problems, err := Verify(ctx, f, rules)
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	head, err := firstBytes(path)
	if err != nil || leading(firstLine(head)) != "cassette" {
		return problems, err
	}
	c, err := Open(path)
	if e, ok := errors.AsType[*Error](err); ok {
		what := e.Err.Error()
		if e.Hint != "" {
			what += " (" + e.Hint + ")"
		}
		return append([]Problem{{e.Line, e.Field, what}}, problems...), nil
	}
	return problems, errors.Join(err, c.Close())
}

func firstLine(head []byte) []byte {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return line
}

// Verify looks for secrets in JSON texts that follow each other, as the lines of a cassette do, or in any other text.
func Verify(ctx context.Context, r io.Reader, rules redact.Rules) ([]Problem, error) {
	v := &verifier{ctx: ctx, scanner: redact.NewScanner(rules)}
	in := bufio.NewReaderSize(r, 256<<10)
	head, err := in.Peek(sniffed)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !looksLikeText(head) {
		return v.plain(in)
	}
	budget := &budgetReader{r: in, left: MaxLine}
	v.budget = budget
	v.dec = jsontext.NewDecoder(budget, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for v.line = 1; ; v.line++ {
		err := v.value("", nil)
		if errors.Is(err, errEnough) || err == io.EOF {
			return v.problems, nil
		}
		if err != nil {
			return v.problems, fmt.Errorf("line %d: %w", v.line, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// budgetReader fails when too much is read before its budget is filled up again.
type budgetReader struct {
	r    io.Reader
	left int
}

func (b *budgetReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w: a text is longer than %d MiB", ErrTooLarge, MaxLine>>20)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

type verifier struct {
	ctx      context.Context
	scanner  *redact.Scanner
	budget   *budgetReader
	dec      *jsontext.Decoder
	line     int
	problems []Problem
	buf      []byte
	depth    int
}

var errEnough = errors.New("enough problems were found")

func (v *verifier) add(field, what string) error {
	v.problems = append(v.problems, Problem{v.line, field, what})
	if len(v.problems) >= maxProblems {
		v.problems = append(v.problems, Problem{What: fmt.Sprintf("there may be more; these are the first %d", maxProblems)})
		return errEnough
	}
	return nil
}

// spot is where a value stands: the name it has, where the object stands that it is in, and what that object says.
type spot struct {
	name  string
	in    *spot
	named string // the member "name" of an object
}

// maxVerifyDepth bounds how deep JSON may be nested.
const maxVerifyDepth = 2000

// value looks at the next value.
func (v *verifier) value(field string, at *spot) error {
	v.budget.left = MaxLine
	if v.depth++; v.depth > maxVerifyDepth {
		return fmt.Errorf("%w: it is nested deeper than %d", ErrTooLarge, maxVerifyDepth)
	}
	defer func() { v.depth-- }()
	switch v.dec.PeekKind() {
	case '{':
		return v.object(field, at)
	case '[':
		if _, err := v.dec.ReadToken(); err != nil {
			return err
		}
		for i := 0; v.dec.PeekKind() != ']'; i++ {
			if err := v.value(fmt.Sprintf("%s[%d]", field, i), at); err != nil {
				return unexpected(err)
			}
		}
		_, err := v.dec.ReadToken()
		return unexpected(err)
	case '"':
		raw, err := v.dec.ReadValue()
		if err != nil {
			return err
		}
		if len(raw) < minVerified {
			return nil
		}
		v.buf, _ = jsontext.AppendUnquote(v.buf[:0], raw) // which replaces what is not UTF-8
		return v.text(field, at, v.buf)
	}
	_, err := v.dec.ReadToken()
	return err
}

// minVerified is how long a string is, with its quotes, that can hold a secret.
const minVerified = 5

// unexpected is the error for the end of the file inside a value.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (v *verifier) object(field string, in *spot) error {
	if _, err := v.dec.ReadToken(); err != nil {
		return err
	}
	for v.dec.PeekKind() != '}' {
		token, err := v.dec.ReadToken()
		if err != nil {
			return unexpected(err)
		}
		at := &spot{name: token.String(), in: in}
		name := at.name
		if field != "" {
			name = field + "." + name
		}
		if err := v.found(name, v.scanner.Scan([]byte(at.name), 0)); err != nil {
			return err
		}
		if at.name == "body" && (v.dec.PeekKind() == '{' || v.dec.PeekKind() == '[') {
			err = v.body(name, at)
		} else {
			err = v.value(name, at)
		}
		if err != nil {
			return unexpected(err)
		}
	}
	_, err := v.dec.ReadToken()
	return err
}

// body looks at a body that is embedded as JSON, of which some texts are split over several strings.
func (v *verifier) body(field string, at *spot) error {
	raw, err := v.dec.ReadValue()
	if err != nil {
		return err
	}
	raw = bytes.Clone(raw)
	if bytes.Contains(raw, []byte(`"logprobs"`)) {
		if err := v.found(field, v.scanner.ScanSplit(raw, "application/json")); err != nil {
			return err
		}
	}
	outer := v.dec
	v.dec = newDecoder(raw)
	defer func() { v.dec = outer }()
	return v.value(field, at)
}

// text looks at a string.
func (v *verifier) text(field string, at *spot, text []byte) error {
	if err := v.credential(field, at, string(text)); err != nil {
		return err
	}
	if at != nil && at.name == "base64" {
		if data, err := base64.StdEncoding.DecodeString(string(text)); err == nil {
			return v.found(field, v.scanner.ScanBody(data, ""))
		}
	}
	if err := v.found(field, v.scanner.Scan(text, 2)); err != nil {
		return err
	}
	if len(text) > 64 && sse.FormatOf("", text[:min(len(text), sse.SniffLen)]) != sse.Whole {
		return v.found(field, v.scanner.ScanSplit(text, ""))
	}
	return nil
}

// credential looks at values that are secrets because of where they stand: of headers, cookies and query parameters that carry credentials.
func (v *verifier) credential(field string, at *spot, text string) error {
	if at == nil || at.in == nil {
		return nil
	}
	if at.name == "name" {
		at.in.named = text
	}
	parent := at.in
	switch {
	case (at.name == "url" || at.name == "uri" || at.name == "URI") && strings.Contains(text, "?"):
		_, query, _ := strings.Cut(text, "?")
		for param := range strings.SplitSeq(query, "&") {
			name, value, _ := strings.Cut(param, "=")
			plain, err := url.QueryUnescape(name)
			if err == nil && record.CredentialParam(plain) && !harmless(value) {
				return v.add(field, fmt.Sprintf("a value of the query parameter %s", plain))
			}
		}
	case (parent.name == "headers" || parent.name == "trailers") && redact.CredentialHeader(at.name) && !harmless(text):
		return v.add(field, "a value of a header that carries credentials")
	case at.name == "value" && (parent.name == "headers" && redact.CredentialHeader(parent.named) || parent.name == "cookies") && !harmless(text):
		return v.add(field, fmt.Sprintf("a value of %s, which carries credentials", parent.named))
	case at.name == "value" && parent.name == "queryString" && record.CredentialParam(parent.named) && !harmless(text):
		return v.add(field, fmt.Sprintf("a value of the query parameter %s", parent.named))
	}
	return nil
}

// harmless reports whether a value stands for a credential instead of being one.
func harmless(value string) bool {
	if plain, err := url.QueryUnescape(value); err == nil {
		value = plain
	}
	if scheme, rest, ok := strings.Cut(value, " "); ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic") || strings.EqualFold(scheme, "digest")) {
		value = rest
	}
	return value == "" || strings.HasPrefix(value, "[redacted:") || strings.HasPrefix(value, "[fingerprint:")
}

func (v *verifier) found(field string, found []redact.Finding) error {
	for _, f := range found {
		if err := v.add(field, f.String()); err != nil {
			return err
		}
	}
	return nil
}

// plain looks at a text that is not JSON.
func (v *verifier) plain(r io.Reader) ([]Problem, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxLine+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxLine {
		return nil, fmt.Errorf("%w: a text that is no JSON is longer than %d MiB", ErrTooLarge, MaxLine>>20)
	}
	for _, f := range v.scanner.Scan(text, 3) {
		v.line = 1 + bytes.Count(text[:f.Offset], []byte("\n"))
		if err := v.add("", f.String()); err != nil {
			break
		}
	}
	return v.problems, nil
}
