package again

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

// Modes compares streams with whole answers. Only answers of one deterministic request, which has temperature 0 or a seed, have to be the
// same; see [pairs.Pairs].
type Modes struct {
	// Both counts questions that were answered in both modes, Compared those of them that could be compared.
	Both     int `json:"answered_in_both"`
	Compared int `json:"compared"`
	// Unsettled counts those that could have been compared, had they temperature 0 or a seed.
	Unsettled int `json:"without_temperature_0_or_seed"`
	// Differ counts those of which the stream is not the whole answer.
	Differ int `json:"differ"`
}

// Difference is a problem that only comparing the stream with the whole answer shows.
type Difference struct {
	Code     string               `json:"code"`
	Severity conformance.Severity `json:"severity"`
	// Blame takes it that the server behind an address is the same as before. It is unknown when two addresses were asked.
	Blame  conformance.Side `json:"blame"`
	Detail string           `json:"detail"`
}

// add compares the answers to one question, unless both are in the same mode.
func (m *Modes) add(before, after answer, judge *conformance.Judge) []Difference {
	if before.unjudged() || after.unjudged() || before.Answer.Stream == after.Answer.Stream {
		return nil
	}
	m.Both++
	stream, whole := before, after
	if after.Answer.Stream {
		stream, whole = after, before
	}
	streamed, asWhole := pairs.AnswerOf(stream.Exchange, stream.report), pairs.AnswerOf(whole.Exchange, whole.report)
	if !streamed.Comparable(asWhole) {
		if pairs.AnswerOf(cold(stream.Exchange), stream.report).Comparable(pairs.AnswerOf(cold(whole.Exchange), whole.report)) {
			m.Unsettled++
		}
		return nil
	}
	m.Compared++
	report := *stream.report
	report.Problems, report.Evidence = slices.Clone(report.Problems), slices.Clone(report.Evidence)
	judge.Apply(&report, findings(streamed, asWhole))
	var differences []Difference
	for _, p := range report.Problems {
		if stream.report.Has(p.Code) {
			continue
		}
		if p.Code == "stream-mismatch" {
			m.Differ++
		}
		d := Difference{p.Code, p.Severity, *report.Blame, p.Detail}
		if stream.Upstream != "" && whole.Upstream != "" && stream.Upstream != whole.Upstream {
			d.Blame = conformance.Unknown
			d.Detail += fmt.Sprintf("; or the servers differ: %s streamed, %s answered as a whole", stream.Upstream, whole.Upstream)
		}
		differences = append(differences, d)
	}
	return differences
}

// cold is the exchange as if its request had asked for temperature 0.
func cold(x *reading.Exchange) *reading.Exchange {
	if x.Request == nil {
		return x
	}
	request := *x.Request
	request.Options = append(slices.Clone(request.Options), wire.Field{Name: "temperature", Value: jsontext.Value("0")})
	y := *x
	y.Request = &request
	return &y
}

// findings is what comparing a stream with a whole answer adds to the report of the stream.
func findings(stream, whole *pairs.Answer) []conformance.Finding {
	both := pairs.Pairs{Together: true}
	both.Add(0, stream)
	both.Add(1, whole)
	return both.Findings()[0]
}
