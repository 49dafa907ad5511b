package bugreport

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance"
)

// Reduction is the smallest request that was found to show the problems of an exchange.
type Reduction struct {
	// Body is the request, and Header what of its headers an API may need.
	Body   []byte
	Header http.Header
	// Messages and Tools say how many were there, and how many are left.
	Messages, Tools Kept
	// Unfinished says that there was too much to try, so that a smaller request may do.
	Unfinished bool
}

// Kept says how many of how many are left.
type Kept struct{ Left, Of int }

// reduce drops tools and messages of a request as long as the recorded answer has the same problems, the same verdicts and the same
// blame. The last message stays: it is the one that was answered. So do the tools when the answer has markup of a call, without which no
// model would write it: those that the answer names, or else all. It returns nil when the request is none that can be taken apart, and
// when no problem depends on the request as far as can be judged without asking again: a request that was refused, or whose answer broke
// off, would be reduced to nothing, and that would tell nothing.
//
// What is dropped is tried in runs that get shorter, from all that may go down to one by one, so that a call goes together with its result. The requests tried
// are so many bytes at most: the time goes with them, and the same request is always reduced to the same one. The error is that of ctx.
func reduce(ctx context.Context, x *reading.Exchange, judge *conformance.Judge, most int) (*Reduction, error) {
	r := &reducer{x: x, judge: judge, left: most}
	var ok bool
	if x.Request == nil {
		return nil, nil
	}
	if r.fields, ok = object(x.RequestBody); !ok {
		return nil, nil
	}
	report := judge.Exchange(x)
	if report == nil || !slices.ContainsFunc(report.Problems, dependsOnRequest) {
		return nil, nil
	}
	r.want = outcomeOf(report)
	r.tools = toolsMeant(x)
	tools := r.list(ctx, "tools", 0)
	messages := r.list(ctx, "messages", 1)
	if messages.Of == 0 {
		messages = r.list(ctx, "input", 1)
	}
	return &Reduction{
		Body: r.body(), Header: needed(x.Exchange.Request.Header), Messages: messages, Tools: tools, Unfinished: r.left < 0,
	}, ctx.Err()
}

// reduceLimit is how many bytes of requests are tried to reduce one: a history of 100 KB some thousand times.
const reduceLimit = 256 << 20

// needed are the headers that the APIs read; all others tell of the client.
func needed(h http.Header) http.Header {
	kept := http.Header{}
	for name, values := range h {
		switch {
		case name == "Content-Type", name == "Authorization", name == "X-Api-Key",
			name == "Anthropic-Version", name == "Anthropic-Beta", strings.HasPrefix(name, "Openai-"):
			kept[name] = values
		}
	}
	return kept
}

// dependsOnRequest reports whether a problem may go away with a part of the request while the answer stays as it was recorded.
func dependsOnRequest(p conformance.Problem) bool {
	c, ok := conformance.CodeOf(p.Code)
	return !ok || c.Group != conformance.Transport && c.Name != "stream-error-event"
}

// field is a member of a JSON object, its name as it stands in the text.
type field struct {
	name, value jsontext.Value
	// items are the elements of an array that is being reduced; nil for all other members.
	items []jsontext.Value
}

type reducer struct {
	x      *reading.Exchange
	judge  *conformance.Judge
	want   outcome
	tools  []string // the names of those that stay
	fields []field
	left   int // bytes of requests that may still be tried; below 0 when that was too few
}

// stopped reports whether no more is to be tried.
func (r *reducer) stopped(ctx context.Context) bool { return r.left < 0 || ctx.Err() != nil }

// list drops elements of the array called name, all but the last keep.
func (r *reducer) list(ctx context.Context, name string, keep int) Kept {
	i := slices.IndexFunc(r.fields, func(f field) bool {
		s, err := jsontext.AppendUnquote(nil, f.name)
		return err == nil && string(s) == name
	})
	if i < 0 {
		return Kept{}
	}
	f := &r.fields[i]
	items, ok := array(f.value)
	if !ok || len(items) == 0 {
		return Kept{}
	}
	kept := Kept{Of: len(items)}
	f.items = items
	for changed := true; changed && !r.stopped(ctx); {
		changed = false
		for size := len(f.items) - keep; size > 0; size /= 2 {
			// Long runs are tried side by side, short ones at each place: a call and its result may stand anywhere.
			step := size
			if size <= 2 {
				step = 1
			}
			for at := len(f.items) - keep - size; at >= 0 && !r.stopped(ctx); at = min(at-step, len(f.items)-keep-size) {
				all := f.items
				f.items = slices.Delete(slices.Clone(all), at, at+size)
				if r.same() {
					changed = true
				} else {
					f.items = all
				}
			}
		}
	}
	kept.Left = len(f.items)
	return kept
}

// same reports whether the answer has the same problems as an answer to the reduced request.
func (r *reducer) same() bool {
	body := r.body()
	if r.left -= len(body); r.left < 0 {
		return false
	}
	q, err := wire.ParseRequest(r.x.Facts.API, body)
	if err != nil {
		return false
	}
	for _, name := range r.tools {
		if !slices.ContainsFunc(q.Tools, func(t wire.Tool) bool { return t.Name == name }) {
			return false
		}
	}
	x := *r.x
	x.RequestBody, x.Request = body, q
	return r.want.equal(outcomeOf(r.judge.Exchange(&x)))
}

// toolsMeant are the names of the tools that markup of a call may mean: those that the answer names, or else all. There are none
// without such markup.
func toolsMeant(x *reading.Exchange) []string {
	if x.Answer == nil {
		return nil
	}
	said := x.Answer.Text
	if e := x.Answer.Error; e != nil {
		said += string(e.Raw)
	}
	for i := range x.Answer.ToolCalls {
		c := &x.Answer.ToolCalls[i]
		said += "\n" + c.Name + " " + c.Arguments
	}
	if !conformance.CallMarkup(said) {
		return nil
	}
	var all, named []string
	for _, t := range x.Request.Tools {
		if all = append(all, t.Name); t.Name != "" && strings.Contains(said, t.Name) {
			named = append(named, t.Name)
		}
	}
	if named != nil {
		return named
	}
	return all
}

// body is the request with what is left. An array that has nothing left is left out.
func (r *reducer) body() []byte {
	var b bytes.Buffer
	between := "{"
	for _, f := range r.fields {
		if f.items != nil && len(f.items) == 0 {
			continue
		}
		b.WriteString(between)
		between = ","
		b.Write(f.name)
		b.WriteByte(':')
		if f.items == nil {
			b.Write(f.value)
			continue
		}
		for i, item := range f.items {
			b.WriteByte("[,"[min(i, 1)])
			b.Write(item)
		}
		b.WriteByte(']')
	}
	if between == "{" {
		b.WriteString(between)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// outcome is what must not change when a request is reduced.
type outcome struct {
	codes           []string
	calls, protocol conformance.Verdict
	blame           conformance.Side
}

func outcomeOf(r *conformance.Report) outcome {
	o := outcome{calls: r.Calls, protocol: r.Protocol}
	for _, p := range r.Problems {
		o.codes = append(o.codes, p.Code)
	}
	if r.Blame != nil {
		o.blame = *r.Blame
	}
	return o
}

func (o outcome) equal(other outcome) bool {
	return slices.Equal(o.codes, other.codes) && o.calls == other.calls && o.protocol == other.protocol && o.blame == other.blame
}

// object takes a JSON object apart.
func object(text []byte) ([]field, bool) {
	d := decoder(text)
	if d.PeekKind() != '{' {
		return nil, false
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	var fields []field
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		name = bytes.Clone(name)
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		fields = append(fields, field{name: name, value: bytes.Clone(value)})
	}
	return fields, true
}

// array takes a JSON array apart.
func array(text []byte) ([]jsontext.Value, bool) {
	d := decoder(text)
	if d.PeekKind() != '[' {
		return nil, false
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	items := []jsontext.Value{}
	for d.PeekKind() != ']' {
		item, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		items = append(items, bytes.Clone(item))
	}
	return items, true
}

// decoder reads what can be read, however odd.
func decoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
