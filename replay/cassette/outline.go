package cassette

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/go-json-experiment/json/jsontext"
)

// Outline is an exchange as lines of text, one a fact, made to be compared: what was asked, and what the answer says, however it
// was cut and framed. Times, headers and the ids of answers are not in it.
func (x *Entry) Outline() string { return x.requestOutline() + x.responseOutline() }

func (x *Entry) requestOutline() string {
	head := x.Request.Method + " " + x.Request.URL + "\n"
	if x.Facts.API.Model() {
		if parsed, err := wire.ParseRequest(x.Facts.API, x.RequestBody); err == nil {
			return head + parsed.Outline()
		}
	}
	return head + bodyOutline("asked", x.RequestBody)
}

func (x *Entry) responseOutline() string {
	var b strings.Builder
	if x.Response.Status != 0 {
		fmt.Fprintf(&b, "status %d %s\n", x.Response.Status, http.StatusText(x.Response.Status))
	}
	if x.Ended != tape.Complete {
		fmt.Fprintf(&b, "ended %s %s\n", x.Ended, x.Cause)
	}
	if x.Response.Status == 0 {
		return b.String()
	}
	if x.Facts.API.Model() {
		stream := wire.Streamed(x.Facts.API, x.Response.Header.Get("Content-Type"), x.ResponseBody[:min(len(x.ResponseBody), wire.SniffLen)])
		// Reading from memory does not fail, and the API is one of model calls.
		if answer, err := wire.ParseResponse(x.Facts.API, stream, bytes.NewReader(x.ResponseBody)); err == nil {
			answerOutline(&b, answer)
			return b.String()
		}
	}
	b.WriteString(bodyOutline("answer", x.ResponseBody))
	return b.String()
}

func answerOutline(b *strings.Builder, a *wire.Answer) {
	if a.Stream {
		b.WriteString("answer streamed\n")
	}
	text := func(name, text string) {
		if text == "" {
			return
		}
		for line := range strings.SplitSeq(text, "\n") {
			fmt.Fprintf(b, "answer %s | %s\n", name, line)
		}
	}
	text("reasoning", a.Reasoning)
	text("text", a.Text)
	text("refusal", a.Refusal)
	for i, c := range a.ToolCalls {
		fmt.Fprintf(b, "answer call %d %s\n", i+1, c.Name)
		b.WriteString(bodyOutline("  arguments", []byte(c.Arguments)))
	}
	if e := a.Error; e != nil {
		message := string(e.Raw)
		if e.Message != nil {
			message = *e.Message
		}
		text("error "+string(e.Kind), message)
	}
	finish := "none"
	if a.FinishReason != nil {
		finish = *a.FinishReason
	}
	fmt.Fprintf(b, "answer finish %s\n", finish)
	if !a.Complete {
		b.WriteString("answer without an end marker\n")
	}
	if u := a.Usage; u != nil {
		b.WriteString("answer usage")
		for _, c := range []struct {
			name  string
			count *int64
		}{{"in", u.Input}, {"out", u.Output}, {"total", u.Total}, {"cached", u.Cached}, {"reasoning", u.Reasoning}} {
			if c.count != nil {
				fmt.Fprintf(b, " %d %s", *c.count, c.name)
			}
		}
		b.WriteString("\n")
	}
	for _, e := range a.Malformed {
		fmt.Fprintf(b, "answer malformed: %s: %.200q\n", e.What, e.Data)
	}
}

// bodyOutline writes a body line by line: JSON in canonical form and indented, text as it is, and of anything else its digest.
func bodyOutline(name string, body []byte) string {
	if len(body) == 0 {
		return ""
	}
	v := jsontext.Value(bytes.Clone(body))
	text := string(body)
	switch {
	case v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) == nil && v.Indent(jsontext.WithIndent("  ")) == nil:
		text = string(v)
	case !utf8.Valid(body):
		text = fmt.Sprintf("%d bytes, SHA-256 %x", len(body), sha256.Sum256(body))
	}
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(&b, "%s | %s\n", name, line)
	}
	return b.String()
}
