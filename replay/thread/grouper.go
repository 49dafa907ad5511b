package thread

import (
	"crypto/sha256"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// Grouper puts exchanges into conversations. The zero value is ready for use. It keeps digests of what was said, not the words.
type Grouper struct {
	threads []*Thread

	answered map[key]*queue // by history with answer
	spoken   map[key]*queue // the same, by voice too
	asked    map[key]*queue // by history without answer, and voice
	failed   map[key]*queue // those that failed, by whole request and voice
	broken   map[key]*queue // those of them that go on with a conversation, by whole request alone
}

// Threads returns the conversations, by their first exchange.
func (g *Grouper) Threads() []*Thread { return g.threads }

// Add takes the next exchange, in recorded order, and returns its turn. It is nil for what is no model call that can be read.
func (g *Grouper) Add(x *reading.Exchange) *Turn {
	if x.Request == nil {
		return nil
	}
	if g.answered == nil {
		g.answered, g.spoken = make(map[key]*queue), make(map[key]*queue)
		g.asked, g.failed, g.broken = make(map[key]*queue), make(map[key]*queue), make(map[key]*queue)
	}
	turn := &Turn{
		Ref:     x.Ref,
		Started: x.Started,
		Total:   x.Total,
		Model:   x.Request.Model,
		Failed:  failed(x),
	}
	if x.Answer != nil {
		turn.Calls = len(x.Answer.ToolCalls)
	}
	h := newHistory(x)
	before, link, told := g.place(h)
	turn.Link, turn.Told = link, told
	if before == nil {
		turn.After = -1
		turn.thread = &Thread{Opening: opening(x.Request)}
		g.threads = append(g.threads, turn.thread)
	} else {
		turn.After, turn.Branch = before.number, before.next && link != Retries
		turn.thread = before.thread
		before.next = true
	}
	turn.number = len(turn.thread.Turns)
	turn.thread.Turns = append(turn.thread.Turns, turn)
	g.remember(h, turn)
	return turn
}

// place finds the turn that a history belongs to, how, and how many of its messages were said before.
func (g *Grouper) place(h *history) (before *Turn, link Link, told int) {
	for _, q := range []*queue{g.failed[h.with(h.whole())], g.broken[h.whole()]} {
		if turn := q.open(); turn != nil {
			return turn, Retries, h.messages
		}
	}
	// The longest history counts: the nearest turn.
	for k := len(h.units) - 1; k > 0; k-- {
		if !h.units[k].assistant {
			continue
		}
		told := h.messages
		if k+1 < len(h.units) {
			told = h.units[k+1].message
		}
		for _, q := range []*queue{g.spoken[h.with(h.states[k+1])], g.answered[h.states[k+1]]} {
			if turn := q.openOrLast(); turn != nil {
				return turn, Continues, told
			}
		}
		if k+1 == len(h.units) {
			continue // the beginning of an answer that the client wants continued
		}
		if turn := g.asked[h.with(h.states[k])].open(); turn != nil {
			return turn, Edited, told
		}
	}
	return nil, Opens, 0
}

// remember makes a turn known to those that come after it.
func (g *Grouper) remember(h *history, turn *Turn) {
	if turn.Failed {
		put(g.failed, h.with(h.whole()), turn)
		if turn.After >= 0 {
			put(g.broken, h.whole(), turn)
		}
	}
	put(g.asked, h.with(h.base()), turn)
	if after, ok := h.after(); ok {
		put(g.answered, after, turn)
		put(g.spoken, h.with(after), turn)
	}
}

// failed reports whether an exchange brought no answer, or not all of one.
func failed(x *reading.Exchange) bool {
	switch {
	case x.Ended == tape.InFlight:
		return false
	case x.Ended != tape.Complete && x.Ended != tape.ClientGone, x.Response.Status >= 400, x.Answer == nil:
		return true
	}
	return x.Answer.Error != nil || !x.Answer.Complete && x.Answer.FinishReason == nil
}

// opening is the first text that the user says in a request.
func opening(q *wire.Request) string {
	for i := range q.Messages {
		if q.Messages[i].Role != "user" {
			continue
		}
		if text := strings.TrimSpace(q.Messages[i].Text()); text != "" {
			return text
		}
	}
	return ""
}

// key is a digest of a history, perhaps with a voice.
type key [sha256.Size]byte

// queue holds the turns that have one key, in recorded order.
type queue struct {
	turns []*Turn
	head  int // all before it have a turn that follows
}

func put(queues map[key]*queue, k key, turn *Turn) {
	q := queues[k]
	if q == nil {
		q = new(queue)
		queues[k] = q
	}
	q.turns = append(q.turns, turn)
}

// open returns the first turn that no other follows, nil when there is none.
func (q *queue) open() *Turn {
	if q == nil {
		return nil
	}
	for q.head < len(q.turns) && q.turns[q.head].next {
		q.head++
	}
	if q.head == len(q.turns) {
		return nil
	}
	return q.turns[q.head]
}

// openOrLast returns the first turn that no other follows, else the last one, from which a branch begins.
func (q *queue) openOrLast() *Turn {
	if q == nil {
		return nil
	}
	if turn := q.open(); turn != nil {
		return turn
	}
	return q.turns[len(q.turns)-1]
}
