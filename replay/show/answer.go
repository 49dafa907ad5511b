package show

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/replay/wire"
)

func (p *printer) answer(a *wire.Answer) {
	var text strings.Builder
	start := p.b.Len()
	for _, b := range a.Blocks {
		if b.Kind == wire.BlockToolCall {
			if b.Call < 0 {
				p.indented("", "calls a tool that the final response does not have")
			} else {
				p.indented("", call(a.ToolCalls[b.Call]))
			}
			continue
		}
		if b.Text == "" {
			continue // exo puts an empty text beside calls
		}
		switch b.Kind {
		case wire.BlockText:
			text.WriteString(b.Text)
			p.indented("", b.Text)
		case wire.BlockRefusal:
			p.indented("refuses: ", b.Text)
		case wire.BlockReasoning:
			p.indented("thinks: ", b.Text)
		}
	}
	if a.Text != text.String() {
		p.indented("in the end: ", a.Text)
	}
	if e := a.Error; e != nil {
		message := brief(string(e.Raw))
		if e.Message != nil {
			message = *e.Message
		}
		p.indented("error ("+string(e.Kind)+"): ", message)
	}
	if p.b.Len() == start {
		p.line("  (nothing)")
	}
	p.line("")
	finish := "none"
	if a.FinishReason != nil {
		finish = *a.FinishReason
	}
	if !a.Complete {
		finish += ", without the end marker"
	}
	p.fact("finish", "%s", finish)
	if u := a.Usage; u != nil {
		p.fact("usage", "%s", usage(u))
	}
	if s := a.Stats; s != nil && s.GenerationTPS != nil {
		p.fact("exo says", "%.1f tokens/s", *s.GenerationTPS)
	}
	if n := len(a.Unknown); n > 0 {
		p.fact("unknown", "%s of a kind this API does not have", Count(n, "part"))
	}
	if n := len(a.Malformed); n > 0 {
		p.fact("malformed", "%s", Count(n, "event"))
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
