package bugreport

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/replay/reading"
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
	if err := r.conversations(&b); err != nil {
		return err
	}
	r.commands(&b)
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
	fmt.Fprintf(b, "- exchange: %s", code(fmt.Sprintf("%s/%d", x.Session, r.Recorded)))
	if x.Seq != r.Recorded {
		fmt.Fprintf(b, " of the recording, called %s here", code(fmt.Sprintf("%s/%d", x.Session, x.Seq)))
	}
	fmt.Fprintf(b, "\n- request: %s\n", code(x.Request.Method+" "+x.Request.URL))
	if x.Facts.Model != "" {
		fmt.Fprintf(b, "- model: %s\n", code(x.Facts.Model))
	}
	fmt.Fprintf(b, "- status: %d, ended: %s\n", x.Response.Status, x.Ended)
	fmt.Fprintf(b, "- verdict: calls %s, protocol %s\n", show.Words(r.Verdict.Calls), show.Words(r.Verdict.Protocol))
}

func (r *Report) problems(b *bytes.Buffer) {
	b.WriteString("\n## What is wrong\n\n")
	shown := make(map[string]bool) // the pieces of the answer that stand there already
	for _, p := range r.problemsInOrder() {
		times := ""
		if p.Count > 1 {
			times = fmt.Sprintf(", %d times", p.Count)
		}
		fmt.Fprintf(b, "- %s `%s` (%s%s): %s\n", p.Severity, p.Code, code(p.Where.String()), times, code(p.Detail))
		if c, ok := conformance.CodeOf(p.Code); ok {
			fmt.Fprintf(b, "  Meaning: %s.\n", c.What)
		}
		if text := r.bytesAt(p.Where); text != "" && !shown[text] {
			shown[text] = true
			b.WriteString("\n")
			fence(b, "  ", "", text, evidenceLimit)
		}
	}
	if len(r.Hidden) > 0 {
		fmt.Fprintf(b, "\nThese show only with the secrets that were taken out: %s.\n", strings.Join(r.Hidden, ", "))
	}
}

// bytesAt are the bytes of the response that show a problem: the event of a stream, or the value in a whole body; "" when none do.
func (r *Report) bytesAt(w conformance.Where) string {
	body := r.Exchange.ResponseBody
	switch {
	case w.In != conformance.InResponse:
		return ""
	case w.Offset == nil:
		return string(valueAt(body, jsontext.Pointer(w.Path)))
	case *w.Offset < 0 || *w.Offset >= int64(len(body)):
		return ""
	}
	event := body[*w.Offset:]
	separator := "\n\n"
	if !bytes.HasPrefix(event, []byte("data:")) && !bytes.HasPrefix(event, []byte("event:")) {
		separator = "\n"
	}
	text, _, _ := bytes.Cut(bytes.ReplaceAll(event[:min(len(event), 2*evidenceLimit)], []byte("\r\n"), []byte("\n")), []byte(separator))
	return string(text)
}

// valueAt is the value that a JSON pointer names; nil when there is none, and for one so short that the words about it tell it.
func valueAt(body jsontext.Value, pointer jsontext.Pointer) jsontext.Value {
	value := body
	for token := range pointer.Tokens() {
		next := jsontext.Value(nil)
		if fields, ok := object(value); ok {
			for _, f := range fields {
				if name, err := jsontext.AppendUnquote(nil, f.name); err == nil && string(name) == token {
					next = f.value
				}
			}
		} else if items, ok := array(value); ok {
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(items) {
				next = items[i]
			}
		}
		if value = next; value == nil {
			return nil
		}
	}
	const telling = 40
	if pointer == "" || len(value) < telling {
		return nil
	}
	return value
}

func (r *Report) fault(b *bytes.Buffer) {
	b.WriteString("\n## Whose fault\n\n")
	v := r.Verdict
	if v.Blame == nil {
		b.WriteString("Nobody's.\n")
		return
	}
	said := faults[*v.Blame]
	if *v.Blame == conformance.Adapter && v.Calls != conformance.Failed {
		said = differ
	}
	fmt.Fprintf(b, "%s.\n", said)
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

// differ stands in place of the adapter's fault when none of the answers that were compared is known to be wrong.
const differ = "Probably that of an adapter of the server: the same question has different answers by way of another API or in the other mode, " +
	"though it asks for the same one each time. Which of them is right is not known"

func (r *Report) conversations(b *bytes.Buffer) error {
	b.WriteString("\n## What was asked, and what came\n\n")
	if err := conversation(b, r.Exchange); err != nil {
		return err
	}
	for _, other := range r.Others {
		b.WriteString("\n## What it was compared with\n\n")
		if err := conversation(b, other.Exchange); err != nil {
			return err
		}
	}
	return nil
}

func conversation(b *bytes.Buffer, x *reading.Exchange) error {
	var text strings.Builder
	if err := show.Conversation(&text, x); err != nil {
		return fmt.Errorf("printing the conversation: %w", err)
	}
	fence(b, "", "text", text.String(), conversationLimit)
	return nil
}

// commands tells how to ask again.
func (r *Report) commands(b *bytes.Buffer) {
	switch s := r.Smallest; {
	case len(r.Others) > 0:
		b.WriteString("\n## The requests\n\n")
	case s == nil || s.Messages.Of == s.Messages.Left && s.Tools.Of == s.Tools.Left:
		b.WriteString("\n## The request\n\n")
	default:
		fmt.Fprintf(b, "\n## The smallest request\n\nWith %d of %s and %d of %s the recorded answer still has the same problems. "+
			"No server was asked again: one may answer this request otherwise.\n\n",
			s.Messages.Left, show.Count(s.Messages.Of, "message"), s.Tools.Left, show.Count(s.Tools.Of, "tool"))
		if s.Unfinished {
			b.WriteString("There was too much to try; a smaller one may do.\n\n")
		}
	}
	fence(b, "", "sh", r.Command, commandLimit)
	for _, other := range r.Others {
		b.WriteString("\n")
		fence(b, "", "sh", other.Command, commandLimit)
	}
}

func (r *Report) foot(b *bytes.Buffer, beside string) {
	b.WriteString("\n## Recording\n\n")
	if beside == "" {
		b.WriteString("No recording goes with this report. `exodeck bugreport --out DIR` writes one, in which the exchanges have the names they have here.\n")
	} else {
		what := "the exchange"
		if len(r.Others) > 0 {
			what = fmt.Sprintf("%s/%d and %s", r.Exchange.Session, r.Exchange.Seq, strings.Join(r.names(), ", "))
		}
		fmt.Fprintf(b, "%s holds %s: every byte, and when it came. %s judges it again.\n", code(beside), what, code("exodeck score conformance --tape "+beside))
	}
	secrets := "No secrets were found"
	if r.Secrets > 0 {
		secrets = fmt.Sprintf("Secrets were taken out, %d in all", r.Secrets)
	}
	if r.Files > 0 {
		secrets += fmt.Sprintf("; %s replaced, for what is in it or because it cannot be searched", show.Count(r.Files, "packed file"))
	}
	digest := r.Exchange.Digest()
	fmt.Fprintf(b, "%s. The digest of the exchange is `%x`.\n\nMade by %s.\n", secrets, digest[:], code(r.generator))
}

// names are those of the other exchanges.
func (r *Report) names() []string {
	var all []string
	for _, other := range r.Others {
		all = append(all, fmt.Sprintf("%s/%d", other.Exchange.Session, other.Exchange.Seq))
	}
	return all
}

// code writes text of others in one line, as code.
func code(s string) string { return cmp.Or(show.CodeSpan(show.Line(s)), "(nothing)") }

// fence writes text of others as a block of code, at most limit bytes of it.
func fence(b *bytes.Buffer, indent, language, text string, limit int) {
	kept := text
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit-- // no part of a character is shown
		}
		kept = text[:limit]
	}
	b.WriteString(show.CodeBlock(indent, language, kept))
	if left := len(text) - len(kept); left > 0 {
		fmt.Fprintf(b, "\n%s%d more bytes are left out.\n", indent, left)
	}
}
