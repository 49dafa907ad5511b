package fault

import (
	"context"
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
)

// look is what is to be known of an exchange.
type look struct {
	report *conformance.Report // nil of what is no model call
	cut    bool                // the answer ended at the token limit
	// question is the digest of what was asked; asked says that it asks for the same answer each time.
	question [32]byte
	asked    bool
	// played says that the model played somebody else than the one that is judged.
	played bool
	// offered says that there were tools to call.
	offered bool
	// shed says that nothing is wrong but what the suite takes off, see [Sample.Takes].
	shed bool
}

// judgement looks at the exchanges of a recording.
type judgement struct {
	src   Source
	judge *conformance.Judge
	// passed has what was looked at of samples that passed: they are held against several that failed, and doubted themselves.
	passed map[tape.Ref]look
}

func newJudgement(src Source) *judgement {
	return &judgement{src, conformance.New(conformance.Rules{}), make(map[tape.Ref]look)}
}

// looks looks at the exchanges of a sample.
func (j *judgement) looks(ctx context.Context, s *Sample) ([]look, error) {
	all := make([]look, len(s.Exchanges))
	for i, ref := range s.Exchanges {
		var err error
		if all[i], err = j.look(ctx, s, ref); err != nil {
			return nil, err
		}
		all[i].played = slices.Contains(s.Played, ref)
	}
	return all, nil
}

func (j *judgement) look(ctx context.Context, s *Sample, ref tape.Ref) (look, error) {
	if l, ok := j.passed[ref]; ok {
		return l, nil
	}
	x, err := j.src.Exchange(ctx, ref)
	if err != nil {
		return look{}, fmt.Errorf("looking for the fault in exchange %s/%d: %w", ref.Session, ref.Seq, err)
	}
	read, err := reading.Of(ctx, j.src, x)
	if err != nil {
		return look{}, fmt.Errorf("looking for the fault: %w", err)
	}
	l := look{report: j.judge.Exchange(read), cut: conformance.CutShort(read), offered: read.Request != nil && len(read.Request.Tools) > 0}
	l.shed = l.report != nil && shed(s, read, l.report)
	if q, ok := conformance.QuestionOf(read); ok {
		l.question, l.asked = q.Limited(), true
	}
	return l, nil
}

// right reports whether an agent would do the right thing by the answer.
func (l look) right() bool { return l.report != nil && l.report.Calls == conformance.OK }

// spent reports whether the token limit is what is wrong with an answer: it was reached, and nothing else makes an agent go wrong, or only
// what comes of it.
func (l look) spent() bool {
	return l.cut && (l.report.Calls != conformance.Failed || l.report.Has("budget-exhausted") || onlyLeaks(l.report))
}

// rival chooses, of samples that passed and whose answer is right by the judge, too, the one that asked the same and differs the least in
// how: in the mode alone, then in the API alone. It returns nil when there is none.
func (j *judgement) rival(ctx context.Context, s *Sample, looks []look, passed []*Sample) (*Sample, error) {
	if len(looks) == 0 || !looks[len(looks)-1].asked {
		return nil, nil
	}
	var best *Sample
	for _, p := range passed {
		if d := distance(s, p); d == 0 || best != nil && d >= distance(s, best) || len(p.Exchanges) == 0 {
			continue
		}
		l, err := j.look(ctx, p, p.Exchanges[len(p.Exchanges)-1])
		if err != nil {
			return nil, err
		}
		j.passed[p.Exchanges[len(p.Exchanges)-1]] = l
		if l.right() && l.asked && l.question == looks[len(looks)-1].question {
			best = p
		}
	}
	return best, nil
}

func distance(a, b *Sample) int {
	d := 0
	if a.Stream != b.Stream {
		d++
	}
	if a.API != b.API {
		d += 2
	}
	return d
}
