package recorded

import (
	"context"
	"fmt"
	"slices"

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
		d := &deal{players: table, repeats: repeats(table)}
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
func repeats(table []*player) int {
	first := map[*lines]bool{}
	n := 0
	for _, p := range table {
		for _, one := range p.paths {
			if l := one.uses[0]; !first[l] {
				first[l] = true
				n += l.left()
			}
		}
	}
	return max(1, (n+len(table)-1)/len(table))
}

// maxTries bounds the search for the best ways to deal out.
const maxTries = 200_000

// deal searches the ways to deal the answers of a table out. A slot is one rollout of one player; each player has as many as there are
// repeats, and takes its paths in order so that no way is tried twice.
type deal struct {
	players []*player
	repeats int

	taken map[*lines]int
	slots []int // the path of each slot so far; none is len(paths)
	score rank
	tries int

	best     rank
	first    []int             // the first best way
	verdicts []map[string]bool // of each player: its verdicts, over all best ways
	given    bool              // the search was given up
}

// rank says how good a way is.
type rank struct{ rollouts, weight int }

func (r rank) less(o rank) bool {
	return r.rollouts < o.rollouts || r.rollouts == o.rollouts && r.weight < o.weight
}

// try fills the slots from one on.
func (d *deal) try(slot, least int) {
	if d.tries++; d.tries > maxTries {
		d.given = true
		return
	}
	if d.taken == nil {
		d.taken = map[*lines]int{}
		d.best = rank{-1, 0}
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
	for i := least; i < len(p.paths); i++ {
		one := p.paths[i]
		if !d.seat(one) {
			continue
		}
		d.slots = append(d.slots, i)
		before := d.score
		d.score.rollouts++
		d.score.weight += one.exact + len(one.uses)
		d.try(slot+1, i)
		d.score = before
		d.slots = d.slots[:len(d.slots)-1]
		d.free(one)
	}
	d.slots = append(d.slots, len(p.paths))
	d.try(slot+1, len(p.paths))
	d.slots = d.slots[:len(d.slots)-1]
}

// seat takes the answers of a path if they are all free.
func (d *deal) seat(p *path) bool {
	for i, l := range p.uses {
		if d.taken[l]++; d.taken[l] > l.left() {
			for _, l := range p.uses[:i+1] {
				d.taken[l]--
			}
			return false
		}
	}
	return true
}

func (d *deal) free(p *path) {
	for _, l := range p.uses {
		d.taken[l]--
	}
}

// reached notes a way whose slots are all decided.
func (d *deal) reached() {
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
		for _, choice := range d.slots[i*d.repeats : (i+1)*d.repeats] {
			if choice < len(p.paths) {
				classes = append(classes, p.class[choice])
			} else {
				classes = append(classes, -1)
			}
		}
		slices.Sort(classes)
		d.verdicts[i][fmt.Sprint(classes)] = true
	}
}

// settle gives the i-th player of a table what the search found for it.
func (b *board) settle(p *player, d *deal, i int) {
	var outcomes []ask.Outcome
	for _, choice := range d.first[i*d.repeats : (i+1)*d.repeats] {
		if choice < len(p.paths) {
			outcomes = append(outcomes, p.paths[choice].take())
		}
	}
	ways := len(d.verdicts[i])
	for k := range outcomes {
		o := &outcomes[k]
		switch {
		case ways > 1:
			o.Answer.Status = acebench.Ambiguous
			o.Answer.Note = fmt.Sprintf("the recording fits this sample and %s in several ways, which give different verdicts", company(d.players, p))
		case d.given || p.capped:
			o.Answer.Status = acebench.Ambiguous
			o.Answer.Note = "the recording fits the samples that open like this one in too many ways to try them all"
		}
	}
	b.found[p.sample] = append(b.found[p.sample], outcomes...)
}

func company(players []*player, but *player) string {
	var samples []*dataset.Sample
	for _, p := range players {
		samples = append(samples, p.sample)
	}
	if len(samples) == 1 {
		return "no other"
	}
	return others(samples, but.sample)
}
