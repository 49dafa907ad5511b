package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// bodyShown is how much of a body that is no conversation is printed.
const bodyShown = 4 << 10

// Exchange is an exchange with its bodies as they went over the wire.
type Exchange struct {
	*tape.Exchange
	RequestBody, ResponseBody []byte
}

// Conversation prints an exchange to be read from top to bottom: what it was, what was asked, what came. Exchanges that are
// no model calls are shown with their bodies.
func Conversation(w io.Writer, x Exchange) error {
	p := &printer{}
	p.head(x.Exchange)
	request, err := wire.ParseRequest(x.Facts.API, x.RequestBody)
	if err == nil {
		p.request(request)
	} else {
		p.body("request body", x.RequestBody)
	}
	p.line("")
	p.line("──── response ────")
	switch answer, err := answerOf(x); {
	case err == nil && answer != nil:
		p.answer(answer)
	default:
		p.body("response body", x.ResponseBody)
	}
	_, err = w.Write(p.b.Bytes())
	return err
}

// answerOf reads the response of a model call; nil when there is none to read.
func answerOf(x Exchange) (*wire.Answer, error) {
	if !x.Facts.API.Model() || x.Response.Status == 0 {
		return nil, nil
	}
	return wire.ParseResponse(x.Facts.API, x.Facts.Stream, bytes.NewReader(x.ResponseBody))
}

// printer gathers lines. Writing to memory does not fail, so only the end of it has an error to report.
type printer struct{ b bytes.Buffer }

func (p *printer) line(format string, args ...any) {
	if len(args) == 0 {
		p.b.WriteString(format)
	} else {
		fmt.Fprintf(&p.b, format, args...)
	}
	p.b.WriteByte('\n')
}

// block prints text indented below a heading.
func (p *printer) block(heading, text string) {
	p.line("%s", heading)
	for l := range strings.Lines(text) {
		p.line("  %s", Printable(strings.TrimSuffix(l, "\n")))
	}
}

func (p *printer) head(x *tape.Exchange) {
	mode := "whole"
	if x.Facts.Stream {
		mode = "streamed"
	}
	status := "no response"
	if x.Response.Status != 0 {
		status = strings.TrimSpace(fmt.Sprintf("%d %s", x.Response.Status, Phrase(x.Response)))
	}
	p.line("%s/%d  %s %s → %s", x.Session, x.Seq, x.Request.Method, Printable(x.Request.URL), status)
	p.line("  api       %s, %s", x.Facts.API, mode)
	if x.Facts.Model != "" {
		p.line("  model     %s", Printable(x.Facts.Model))
	}
	p.line("  started   %s", x.Started.UTC().Format("2006-01-02 15:04:05.000 MST"))
	p.line("  timing    first byte %s, total %s, %d pieces", milliseconds(x.TTFB), milliseconds(x.Total), len(x.Pieces))
	ended := string(x.Ended)
	if x.Ended == tape.InFlight {
		ended = "in flight"
	}
	if x.Cause != "" {
		ended += ": " + Printable(x.Cause)
	}
	p.line("  ended     %s", ended)
	if len(x.Labels) > 0 {
		var labels []string
		for _, k := range slices.Sorted(maps.Keys(x.Labels)) {
			labels = append(labels, Printable(k+"="+x.Labels[k]))
		}
		p.line("  labels    %s", strings.Join(labels, "  "))
	}
	p.line("")
}

// Phrase is the reason phrase that was on the wire.
func Phrase(r tape.Response) string {
	if r.Reason != "" || r.NoReason {
		return r.Reason
	}
	return http.StatusText(r.Status)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
}

func (p *printer) request(r *wire.Request) {
	if len(r.Tools) > 0 {
		p.line("tools")
		for _, t := range r.Tools {
			p.line("  %s", tool(t))
		}
	}
	if r.System != "" {
		p.block("system", r.System)
	}
	for _, m := range r.Messages {
		p.message(m)
	}
	if len(r.Options) > 0 {
		var options []string
		for _, f := range r.Options {
			options = append(options, f.Name+"="+string(f.Value))
		}
		p.line("options")
		p.line("  %s", Printable(strings.Join(options, "  ")))
	}
}

// tool is a tool as a signature: its name, its parameters (a star marks required ones), what it is for.
func tool(t wire.Tool) string {
	if t.Name == "" {
		return Printable(string(t.Raw))
	}
	var schema struct {
		Properties json.RawMessage
		Required   []string
	}
	// A schema that is none shows as a tool without parameters.
	_ = json.Unmarshal(t.Schema, &schema)
	var params []string
	for _, name := range keys(schema.Properties) {
		if slices.Contains(schema.Required, name) {
			name += "*"
		}
		params = append(params, name)
	}
	s := t.Name + "(" + strings.Join(params, ", ") + ")"
	if t.Description != "" {
		first, _, _ := strings.Cut(t.Description, "\n")
		s += "  " + first
	}
	return Printable(s)
}

// keys returns the member names of a JSON object as they stand.
func keys(object json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(object))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	var names []string
	for dec.More() {
		tok, err := dec.Token()
		name, ok := tok.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			break
		}
		names = append(names, name)
	}
	return names
}

func (p *printer) message(m wire.Message) {
	heading := m.Role
	if m.Name != "" {
		heading += " (" + m.Name + ")"
	}
	p.line("%s", Printable(heading))
	for _, part := range m.Parts {
		switch part.Kind {
		case wire.PartText:
			p.indented("", part.Text)
		case wire.PartReasoning:
			p.indented("thinks: ", part.Text)
		case wire.PartImage:
			p.indented("", image(part.Image))
		case wire.PartToolCall:
			p.indented("", call(*part.Call))
		case wire.PartToolResult:
			prefix := "result"
			if part.Result.CallID != "" {
				prefix += " of " + part.Result.CallID
			}
			if part.Result.IsError {
				prefix += " (an error)"
			}
			p.indented(prefix+": ", part.Result.Text)
		default:
			p.indented("", string(part.Raw))
		}
	}
}

// indented prints text below a heading, its first line behind prefix.
func (p *printer) indented(prefix, text string) {
	if text == "" {
		p.line("  %s(empty)", prefix)
		return
	}
	for l := range strings.Lines(text) {
		p.line("  %s%s", prefix, Printable(strings.TrimSuffix(l, "\n")))
		prefix = strings.Repeat(" ", utf8.RuneCountInString(prefix))
	}
}

func image(i *wire.Image) string {
	if i.URL != "" {
		return "[image " + i.URL + "]"
	}
	return fmt.Sprintf("[image %s, %d bytes]", i.MediaType, i.Size)
}

func call(c wire.ToolCall) string {
	s := "calls " + c.Name + " " + c.Arguments
	if c.ID != "" {
		s += "  (" + c.ID + ")"
	}
	return s
}

func (p *printer) answer(a *wire.Answer) {
	for _, b := range a.Blocks {
		if b.Kind != wire.BlockToolCall && b.Text == "" {
			continue // exo puts an empty text beside calls
		}
		switch b.Kind {
		case wire.BlockText, wire.BlockRefusal:
			p.indented("", b.Text)
		case wire.BlockReasoning:
			p.indented("thinks: ", b.Text)
		case wire.BlockToolCall:
			p.indented("", call(a.ToolCalls[b.Call]))
		}
	}
	if e := a.Error; e != nil {
		message := string(e.Raw)
		if e.Message != nil {
			message = *e.Message
		}
		p.indented("error ("+string(e.Kind)+"): ", message)
	}
	p.line("")
	finish := "none"
	if a.FinishReason != nil {
		finish = *a.FinishReason
	}
	if !a.Complete {
		finish += ", without the end marker"
	}
	p.line("  finish    %s", Printable(finish))
	if u := a.Usage; u != nil {
		p.line("  usage     %s", usage(u))
	}
	if s := a.Stats; s != nil && s.GenerationTPS != nil {
		p.line("  exo says  %.1f tokens/s", *s.GenerationTPS)
	}
	if n := len(a.Unknown); n > 0 {
		p.line("  unknown   %d events or parts of a kind this API does not have", n)
	}
	if n := len(a.Malformed); n > 0 {
		p.line("  malformed %d events", n)
	}
}

func usage(u *wire.Usage) string {
	var parts []string
	for _, c := range []struct {
		name  string
		count *int64
	}{{"in", u.Input}, {"out", u.Output}, {"total", u.Total}, {"cached", u.Cached}, {"reasoning", u.Reasoning}} {
		if c.count != nil {
			parts = append(parts, fmt.Sprintf("%d %s", *c.count, c.name))
		}
	}
	return strings.Join(parts, ", ")
}

// body prints a body that is no conversation: JSON indented, other text as it is, anything else by its size.
func (p *printer) body(name string, body []byte) {
	if len(body) == 0 {
		p.line("%s: empty", name)
		return
	}
	text := string(body)
	var indented bytes.Buffer
	if json.Indent(&indented, body, "", "  ") == nil {
		text = indented.String()
	} else if !utf8.Valid(body) {
		p.line("%s: %d bytes that are no text; --raw prints them", name, len(body))
		return
	}
	rest := len(text) - bodyShown
	if rest > 0 {
		text = strings.ToValidUTF8(text[:bodyShown], "")
	}
	p.block(name, text)
	if rest > 0 {
		p.line("  … and %d bytes more; --raw prints all", rest)
	}
}

// Printable makes text safe for a terminal: control characters, which could move the cursor or rewrite what stands above, are shown as
// Go escapes.
func Printable(s string) string {
	clean := true
	for _, r := range s {
		if unsafeRune(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unsafeRune(r) {
			q := fmt.Sprintf("%q", r)
			b.WriteString(q[1 : len(q)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unsafeRune(r rune) bool {
	return r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
