package thread

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/replay/wire"
)

// shown is how many bytes of one text are printed. Of longer ones, such as files that an agent reads, the rest is told by its size.
const shown = 4 << 10

// Print prints a conversation to be read from top to bottom, each message once: where it was said first. load reads the
// exchange of a turn.
func Print(w io.Writer, t *Thread, load func(tape.Ref) (*reading.Exchange, error)) error {
	p := &printer{}
	for i, turn := range t.Turns {
		x, err := load(turn.Ref)
		if err != nil {
			return err
		}
		p.heading(t, i, x)
		p.turn(turn, x)
	}
	_, err := w.Write(p.b.Bytes())
	return err
}

// printer gathers lines. Writing to memory does not fail.
type printer struct{ b bytes.Buffer }

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *printer) heading(t *Thread, i int, x *reading.Exchange) {
	turn := t.Turns[i]
	if i > 0 {
		p.line("")
	}
	when := ""
	if !show.Undated(turn.Started) {
		when = turn.Started.UTC().Format(" · 2006-01-02 15:04:05 MST")
	}
	if turn.Total > 0 {
		when += " · " + turn.Total.Round(time.Millisecond).String()
	}
	p.line("──── turn %d · %s/%d%s%s ────", i+1, turn.Session, turn.Seq, when, relation(turn))
	if i == 0 {
		if x.Request.Model != "" {
			p.line("model %s", show.Printable(x.Request.Model))
		}
		if len(x.Request.Tools) > 0 {
			names := make([]string, len(x.Request.Tools))
			for i, tool := range x.Request.Tools {
				names[i] = tool.Name
			}
			p.line("tools %s", show.Printable(strings.Join(names, ", ")))
		}
		p.said("system", "", x.Request.System)
	} else if before := t.Turns[turn.After].Model; turn.Model != before {
		p.line("model %s", show.Printable(turn.Model))
	}
}

// relation says what is out of the ordinary in the way a turn belongs to its conversation.
func relation(turn *Turn) string {
	switch {
	case turn.Link == Retries:
		return fmt.Sprintf(" · again turn %d, which failed", turn.After+1)
	case turn.Link == Edited:
		return fmt.Sprintf(" · after turn %d, whose answer the client has changed", turn.After+1)
	case turn.Branch:
		return fmt.Sprintf(" · branches off after turn %d", turn.After+1)
	case turn.Link == Continues && turn.After != turn.number-1:
		return fmt.Sprintf(" · after turn %d", turn.After+1)
	}
	return ""
}

func (p *printer) turn(turn *Turn, x *reading.Exchange) {
	// Of an answer that the client has changed, the history shows what it was changed to.
	told := turn.Told
	for turn.Link == Edited && told > 0 && x.Request.Messages[told-1].Role == "assistant" {
		told--
	}
	for _, m := range x.Request.Messages[told:] {
		p.message(m)
	}
	if x.Answer != nil {
		p.answer(x.Answer)
	}
	if x.Response.Status >= 400 {
		p.line("status %d", x.Response.Status)
	}
	switch {
	case x.Ended == tape.InFlight:
		p.line("in flight")
	case x.Ended != tape.Complete:
		p.line("%s", strings.TrimSuffix("ended "+string(x.Ended)+": "+show.Printable(x.Cause), ": "))
	}
}

func (p *printer) message(m wire.Message) {
	role := m.Role
	if m.Name != "" {
		role += " (" + m.Name + ")"
	}
	for _, part := range m.Parts {
		switch part.Kind {
		case wire.PartText:
			p.said(role, "", part.Text)
		case wire.PartReasoning:
			p.said(role, "thinks: ", part.Text)
		case wire.PartImage:
			p.said(role, "", "["+part.Image.String()+"]")
		case wire.PartToolCall:
			p.call(role, part.Call)
		case wire.PartToolResult:
			p.result(part.Result)
		default:
			p.said(role, "", fmt.Sprintf("[%s, %d bytes of JSON]", part.Text, len(part.Raw)))
		}
	}
}

func (p *printer) call(role string, c *wire.ToolCall) {
	p.said(role, "calls ", c.Name+" "+c.Arguments)
}

func (p *printer) result(r *wire.ToolResult) {
	prefix := ""
	if r.IsError {
		prefix = "an error: "
	}
	if r.Text != "" || len(r.Images)+len(r.Other) == 0 {
		p.said("result", prefix, r.Text)
	}
	for i := range r.Images {
		p.said("result", prefix, "["+r.Images[i].String()+"]")
	}
	for _, other := range r.Other {
		p.said("result", prefix, fmt.Sprintf("[%d bytes of JSON]", len(other)))
	}
}

func (p *printer) answer(a *wire.Answer) {
	if a.Reasoning != "" {
		p.said("assistant", "thinks: ", a.Reasoning)
	}
	if text := a.Text + a.Refusal; text != "" {
		p.said("assistant", "", text)
	}
	for i := range a.ToolCalls {
		p.call("assistant", &a.ToolCalls[i])
	}
	if e := a.Error; e != nil {
		message := string(e.Raw)
		if e.Message != nil {
			message = *e.Message
		}
		p.said("error", "", message)
	}
}

// said prints a text behind who says it, the lines after the first below it.
func (p *printer) said(who, prefix, text string) {
	if text == "" && who == "system" {
		return
	}
	rest := len(text) - shown
	if rest > 0 {
		text = strings.ToValidUTF8(text[:shown], "")
	}
	who = fmt.Sprintf("%-10s", show.Printable(who))
	if text == "" {
		p.line("%s%s(empty)", who, prefix)
	}
	for l := range strings.Lines(text) {
		p.line("%s%s%s", who, prefix, show.Printable(strings.TrimSuffix(l, "\n")))
		who, prefix = strings.Repeat(" ", utf8.RuneCountInString(who)), strings.Repeat(" ", len(prefix))
	}
	if rest > 0 {
		p.line("%s… and %d bytes more", who, rest)
	}
}
