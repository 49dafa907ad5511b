package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
)

type tapeTailConfig struct {
	Tape   string
	Query  tape.Query
	Last   int // how many exchanges are printed at once
	Follow bool
	Format string
}

func tapeTailCommand(e env) *cli.Command {
	return leaf("tail", "print the last exchanges, and with -f those to come as they end", "", 0, append(queryFlags(),
		tapeFlag(),
		&cli.IntFlag{Name: "last", Aliases: []string{"n"}, Value: 10, Usage: "how many `EXCHANGES` to print at first"},
		&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on until Ctrl-C; wait for the tape if it is not there yet"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text`, or json: one object a line"},
	), func(c *cli.Context) error {
		q, err := queryOf(c)
		if err != nil {
			return err
		}
		cfg := tapeTailConfig{Tape: c.String("tape"), Query: q, Last: c.Int("last"), Follow: c.Bool("follow"), Format: c.String("format")}
		if cfg.Last < 0 {
			return usagef("--last is how many exchanges to print, not %d", cfg.Last)
		}
		if cfg.Format != "text" && cfg.Format != "json" {
			return usagef("--format is text or json, not %q", cfg.Format)
		}
		err = runTapeTail(c.Context, cfg, e)
		if cfg.Follow && errors.Is(err, context.Canceled) {
			return nil // Ctrl-C is how following ends
		}
		return err
	})
}

// tailInterval is how long following waits between two looks at the tape.
const tailInterval = 500 * time.Millisecond

func runTapeTail(ctx context.Context, cfg tapeTailConfig, e env) error {
	if cfg.Follow {
		if err := awaitTape(ctx, cfg.Tape, e); err != nil {
			return err
		}
	}
	t, err := tape.Open(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	print := func(x *tape.Exchange) error {
		if cfg.Format == "json" {
			return enc.Encode(listed(x))
		}
		_, err := fmt.Fprintln(e.stdout, exchangeLine(x))
		return err
	}
	if !cfg.Follow {
		last, err := lastExchanges(ctx, t, cfg.Query, cfg.Last)
		if err != nil {
			return fmt.Errorf("reading the end of %s: %w", cfg.Tape, err)
		}
		for _, x := range last {
			if err := print(x); err != nil {
				return err
			}
		}
		return nil
	}
	if err := follow(ctx, t, cfg, print); err != nil {
		return fmt.Errorf("following %s: %w", cfg.Tape, err)
	}
	return nil
}

// awaitTape waits until there is a tape, and says so when it has to.
func awaitTape(ctx context.Context, path string, e env) error {
	said := false
	for {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil // whatever is there, opening it tells
		}
		if !said {
			fmt.Fprintf(e.stderr, "waiting for %s; exodeck record --tape %s creates it\n", path, shellWord(path))
			said = true
		}
		if err := sleep(ctx, tailInterval); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// lastExchanges returns the n exchanges that started last, by their start. So that a long tape is not read whole, it looks
// back further and further.
func lastExchanges(ctx context.Context, t *tape.Tape, q tape.Query, n int) ([]*tape.Exchange, error) {
	from := q.From
	for back := time.Minute; ; back *= 8 {
		q.From = time.Now().Add(-back)
		all := q.From.Before(from) || back > 10*365*24*time.Hour
		if all {
			q.From = from
		}
		var found []*tape.Exchange
		for x, err := range t.Exchanges(ctx, q) {
			if err != nil {
				return nil, err
			}
			if found = append(found, x); len(found) > 2*n+1000 {
				found = latest(found, n)
			}
		}
		if len(found) >= n || all {
			return latest(found, n), nil
		}
	}
}

// latest returns the n exchanges that started last, by their start.
func latest(list []*tape.Exchange, n int) []*tape.Exchange {
	slices.SortStableFunc(list, func(a, b *tape.Exchange) int { return a.Started.Compare(b.Started) })
	return list[max(0, len(list)-n):]
}

// follow prints the last exchanges that have ended, then each as it ends.
func follow(ctx context.Context, t *tape.Tape, cfg tapeTailConfig, print func(*tape.Exchange) error) error {
	f := &follower{tape: t, query: cfg.Query, ended: cfg.Query.Ended, sessions: make(map[string]*followed)}
	if err := f.begin(ctx, time.Now()); err != nil {
		return err
	}
	last, err := lastExchanges(ctx, t, cfg.Query, cfg.Last)
	if err != nil {
		return err
	}
	printed := make(map[tape.Ref]bool)
	for {
		for _, x := range last {
			if x.Ended == tape.InFlight || printed[x.Ref] {
				continue
			}
			if err := print(x); err != nil {
				return err
			}
			if len(printed) < cfg.Last {
				printed[x.Ref] = true // it may have ended between the first look and the second
			}
		}
		if err := sleep(ctx, tailInterval); err != nil {
			return err
		}
		if last, err = f.look(ctx, time.Now()); err != nil {
			return err
		}
	}
}

// follower finds out which exchanges have ended since it last looked.
type follower struct {
	tape     *tape.Tape
	query    tape.Query
	ended    []tape.Ended // which of them are asked for; none means all
	sessions map[string]*followed
	flying   []tape.Ref
}

// followed is how far a session has been seen. An exchange gets on the tape when its request has arrived whole, so a later one may be
// there first.
type followed struct {
	next  int64 // all before it have been seen, or are given up
	from  time.Time
	ahead map[int64]time.Time // start of those seen at or after next
}

// lateArrival is how long a request may take to arrive whole after a later one has: what comes even later is not told.
const lateArrival = time.Minute

// begin learns what is there already: what is in flight, and what started a short time ago.
func (f *follower) begin(ctx context.Context, now time.Time) error {
	f.query.Ended = []tape.Ended{tape.InFlight}
	for x, err := range f.tape.Exchanges(ctx, f.query) {
		if err != nil {
			return err
		}
		f.flying = append(f.flying, x.Ref)
	}
	f.query.Ended = nil // how an exchange ends is not known when it gets on the tape
	if recent := now.Add(-lateArrival); recent.After(f.query.From) {
		f.query.From = recent
	}
	return f.unseen(ctx, now, func(x *tape.Exchange) {
		if x.Ended == tape.InFlight && !slices.Contains(f.flying, x.Ref) {
			f.flying = append(f.flying, x.Ref)
		}
	})
}

// look returns the exchanges that have ended since the last look, by their end.
func (f *follower) look(ctx context.Context, now time.Time) ([]*tape.Exchange, error) {
	var list []*tape.Exchange
	take := func(x *tape.Exchange) {
		switch {
		case x.Ended == tape.InFlight:
			f.flying = append(f.flying, x.Ref)
		case len(f.ended) == 0 || slices.Contains(f.ended, x.Ended):
			list = append(list, x)
		}
	}
	flying := f.flying
	f.flying = nil
	for _, ref := range flying {
		x, err := f.tape.Exchange(ctx, ref)
		if errors.Is(err, tape.ErrNoExchange) {
			continue // it has been pruned
		}
		if err != nil {
			return nil, err
		}
		take(x)
	}
	err := f.unseen(ctx, now, take)
	slices.SortStableFunc(list, func(a, b *tape.Exchange) int { return a.Started.Add(a.Total).Compare(b.Started.Add(b.Total)) })
	return list, err
}

// unseen takes the exchanges that have not been seen.
func (f *follower) unseen(ctx context.Context, now time.Time, take func(*tape.Exchange)) error {
	sessions, err := f.tape.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		if f.query.Session != "" && f.query.Session != session.Name {
			continue
		}
		s := f.sessions[session.Name]
		if s == nil {
			s = &followed{next: 1, from: f.query.From, ahead: make(map[int64]time.Time)}
			f.sessions[session.Name] = s
		}
		q := f.query
		q.Session, q.From = session.Name, s.from
		for x, err := range f.tape.Exchanges(ctx, q) {
			if err != nil {
				return err
			}
			if _, seen := s.ahead[x.Seq]; !seen && x.Seq >= s.next {
				s.ahead[x.Seq] = x.Started
				take(x)
			}
		}
		s.advance(now)
	}
	return nil
}

// advance moves next past all that has been seen, and past what is missing for too long: exchanges that went unrecorded, or that the
// query does not ask for.
func (s *followed) advance(now time.Time) {
	for _, seq := range slices.Sorted(maps.Keys(s.ahead)) {
		started := s.ahead[seq]
		if seq != s.next && now.Sub(started) < lateArrival {
			return
		}
		delete(s.ahead, seq)
		s.next = seq + 1
		// Exchanges are numbered in the order of their starts, but for the moment that numbering takes.
		if from := started.Add(-time.Second); from.After(s.from) {
			s.from = from
		}
	}
}

// exchangeLine is an exchange in one line.
func exchangeLine(x *tape.Exchange) string {
	row := listed(x)
	line := fmt.Sprintf("%s  %s/%d  %s  %s %s  %s %s  %s → %s  %s", row.Started.Format("15:04:05.000"), x.Session, x.Seq, apiCell(row),
		row.Method, show.Printable(cut(row.URL, 60)), statusCell(row.Status), endedCell(row.Ended),
		formatBytes(row.RequestBytes), formatBytes(row.ResponseBytes), formatDuration(x.Total))
	if row.Model != "" {
		line += "  " + show.Printable(cut(row.Model, 40))
	}
	if row.Cause != "" {
		line += "  " + show.Printable(cut(row.Cause, 80))
	}
	return strings.TrimRight(line, " ")
}
