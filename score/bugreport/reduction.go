package bugreport

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance"
)

// Reduction is the smallest request that was found to show the problems of an exchange.
type Reduction struct {
	// Body is the request.
	Body []byte
	// Messages and Tools say how many were there, and how many are left.
	Messages, Tools Kept
}

// Kept says how many of how many are left.
type Kept struct{ Left, Of int }

// Reduce drops tools and messages of a request as long as the recorded answer has the same problems, the same verdicts and the same
// blame. The last message stays: it is the one that was answered. It returns nil when the request is none that can be taken apart.
//
// What is dropped is tried in runs that get shorter, down to one by one, so that a call goes together with its result.
func Reduce(x *reading.Exchange, judge *conformance.Judge) *Reduction {
	r := &reducer{x: x, judge: judge}
	var ok bool
	if x.Request == nil {
		return nil
	}
	if r.fields, ok = object(x.RequestBody); !ok {
		return nil
	}
	report := judge.Exchange(x)
	if report == nil {
		return nil
	}
	r.want = outcomeOf(report)
	tools := r.list("tools", 0)
	messages := r.list("messages", 1)
	if messages.Of == 0 {
		messages = r.list("input", 1)
	}
	return &Reduction{Body: r.body(), Messages: messages, Tools: tools}
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
	fields []field
}

// list drops elements of the array called name, all but the last keep.
func (r *reducer) list(name string, keep int) Kept {
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
	for changed := true; changed; {
		changed = false
		for size := max((len(f.items)-keep)/2, 1); size > 0; size /= 2 {
			// Long runs are tried side by side, short ones at each place: a call and its result may stand anywhere.
			step := size
			if size <= 2 {
				step = 1
			}
			for at := len(f.items) - keep - size; at >= 0; at = min(at-step, len(f.items)-keep-size) {
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
	q, err := wire.ParseRequest(r.x.Facts.API, body)
	if err != nil {
		return false
	}
	x := *r.x
	x.RequestBody, x.Request = body, q
	return r.want.equal(outcomeOf(r.judge.Exchange(&x)))
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
