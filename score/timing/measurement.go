package timing

import (
	"sort"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/coding"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// measurement is what one whole answer tells.
type measurement struct {
	*reading.Exchange
	// promptTokens and tokens are counts as the answer tells them; nil when it does not.
	promptTokens, tokens *int64
	// firstToken is when it came, counted from the start of the exchange; nil when that cannot be told.
	firstToken *time.Duration
}

// shortest is the time that a rate is measured over at least. Of a stream that comes in one burst it would tell how fast the machine
// copies.
const shortest = 5 * time.Millisecond

func measurementOf(x *reading.Exchange) measurement {
	m := measurement{Exchange: x}
	if s := x.Answer.Stats; s != nil {
		m.promptTokens, m.tokens = s.PromptTokens, s.GenerationTokens
	}
	if u := x.Answer.Usage; u != nil {
		if u.Input != nil {
			m.promptTokens = u.Input
		}
		if u.Output != nil {
			m.tokens = u.Output
		}
	}
	// Places are in the decoded body, pieces in the one that was sent.
	if x.Answer.Stream && len(coding.Of(x.Response.Header)) == 0 {
		if end, ok := firstTokenEnd(x.Answer); ok {
			m.firstToken = arrival(x.Pieces, end)
		}
	}
	return m
}

// firstTokenEnd is the end of the event that begins the first part of the answer.
func firstTokenEnd(a *wire.Answer) (int64, bool) {
	var first *wire.Block
	for i := range a.Blocks {
		if first == nil || a.Blocks[i].Open.Start < first.Open.Start {
			first = &a.Blocks[i]
		}
	}
	if first == nil {
		return 0, false
	}
	return first.Open.End, true
}

// arrival is when the bytes of a body before end were there.
func arrival(pieces []tape.Piece, end int64) *time.Duration {
	i := sort.Search(len(pieces), func(i int) bool { return pieces[i].Offset >= end })
	if i == 0 {
		return nil
	}
	return &pieces[i-1].At
}

func (m measurement) addTo(f *facts) {
	f.firstPiece.duration(m.TTFB)
	if s := m.Answer.Stats; s != nil {
		if s.PromptTPS != nil {
			f.reportedPrompt.rate(*s.PromptTPS)
		}
		if s.GenerationTPS != nil {
			f.reported.rate(*s.GenerationTPS)
		}
	}
	if !m.Answer.Stream || len(m.Pieces) == 0 {
		return
	}
	from := m.Pieces[0].At
	last := m.Pieces[len(m.Pieces)-1].At
	if m.firstToken != nil {
		from = *m.firstToken
		f.firstToken.duration(from)
		if m.tokens != nil && *m.tokens > 1 && last-from >= shortest {
			f.measured.rate(float64(*m.tokens-1) / (last - from).Seconds())
		}
	}
	for i := 1; i < len(m.Pieces); i++ {
		if m.Pieces[i-1].At >= from {
			f.gap.duration(m.Pieces[i].At - m.Pieces[i-1].At)
		}
	}
}
