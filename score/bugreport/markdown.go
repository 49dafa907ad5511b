package bugreport

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/conformance"
)

const (
	// conversationLimit and evidenceLimit are how many bytes of the conversation and of the bytes around a problem are shown. Issue
	// trackers take some 64 KB; the cassette has all.
	conversationLimit = 12 << 10
	evidenceLimit     = 1 << 10
	// commandLimit is how many bytes of the command that asks again are shown.
	commandLimit = 24 << 10
)

// WriteMarkdown writes the report. beside is the name of the file that the cassette is in; "" when it is in none.
func (r *Report) WriteMarkdown(w io.Writer, beside string) error {
	var b bytes.Buffer
	r.head(&b)
	r.problems(&b)
	r.fault(&b)
	if err := r.conversation(&b); err != nil {
		return err
	}
	r.smallest(&b)
	r.foot(&b, beside)
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) head(b *bytes.Buffer) {
	x := r.Exchange.Exchange
	title := "no problem shows without the secrets"
	if codes := r.codes(); len(codes) > 0 {
		title = strings.Join(codes, ", ")
	}
	mode := "whole answer"
	if r.Verdict.Stream {
		mode = "streamed answer"
	}
	fmt.Fprintf(b, "# %s (%s, %s)\n\n", title, x.Facts.API, mode)
	fmt.Fprintf(b, "- request: %s\n", code(x.Request.Method+" "+x.Request.URL))
	if x.Facts.Model != "" {
		fmt.Fprintf(b, "- model: %s\n", code(x.Facts.Model))
	}
	fmt.Fprintf(b, "- status: %d, ended: %s\n", x.Response.Status, x.Ended)
	fmt.Fprintf(b, "- verdict: calls %s, protocol %s\n", words(r.Verdict.Calls), words(r.Verdict.Protocol))
}

func (r *Report) problems(b *bytes.Buffer) {
	b.WriteString("\n## What is wrong\n\n")
	shown := make(map[int64]bool) // the events that stand there already, by where they begin
	for _, p := range r.Verdict.Problems {
		times := ""
		if p.Count > 1 {
			times = fmt.Sprintf(", %d times", p.Count)
		}
		fmt.Fprintf(b, "- %s `%s` (%s%s): %s\n", p.Severity, p.Code, code(p.Where.String()), times, code(p.Detail))
		if c, ok := conformance.CodeOf(p.Code); ok {
			fmt.Fprintf(b, "  Meaning: %s.\n", c.What)
		}
		if text := r.bytesAt(p.Where); text != "" && !shown[*p.Where.Offset] {
			shown[*p.Where.Offset] = true
			b.WriteString("\n")
			fence(b, "  ", "", text, evidenceLimit)
		}
	}
	if len(r.Hidden) > 0 {
		fmt.Fprintf(b, "\nThese show only with the secrets that were taken out: %s.\n", strings.Join(r.Hidden, ", "))
	}
}

// bytesAt is the event of a stream that shows a problem; "" when none does.
func (r *Report) bytesAt(w conformance.Where) string {
	if w.In != conformance.InResponse || w.Offset == nil || *w.Offset < 0 || *w.Offset >= int64(len(r.Exchange.ResponseBody)) {
		return ""
	}
	event := r.Exchange.ResponseBody[*w.Offset:]
	separator := "\n\n"
	if !bytes.HasPrefix(event, []byte("data:")) && !bytes.HasPrefix(event, []byte("event:")) {
		separator = "\n"
	}
	text, _, _ := bytes.Cut(bytes.ReplaceAll(event[:min(len(event), 2*evidenceLimit)], []byte("\r\n"), []byte("\n")), []byte(separator))
	return string(text)
}

func (r *Report) fault(b *bytes.Buffer) {
	b.WriteString("\n## Whose fault\n\n")
	v := r.Verdict
	if v.Blame == nil {
		b.WriteString("Nobody's.\n")
		return
	}
	fmt.Fprintf(b, "%s.\n", faults[*v.Blame])
	if len(v.Evidence)+len(v.Recovered) > 0 {
		b.WriteString("\n")
	}
	for _, e := range v.Evidence {
		fmt.Fprintf(b, "- %s\n", code(e))
	}
	for _, c := range v.Recovered {
		fmt.Fprintf(b, "- meant was %s (%s, in the %s)\n", code(c.Name+" "+string(c.Arguments)), c.Family, c.From)
	}
}

// faults says whose fault it is in words.
var faults = map[conformance.Side]string{
	conformance.Model:   "The model's: it wrote no well-formed call, or not what was asked for",
	conformance.Server:  "The server's: the answer is not what the API promises, or not what the model wrote",
	conformance.Adapter: "That of the server's adapter for this API: another API or the other mode got it right",
	conformance.Client:  "The client's: the request is at fault, or it went away",
	conformance.Unknown: "It cannot be told from the exchange",
}

func (r *Report) conversation(b *bytes.Buffer) error {
	var text strings.Builder
	if err := show.Conversation(&text, r.Exchange); err != nil {
		return fmt.Errorf("printing the conversation: %w", err)
	}
	b.WriteString("\n## What was asked, and what came\n\n")
	fence(b, "", "text", text.String(), conversationLimit)
	return nil
}

func (r *Report) smallest(b *bytes.Buffer) {
	if s := r.Smallest; s != nil {
		fmt.Fprintf(b, "\n## The smallest request\n\nWith %d of %d messages and %d of %d tools the recorded answer still has the same problems.\n\n",
			s.Messages.Left, s.Messages.Of, s.Tools.Left, s.Tools.Of)
	} else {
		b.WriteString("\n## The request\n\n")
	}
	fence(b, "", "sh", r.Command, commandLimit)
}

func (r *Report) foot(b *bytes.Buffer, beside string) {
	b.WriteString("\n## Recording\n\n")
	if beside != "" {
		fmt.Fprintf(b, "%s holds the exchange, every byte and when it came. `exodeck score conformance` judges it again.\n", code(beside))
	}
	secrets := "No secrets were found"
	if r.Secrets > 0 {
		secrets = fmt.Sprintf("Secrets were taken out, %d in all", r.Secrets)
	}
	digest := r.Exchange.Digest()
	fmt.Fprintf(b, "%s. The digest of the exchange is `%x`.\n\nMade by %s.\n", secrets, digest[:], code(r.generator))
}

func words(v conformance.Verdict) string { return strings.ReplaceAll(string(v), "_", " ") }

// code writes text of others in one line, as code.
func code(s string) string {
	s = show.Printable(strings.Join(strings.Fields(s), " "))
	if s == "" {
		return "(nothing)"
	}
	ticks := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// fence writes text of others as a block of code, at most limit bytes of it.
func fence(b *bytes.Buffer, indent, language, text string, limit int) {
	left := len(text) - limit
	if left > 0 {
		text = text[:limit]
	}
	ticks := strings.Repeat("`", max(longestRun(text)+1, 3))
	fmt.Fprintf(b, "%s%s%s\n", indent, ticks, language)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(b, "%s%s\n", indent, show.Printable(line))
	}
	fmt.Fprintf(b, "%s%s\n", indent, ticks)
	if left > 0 {
		fmt.Fprintf(b, "\n%s%d more bytes are left out.\n", indent, left)
	}
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
