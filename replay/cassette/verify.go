package cassette

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/coding"
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
	// Damage says that it is no secret: the file cannot be read, or is not as it was written.
	Damage bool
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

// VerifyFile looks for secrets in a file: a cassette, where it also checks that it can be read and is as it was written, or any
// other file of JSON or text. The error is one of reading the file, or that it is a tape, whose bodies are packed, or holds
// nothing.
func VerifyFile(ctx context.Context, path string, rules redact.Rules) ([]Problem, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{Path: path, Err: err, Hint: "check the path"}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &Error{Path: path, Err: errors.Join(err, errors.New("it is no regular file")), Hint: hintFile}
	}
	head, err := firstBytes(path)
	switch {
	case err != nil:
		return nil, &Error{Path: path, Err: err}
	case bytes.HasPrefix(head, []byte(tapeMark)):
		return nil, &Error{Path: path, Err: fmt.Errorf("%w: it is a tape", ErrNotCassette), Hint: "exodeck cassette export --tape FILE makes a cassette of it, which can be verified"}
	case len(bytes.TrimSpace(head)) == 0 && len(head) < sniffed:
		return nil, &Error{Path: path, Err: fmt.Errorf("%w: there is nothing in it", ErrNotCassette), Hint: hintAgain}
	}
	problems, err := Verify(ctx, f, rules)
	if looksLikeCassette(head) && ctx.Err() == nil {
		c, openErr := Open(path)
		if e, ok := errors.AsType[*Error](openErr); ok { // which explains err too
			return append([]Problem{e.problem()}, problems...), nil
		}
		err = errors.Join(err, c.Close())
	}
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	return problems, nil
}

// problem is e as a problem of the file.
func (e *Error) problem() Problem {
	what := e.Err.Error()
	if e.Hint != "" {
		what += " (" + e.Hint + ")"
	}
	return Problem{Line: e.Line, Field: e.Field, What: what, Damage: true}
}

// looksLikeCassette reports whether a file with this beginning is a cassette, be it written by hand. Pairs of requests and
// responses have no methods.
func looksLikeCassette(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, byteOrderMark), []byte("\n"))
	switch leading(line) {
	case "cassette", "session":
		return true
	case "exchange":
		return bytes.Contains(line, []byte(`"method"`))
	}
	return false
}

// Verify looks for secrets in JSON texts that follow each other, as the lines of a cassette do, or in any other text. A body whose
// content coding cannot be undone is a problem too.
func Verify(ctx context.Context, r io.Reader, rules redact.Rules) ([]Problem, error) {
	v := &verifier{ctx: ctx, scanner: redact.NewScanner(rules)}
	in := bufio.NewReaderSize(r, 256<<10)
	head, err := in.Peek(sniffed)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.HasPrefix(head, byteOrderMark) {
		if _, err := in.Discard(len(byteOrderMark)); err != nil {
			return nil, err
		}
	}
	if !looksLikeText(head) {
		return v.other(in)
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
	v.problems = append(v.problems, Problem{Line: v.line, Field: field, What: what})
	if len(v.problems) >= maxProblems {
		v.problems = append(v.problems, Problem{What: fmt.Sprintf("there may be more; these are the first %d", maxProblems)})
		return errEnough
	}
	return nil
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
		if len(raw) < minVerified && !at.isCoding() {
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
		name, err := v.name(field, at.name)
		if err != nil {
			return err
		}
		kind := v.dec.PeekKind()
		if at.name == "body" && (kind == '{' || kind == '[') || at.name == "request" && in == nil && kind == '{' {
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

// name looks at the name of a member, and returns the field that it is with as much of a secret as may be shown.
func (v *verifier) name(field, name string) (string, error) {
	found := v.scanner.Scan([]byte(name), 0)
	if len(found) > 0 {
		name = found[0].Begins
	}
	if field != "" {
		name = field + "." + name
	}
	return name, v.found(name, found)
}

// body looks at a body that is embedded as JSON, of which some texts are split over several strings, or at a request that may be one.
func (v *verifier) body(field string, at *spot) error {
	raw, err := v.dec.ReadValue()
	if err != nil {
		return err
	}
	raw = bytes.Clone(raw)
	at.pair = at.name == "request" && at.in == nil && !hasMember(raw, "method")
	if err := v.members(field, at, raw); err != nil {
		return err
	}
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
	if at.isCoding() {
		at.in.in.coded += string(text) + ","
	}
	if err := v.credential(field, at, string(text)); err != nil {
		return err
	}
	if err := v.members(field, at, text); err != nil {
		return err
	}
	if at != nil && (at.name == "base64" || at.name == "base64_string") {
		if data, err := base64.StdEncoding.DecodeString(string(text)); err == nil {
			return v.binary(field, at, data)
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

// binary looks at a body that is no text. It may still be coded, in a cassette of others or because it could not be decoded when it
// was exported.
func (v *verifier) binary(field string, at *spot, data []byte) error {
	if coded := at.coding(); coded != "" && len(data) > 0 {
		codings := coding.Of(http.Header{"Content-Encoding": {coded}})
		plain, _, err := undo(data, codings, nil)
		if err != nil {
			return v.add(field, fmt.Sprintf("a body whose content coding (%.40s) cannot be undone, so that nobody knows what is in it: %v", strings.Join(codings, ", "), err))
		}
		data = plain
	}
	if err := v.members(field, at, data); err != nil {
		return err
	}
	return v.found(field, v.scanner.ScanBody(data, ""))
}

// minNamed is how long a value is that can be a credential because of a name that somebody chose.
const minNamed = 8

// credential looks at values that are secrets because of where they stand: of headers, cookies and query parameters that carry credentials.
func (v *verifier) credential(field string, at *spot, text string) error {
	if at == nil {
		return nil
	}
	parent := at.in
	if parent == nil {
		parent = &spot{}
	}
	if at.name == "name" {
		parent.named = text
	}
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
	case parent.name == "labels" && record.CredentialHeader(at.name) && len(text) >= minNamed && !harmless(text):
		return v.add(field, "a value of a label that is named as a credential")
	case (parent.name == "headers" || parent.name == "trailers" || parent.name == "trailer") && record.CredentialHeader(at.name) && !harmless(text):
		return v.add(field, "a value of a header that carries credentials")
	case at.name == "value" && (parent.name == "headers" && record.CredentialHeader(parent.named) || parent.name == "cookies") && !harmless(text):
		return v.add(field, fmt.Sprintf("a value of %s, which carries credentials", parent.named))
	case at.name == "value" && parent.name == "queryString" && record.CredentialParam(parent.named) && !harmless(text):
		return v.add(field, fmt.Sprintf("a value of the query parameter %s", parent.named))
	case at.name == "value" && parent.name == "params" && record.CredentialParam(parent.named) && !harmless(text):
		return v.add(field, fmt.Sprintf("a value of the form field %s", parent.named))
	case parent.name == "form" && record.CredentialParam(at.name) && !harmless(text):
		return v.add(field, fmt.Sprintf("a value of the form field %s", at.name))
	case parent.name == "headers" || parent.name == "trailers" || parent.name == "trailer" || at.name == "cause" || at.name == "reason":
		return v.said(field, text)
	}
	return nil
}

// said looks at a text of a program for the URLs it tells of.
func (v *verifier) said(field, text string) error {
	found := false
	record.MapParams(text, func(value string) string {
		plain, err := url.QueryUnescape(value)
		if err != nil {
			plain = value
		}
		found = found || len(plain) >= minNamed && !harmless(value)
		return value
	})
	if !found {
		return nil
	}
	return v.add(field, "a value of a parameter that carries a credential, in a URL")
}

// members looks at the members of a request body that carry credentials.
func (v *verifier) members(field string, at *spot, body []byte) error {
	if !at.isRequestBody() {
		return nil
	}
	for _, m := range redact.Members(body) {
		if harmless(string(m.Value)) {
			continue
		}
		if err := v.add(field, fmt.Sprintf("a value of the member %s", m.Name)); err != nil {
			return err
		}
	}
	return nil
}

// harmless reports whether a value stands for a credential instead of being one.
func harmless(value string) bool {
	if plain, err := url.QueryUnescape(value); err == nil {
		value = plain
	}
	_, value = record.CutScheme(value)
	return value == "" || record.StandsIn(value)
}

func (v *verifier) found(field string, found []redact.Finding) error {
	for _, f := range found {
		if err := v.add(field, f.String()); err != nil {
			return err
		}
	}
	return nil
}
