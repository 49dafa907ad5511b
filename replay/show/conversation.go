package show

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

// Conversation prints an exchange to be read from top to bottom: what it was, what was asked, what came. Exchanges that are
// no model calls are shown with their bodies. Of pictures and of other data that is not for reading it prints size and type.
func Conversation(w io.Writer, x *reading.Exchange) error {
	p := &printer{}
	recorded := x.Exchange
	p.head(recorded)
	if x.Request != nil {
		p.request(x.Request)
	} else {
		p.body("request body", recorded.Request.Header, x.RequestBody, recorded.Request.Body.Size, false)
	}
	p.line("")
	p.line("──── response ────")
	if x.Answer != nil {
		p.answer(x.Answer)
	} else {
		p.body("response body", recorded.Response.Header, x.ResponseBody, recorded.Response.Body.Size, true)
	}
	_, err := w.Write(p.b.Bytes())
	return err
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

// fact prints one line of a list of facts.
func (p *printer) fact(name, format string, args ...any) {
	p.line("  %-9s %s", name, Printable(fmt.Sprintf(format, args...)))
}

// block prints text indented below a heading.
func (p *printer) block(heading, text string) {
	p.line("%s", heading)
	for l := range strings.Lines(text) {
		p.line("  %s", printableLine(l))
	}
}

// indented prints text below a heading, its first line behind prefix.
func (p *printer) indented(prefix, text string) {
	prefix = Printable(prefix)
	if text == "" {
		p.line("  %s(empty)", prefix)
		return
	}
	for l := range strings.Lines(text) {
		p.line("  %s%s", prefix, printableLine(l))
		prefix = strings.Repeat(" ", utf8.RuneCountInString(prefix))
	}
}

// Undated reports whether a time only tells the order of exchanges: those of a cassette that does not say when they started are counted
// from 1970 on.
func Undated(t time.Time) bool { return t.UTC().Year() <= 1970 }

func (p *printer) head(x *tape.Exchange) {
	mode := "whole"
	if x.Facts.Stream {
		mode = "streamed"
	}
	status := "no response"
	if x.Response.Status != 0 {
		status = strings.TrimSpace(fmt.Sprintf("%d %s", x.Response.Status, Phrase(x.Response)))
	}
	p.line("%s", Printable(fmt.Sprintf("%s/%d  %s %s → %s", x.Session, x.Seq, x.Request.Method, x.Request.URL, status)))
	p.fact("api", "%s, %s", x.Facts.API, mode)
	if x.Facts.Model != "" {
		p.fact("model", "%s", x.Facts.Model)
	}
	if !Undated(x.Started) {
		p.fact("started", "%s", x.Started.UTC().Format("2006-01-02 15:04:05.000 MST"))
	}
	if x.Total > 0 {
		first := ""
		if x.TTFB > 0 {
			first = "first byte " + milliseconds(x.TTFB) + ", "
		}
		p.fact("timing", "%stotal %s, %s", first, milliseconds(x.Total), Count(len(x.Pieces), "piece"))
	}
	ended := string(x.Ended)
	if x.Ended == tape.InFlight {
		ended = "in flight"
	}
	if x.Cause != "" {
		ended += ": " + x.Cause
	}
	p.fact("ended", "%s", ended)
	if len(x.Labels) > 0 {
		var labels []string
		for _, k := range slices.Sorted(maps.Keys(x.Labels)) {
			labels = append(labels, k+"="+x.Labels[k])
		}
		p.fact("labels", "%s", strings.Join(labels, "  "))
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
