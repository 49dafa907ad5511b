package timing

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
)

// Source hands out recorded exchanges and their bodies. [tape.Tape] is one.
type Source interface {
	Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error]
	Body(ctx context.Context, b tape.Body) (io.ReadCloser, error)
}

var _ Source = (*tape.Tape)(nil)

// Table has the facts of a recording.
type Table struct {
	// Groups stand by model, API, mode and prompt.
	Groups []Group `json:"groups"`
	// LeftOut counts model calls that have no whole answer without an error. A client that leaves at the end marker, as OpenAI's
	// library for Python does, has the whole answer; one that leaves before it has not.
	LeftOut int `json:"left_out"`
}

// Group has the facts of answers of one kind. Times are in milliseconds, rates in tokens per second; nil is what no answer tells.
type Group struct {
	Model     string   `json:"model"`
	API       tape.API `json:"api"`
	Stream    bool     `json:"stream"`
	Prompt    Prompt   `json:"prompt_tokens"`
	Exchanges int      `json:"exchanges"`
	// FirstPiece is the time to the first byte of the body. That of exo's streams is a comment, which comes at once.
	FirstPiece *Quantiles `json:"first_piece_ms"`
	// FirstToken is the time to the event of a stream that begins a text, a reasoning or a call.
	FirstToken *Quantiles `json:"first_token_ms"`
	// Gap is the time between two pieces of a stream, from its first token on: what comes before are comments. Where the first token
	// cannot be told, it is from the first piece on.
	Gap *Quantiles `json:"gap_ms"`
	// ReportedPrompt and Reported are the rates of prefill and of generation that exo reports in a comment of its streams.
	ReportedPrompt *Quantiles `json:"reported_prompt_tps"`
	Reported       *Quantiles `json:"reported_generation_tps"`
	// Measured is the rate at which the tokens of a stream behind its first one came, to its last piece. Streams that took less than
	// 5 ms for that are left out: they came in one burst, which tells nothing about how they were made.
	Measured *Quantiles `json:"measured_generation_tps"`
}

// Of takes the facts of the exchanges that q asks for. It holds one exchange at a time.
func Of(ctx context.Context, src Source, q tape.Query) (*Table, error) {
	c := collector{groups: make(map[kind]*facts)}
	for x, err := range src.Exchanges(ctx, q) {
		if err != nil {
			return nil, err
		}
		if !x.Facts.API.Model() || x.Ended == tape.InFlight {
			continue
		}
		if x.Ended != tape.Complete && x.Ended != tape.ClientGone {
			c.leftOut++
			continue
		}
		read, err := reading.Of(ctx, src, x)
		if err != nil {
			return nil, err
		}
		c.add(read)
	}
	return c.table(), nil
}

// kind is what answers are grouped by.
type kind struct {
	model  string
	api    tape.API
	stream bool
	prompt Prompt
}

// facts is what was measured of answers of one kind.
type facts struct {
	exchanges                                                       int
	firstPiece, firstToken, gap, reportedPrompt, reported, measured samples
}

type collector struct {
	groups  map[kind]*facts
	leftOut int
}

func (c *collector) add(x *reading.Exchange) {
	if x.Answer == nil || x.Response.Status != 200 || x.Answer.Error != nil || !x.Answer.Complete {
		c.leftOut++
		return
	}
	m := measurementOf(x)
	k := kind{x.Facts.Model, x.Facts.API, x.Answer.Stream, promptOf(m.promptTokens)}
	f := c.groups[k]
	if f == nil {
		f = &facts{0, samples{}, samples{}, samples{}, samples{}, samples{}, samples{}}
		c.groups[k] = f
	}
	f.exchanges++
	m.addTo(f)
}

func (c *collector) table() *Table {
	t := &Table{Groups: []Group{}, LeftOut: c.leftOut}
	for k, f := range c.groups {
		t.Groups = append(t.Groups, Group{
			Model: k.model, API: k.api, Stream: k.stream, Prompt: k.prompt, Exchanges: f.exchanges,
			FirstPiece: f.firstPiece.quantiles(), FirstToken: f.firstToken.quantiles(), Gap: f.gap.quantiles(),
			ReportedPrompt: f.reportedPrompt.quantiles(), Reported: f.reported.quantiles(), Measured: f.measured.quantiles(),
		})
	}
	slices.SortFunc(t.Groups, func(a, b Group) int {
		return cmp.Or(
			cmp.Compare(a.Model, b.Model),
			cmp.Compare(slices.Index(tape.APIs, a.API), slices.Index(tape.APIs, b.API)),
			cmp.Compare(mode(a.Stream), mode(b.Stream)),
			cmp.Compare(a.Prompt.order(), b.Prompt.order()),
		)
	})
	return t
}

// mode orders whole answers before streams.
func mode(stream bool) int {
	if stream {
		return 1
	}
	return 0
}
