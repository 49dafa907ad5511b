package recorded

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// assign deals recorded answers out to samples, so that as many rollouts as possible are whole and none shares an answer with
// another. A sample whose verdict differs between the best ways to do so is ambiguous.
func (b *board) assign(ctx context.Context, samples []*dataset.Sample, of candidates) error {
	var players []*player
	for _, s := range samples {
		paths, capped, err := b.paths(ctx, s, of)
		if err != nil {
			return err
		}
		p := &player{sample: s, capped: capped}
		for _, one := range paths {
			if one.ended == nil && len(one.uses) > 0 {
				p.paths = append(p.paths, one)
			}
		}
		if len(p.paths) > 0 {
			b.classify(p)
			players = append(players, p)
		}
	}
	for _, table := range tables(players) {
		// Who has least choice goes first: that ends most of the search before it begins.
		slices.SortStableFunc(table, func(x, y *player) int { return len(x.paths) - len(y.paths) })
		d := b.newSearch(table)
		d.try(0, 0)
		for i, p := range table {
			b.settle(p, d, i)
		}
	}
	return nil
}

// player is a sample with all the ways in which the recording fits it.
type player struct {
	sample *dataset.Sample
	paths  []*path
	class  []int // of each path: those with the same verdict have the same number
	capped bool
}

func (b *board) classify(p *player) {
	var kinds []*path // the first of each class
	for _, one := range p.paths {
		class := slices.IndexFunc(kinds, func(k *path) bool {
			return b.Same(b.index[p.sample], &k.outcome.Answer, &one.outcome.Answer)
		})
		if class < 0 {
			class = len(kinds)
			kinds = append(kinds, one)
		}
		p.class = append(p.class, class)
	}
}

// tables groups players that compete for the same answers.
func tables(players []*player) [][]*player {
	table := map[*lines]int{} // by answer
	var groups [][]*player
	for _, p := range players {
		own := []*player{p}
		at := len(groups)
		groups = append(groups, nil)
		for _, one := range p.paths {
			for _, l := range one.uses {
				if other, taken := table[l]; taken && other != at {
					// Everybody at the other table comes over.
					own = append(slices.Clone(groups[other]), own...)
					groups[other] = nil
					for k, v := range table {
						if v == other {
							table[k] = at
						}
					}
				}
				table[l] = at
			}
		}
		groups[at] = own
	}
	return slices.DeleteFunc(groups, func(g []*player) bool { return len(g) == 0 })
}

// repeats is how many rollouts a sample of the table can have at most: the first answers there are, shared out.
func (b *board) repeats(table []*player) int {
	seen := map[*lines]bool{}
	n := 0
	for _, p := range table {
		for _, one := range p.paths {
			if l := one.uses[0]; !seen[l] {
				seen[l] = true
				n += b.left(l)
			}
		}
	}
	return max(1, (n+len(table)-1)/len(table))
}

// left counts the calls that nobody has.
func (b *board) left(l *lines) int {
	n := 0
	for _, c := range l.calls {
		if !b.taken[c] {
			n++
		}
	}
	return n
}

// maxTries bounds the search for the best ways to deal out.
const maxTries = 200_000

// search looks for the best ways to deal the answers of a table out. A slot is one rollout of one player; each player has as many as there are
// repeats, and takes its paths in order so that no way is tried twice.
type search struct {
	board   *board
	players []*player
	repeats int

	taken map[*lines]int
	slots []int // the path of each slot; that of an empty one is none
	score rank
	tries int

	best     rank
	first    []int             // the first best way
	verdicts []map[string]bool // of each player: its verdicts, over all best ways
	given    bool              // the search was given up
}

// none is the path of an empty slot.
const none = -1

// rank says how good a way is.
type rank struct{ rollouts, weight int }

func (r rank) less(o rank) bool {
	return r.rollouts < o.rollouts || r.rollouts == o.rollouts && r.weight < o.weight
}

func (b *board) newSearch(table []*player) *search {
	return &search{board: b, players: table, repeats: b.repeats(table), taken: map[*lines]int{}, best: rank{rollouts: -1}}
}

// try fills the slots from one on; its player has taken its paths below least.
func (d *search) try(slot, least int) {
	if d.tries++; d.tries > maxTries {
		d.given = true
		return
	}
	total := len(d.players) * d.repeats
	if d.score.rollouts+total-slot < d.best.rollouts {
		return
	}
	if slot == total {
		d.reached()
		return
	}
	p := d.players[slot/d.repeats]
	if slot%d.repeats == 0 {
		least = 0
	}
	before := d.score
	for i := least; i < len(p.paths); i++ {
		one := p.paths[i]
		if d.seat(one) {
			d.score = rank{before.rollouts + 1, before.weight + one.alike + len(one.uses)}
			d.slots = append(d.slots, i)
			d.try(slot+1, i)
			d.slots = d.slots[:len(d.slots)-1]
			d.score = before
		}
		for _, l := range one.uses {
			d.taken[l]--
		}
	}
	d.slots = append(d.slots, none)
	d.try(slot+1, len(p.paths))
	d.slots = d.slots[:len(d.slots)-1]
}

// seat takes the answers of a path and reports whether there are enough.
func (d *search) seat(p *path) bool {
	enough := true
	for _, l := range p.uses {
		d.taken[l]++
		enough = enough && d.taken[l] <= d.board.left(l)
	}
	return enough
}

// reached notes a way whose slots are all decided.
func (d *search) reached() {
	if d.score.less(d.best) {
		return
	}
	if d.best.less(d.score) {
		d.best, d.first = d.score, slices.Clone(d.slots)
		d.verdicts = make([]map[string]bool, len(d.players))
		for i := range d.verdicts {
			d.verdicts[i] = map[string]bool{}
		}
	}
	for i, p := range d.players {
		var classes []int
		for _, path := range d.slots[i*d.repeats : (i+1)*d.repeats] {
			if path != none {
				classes = append(classes, p.class[path])
			}
		}
		slices.Sort(classes)
		d.verdicts[i][fmt.Sprint(classes)] = true
	}
}

// settle gives the i-th player of a table what the search found for it.
func (b *board) settle(p *player, d *search, i int) {
	var outcomes []ask.Outcome
	for _, path := range d.first[i*d.repeats : (i+1)*d.repeats] {
		if path != none {
			outcomes = append(outcomes, b.take(p.paths[path]))
		}
	}
	slices.SortStableFunc(outcomes, func(x, y ask.Outcome) int { return b.place[x.Exchanges[0]] - b.place[y.Exchanges[0]] })
	note := ""
	switch {
	case len(d.verdicts[i]) > 1:
		note = "the recording fits this sample in several ways, which give different verdicts" + company(d.players, p)
	case d.given || p.capped:
		note = "the recording fits the samples that open like this one in too many ways to try them all"
	}
	if note != "" {
		for k := range outcomes {
			outcomes[k].Answer.Status, outcomes[k].Answer.Note = acebench.Ambiguous, note
		}
		b.open[p.sample] = note
	}
	b.found[p.sample] = append(b.found[p.sample], outcomes...)
}

// company names the others at the table, some of them when they are many.
func company(players []*player, but *player) string {
	const most = 3
	var ids []string
	for _, p := range players {
		if p != but {
			ids = append(ids, p.sample.ID)
		}
	}
	if len(ids) > most {
		ids = append(ids[:most], fmt.Sprintf("%d more", len(ids)-most))
	}
	if len(ids) == 0 {
		return ""
	}
	return "; it opens like " + strings.Join(ids, " and ")
}
