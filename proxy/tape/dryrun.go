package tape

import (
	"context"
	"errors"
	"math"
)

// wouldPrune tells what [Prune] would remove.
func wouldPrune(ctx context.Context, path string, o PruneOptions) (p Pruned, err error) {
	t, err := Open(ctx, path)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	alive := t.alive()
	s, end, err := t.snapshot(ctx)
	if err != nil {
		return p, err
	}
	defer end()
	d, err := newDryRun(ctx, s, o, alive)
	if err != nil {
		return p, err
	}
	for more := true; more; {
		if more, err = d.page(ctx); err != nil {
			return p, err
		}
	}
	d.pruned.Before = fileBytes(path)
	d.pruned.After = max(d.used-d.freed, 0)
	return d.pruned, nil
}

// dryRun goes through the exchanges that a pruner would remove. What they take is estimated.
type dryRun struct {
	tape   *Tape
	text   string
	args   []any
	cutoff int64
	limit  int64 // bytes; 0: none
	newest int64

	last        candidate
	used, freed int64
	refs        map[int64]int64 // that would be left, of bodies that several exchanges have
	exchanges   map[int64]int64 // the same of sessions
	pruned      Pruned
}

func newDryRun(ctx context.Context, t *Tape, o PruneOptions, alive bool) (*dryRun, error) {
	which, err := o.selection(ctx, t.db)
	if err != nil {
		return nil, err
	}
	d := &dryRun{tape: t, limit: o.Keep.MaxBytes, last: candidate{started: math.MinInt64},
		refs: make(map[int64]int64), exchanges: make(map[int64]int64)}
	unended := Interrupted
	if alive {
		unended = InFlight
	}
	d.text, d.args = which.query(unended)
	p := pruner{keep: o.Keep, now: o.Now}
	p.begin()
	d.cutoff = p.cutoff
	sessions, err := t.sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		d.exchanges[s.id] = s.Exchanges
	}
	return d, t.db.QueryRowContext(ctx, `SELECT page_size * (page_count - freelist_count), coalesce((`+newestExchange+`), 0)
		FROM pragma_page_size, pragma_page_count, pragma_freelist_count`).Scan(&d.used, &d.newest)
}

// page looks at the next candidates. It reports whether there may be more.
func (d *dryRun) page(ctx context.Context) (more bool, err error) {
	rows, err := d.tape.db.QueryContext(ctx, d.text, d.last.from(d.args)...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	var list []candidate
	for rows.Next() {
		var c candidate
		var request, response *int64
		if err := rows.Scan(&c.started, &c.id, &c.session, &request, &response); err != nil {
			return false, err
		}
		if request != nil {
			c.request = *request
		}
		if response != nil {
			c.response = *response
		}
		list = append(list, c)
	}
	if err := rows.Err(); err != nil {
		return false, err
	}
	for _, c := range list {
		if c.started >= d.cutoff && (d.limit == 0 || d.used-d.freed <= d.limit || c.id == d.newest) {
			return false, nil
		}
		if err := d.remove(ctx, c); err != nil {
			return false, err
		}
	}
	return len(list) == candidateCount, nil
}

// remove counts an exchange, and what it would give back.
func (d *dryRun) remove(ctx context.Context, c candidate) error {
	d.last = c
	d.pruned.Exchanges++
	if d.exchanges[c.session]--; d.exchanges[c.session] == 0 {
		d.pruned.Sessions++
	}
	for _, id := range []int64{c.request, c.response} {
		if id == 0 {
			continue
		}
		var refs, stored int64
		if err := d.tape.db.QueryRowContext(ctx, `SELECT refs, stored FROM bodies WHERE id = ?`, id).Scan(&refs, &stored); err != nil {
			return err
		}
		if left, ok := d.refs[id]; ok {
			refs = left
		}
		if refs--; refs > 0 {
			d.refs[id] = refs
			continue
		}
		delete(d.refs, id)
		d.pruned.StoredBytes += stored
		d.freed += stored
	}
	var row int64
	err := d.tape.db.QueryRowContext(ctx, `SELECT 200 + length(url) + length(coalesce(request_header, '')) + length(coalesce(response_header, ''))
		+ length(coalesce(pieces, '')) FROM exchanges WHERE id = ?`, c.id).Scan(&row)
	d.freed += row
	return err
}
