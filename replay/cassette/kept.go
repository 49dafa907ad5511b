package cassette

import (
	"bytes"
	"strconv"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// keptLabel is the label of a session in which an import keeps what a tape has no place for. Exports put it back where it was.
const keptLabel = "exodeck.cassette"

// kept is what a session's label keeps:
//
//	{"name": …, "head": {…}, "session": {…}, "exchanges": {"1": {"request_encoding": …, "response_encoding": …,
//	 "line": {…}, "request": {…}, "response": {…}, "timing": {…}}}}
//
// The objects are the unknown members of the lines and objects of these names.
type kept struct {
	name          string
	head, session members
	exchanges     map[int64]keptExchange
}

type keptExchange struct {
	requestEncoding, responseEncoding string
	unknown
}

func (k keptExchange) empty() bool {
	return k.requestEncoding == "" && k.responseEncoding == "" && len(k.line)+len(k.request)+len(k.response)+len(k.timing) == 0
}

func keptOf(x *Entry) keptExchange {
	return keptExchange{x.RequestEncoding, x.ResponseEncoding, x.unknown}
}

// label writes k. seqs are the numbers of the exchanges that keep something, in order.
func (k *kept) label(seqs []int64) string {
	w := &builder{}
	group := func(name string, m members) {
		if len(m) > 0 {
			w.key(name)
			w.open()
			w.members(m)
			w.close()
		}
	}
	w.open()
	w.optional("name", k.name)
	group("head", k.head)
	group("session", k.session)
	if len(seqs) > 0 {
		w.key("exchanges")
		w.open()
		for _, seq := range seqs {
			x := k.exchanges[seq]
			w.key(strconv.FormatInt(seq, 10))
			w.open()
			w.optional("request_encoding", x.requestEncoding)
			w.optional("response_encoding", x.responseEncoding)
			group("line", x.line)
			group("request", x.request)
			group("response", x.response)
			group("timing", x.timing)
			w.close()
		}
		w.close()
	}
	w.close()
	return string(w.b)
}

// takeKept takes the label out of a session and reads it. A label that was not written by an import stays where it is.
func takeKept(s *tape.Session) kept {
	text, ok := s.Labels[keptLabel]
	if !ok {
		return kept{}
	}
	k := kept{exchanges: map[int64]keptExchange{}}
	d := lineDecoder{newDecoder([]byte(text))}
	group := func(into *members) error {
		return d.object(func(name string) error { return d.unknown(name, into) })
	}
	err := d.object(func(name string) error {
		switch name {
		case "name":
			return d.text(&k.name)
		case "head":
			return group(&k.head)
		case "session":
			return group(&k.session)
		case "exchanges":
			return d.object(func(seq string) error {
				n, err := strconv.ParseInt(seq, 10, 64)
				if err != nil {
					return err
				}
				var x keptExchange
				err = d.object(func(name string) error {
					switch name {
					case "request_encoding":
						return d.text(&x.requestEncoding)
					case "response_encoding":
						return d.text(&x.responseEncoding)
					case "line":
						return group(&x.line)
					case "request":
						return group(&x.request)
					case "response":
						return group(&x.response)
					case "timing":
						return group(&x.timing)
					}
					return d.SkipValue()
				})
				k.exchanges[n] = x
				return err
			})
		}
		return d.SkipValue()
	})
	if err != nil || len(bytes.TrimSpace(d.UnreadBuffer())) > 0 {
		return kept{}
	}
	labels := map[string]string{}
	for name, value := range s.Labels {
		if name != keptLabel {
			labels[name] = value
		}
	}
	s.Labels = labels
	return k
}

// valueOf returns the value of a member, nil when there is none.
func (m members) valueOf(name string) jsontext.Value {
	for _, m := range m {
		if m.name == name {
			return m.value
		}
	}
	return nil
}
