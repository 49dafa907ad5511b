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

// Question is what an exchange asks of whoever answers it, in a form in which it can be compared.
type Question struct {
	// Sum is the digest of all that can change the answer but the limit of tokens, which an answer need not come to. It is the same through all
	// APIs and in both modes.
	Sum [32]byte
	// Settings is the digest of all settings as they were sent, but for the mode of the answer. Each API has its own.
	Settings [32]byte
	// Limit is the most tokens that were asked for; 0 for no limit.
	Limit int64

	asked *asked
}

// QuestionOf returns what an exchange asks. ok is false when the request cannot be read, or when it asks for another answer each time.
func QuestionOf(x *reading.Exchange) (q Question, ok bool) {
	if x.Request == nil || !deterministic(x.Request) {
		return q, false
	}
	q = questionOf(askedOf(x.Request))
	q.Settings = settingsOf(x.Request)
	return q, true
}

// questionOf returns the question that a request is, without its settings.
func questionOf(a *asked) Question {
	q := Question{Sum: question(a), asked: a}
	if a.limit != nil {
		q.Limit = *a.limit
	}
	return q
}

// Limited returns the digest of the question with its limit of tokens; that of the question alone without one.
func (q Question) Limited() [32]byte {
	if q.Limit == 0 {
		return q.Sum
	}
	return sha256.Sum256(strconv.AppendInt(q.Sum[:], q.Limit, 10))
}

// Spent reports whether an answer is known to have all the tokens that were asked for.
func (q Question) Spent(u *wire.Usage) bool { return q.asked.spent(u) }

// Asked returns the digest of what an exchange asks, with its limit of tokens, be it that it asks for another answer each time. Of a request
// that cannot be read it is the digest of its bytes.
func Asked(x *reading.Exchange) [32]byte {
	if x.Request == nil {
		return sha256.Sum256(x.RequestBody)
	}
	return questionOf(askedOf(x.Request)).Limited()
}

// question returns the digest of what a request asks, whatever API it asks: all that can change the answer but the limit of tokens, which an
// answer need not come to. See [Question.Limited].
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

// settingsOf returns the digest of [Question.Settings].
func settingsOf(q *wire.Request) [32]byte {
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
