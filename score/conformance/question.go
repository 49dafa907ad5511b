package conformance

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/jsonvalue"
)

// Question returns the digest of what an exchange asks: it is the same through all APIs and in both modes. ok is false when the request
// cannot be read, or when it asks for another answer each time.
func Question(x *reading.Exchange) (sum [32]byte, ok bool) {
	if x.Request == nil || !deterministic(x.Request) {
		return sum, false
	}
	a := askedOf(x.Request)
	return limited(question(a), a.limit), true
}

// Unlimited is as [Question], but for the limit of tokens: [Pairs] compares no answers of which it differs.
func Unlimited(x *reading.Exchange) (sum [32]byte, ok bool) {
	if x.Request == nil || !deterministic(x.Request) {
		return sum, false
	}
	return question(askedOf(x.Request)), true
}

// question returns the digest of what a request asks, whatever API it asks: all that can change the answer but the limit of tokens, which an
// answer need not come to. See [limited].
func question(q *asked) [32]byte {
	d := jsonvalue.NewDigest()
	d.Put(q.Model)
	d.Put(q.System)
	for i := range q.Messages {
		m := &q.Messages[i]
		for _, p := range m.Parts {
			switch {
			case p.Kind == wire.PartText && p.Text != "":
				d.Put(m.Role)
				d.Put(p.Text)
			case p.Call != nil:
				d.Put(p.Call.Name)
				d.PutValue([]byte(p.Call.Arguments))
			case p.Result != nil:
				d.Put(p.Result.Text)
			case p.Kind == wire.PartOther:
				d.Put(string(p.Raw))
			case p.Image != nil:
				d.Put(p.Image.SHA256 + p.Image.URL)
			}
		}
	}
	for _, t := range q.Tools {
		d.Put(t.Name)
		d.Put(t.Description)
		d.PutValue(t.Schema)
		d.PutValue(t.Raw)
	}
	for _, s := range q.settings() {
		d.Put(s)
	}
	return d.Sum()
}

// limited returns the digest of a question with a limit of tokens; that of the question alone without one.
func limited(question [32]byte, limit *int64) [32]byte {
	if limit == nil {
		return question
	}
	return sha256.Sum256(strconv.AppendInt(question[:], *limit, 10))
}

// optionsOf returns the digest of all settings of a request but for the mode of the answer.
func optionsOf(q *wire.Request) [32]byte {
	d := jsonvalue.NewDigest()
	options := slices.Clone(q.Options)
	slices.SortStableFunc(options, func(a, b wire.Field) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range options {
		if f.Name != "stream_options" {
			d.Put(f.Name)
			d.PutValue(f.Value)
		}
	}
	return d.Sum()
}

// deterministic reports whether a request asks for the same answer each time.
func deterministic(q *wire.Request) bool {
	for _, f := range q.Options {
		var n float64
		switch f.Name {
		case "temperature":
			if json.Unmarshal(f.Value, &n) == nil && n == 0 {
				return true
			}
		case "seed":
			if f.Value.Kind() == '0' {
				return true
			}
		case "options":
			var o struct {
				Temperature, Seed *float64
			}
			if json.Unmarshal(f.Value, &o) == nil && (o.Seed != nil || o.Temperature != nil && *o.Temperature == 0) {
				return true
			}
		}
	}
	return false
}
