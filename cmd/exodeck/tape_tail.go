package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/follow"
	"github.com/exodeck/exodeck/replay/show"
)

type tapeTailConfig struct {
	tapeQuery
	Last   int // how many exchanges are printed at once
	Follow bool
}

func tapeTailCommand(e env) *cli.Command {
	return leaf("tail", "print the last exchanges, and with -f those to come as they end", "", 0, append(tapeQueryFlags(oneALine),
		&cli.IntFlag{Name: "last", Aliases: []string{"n"}, Value: 10, Usage: "how many `EXCHANGES` to print at first"},
		&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on until Ctrl-C; wait for the tape if it is not there yet"},
	), func(c *cli.Context) error {
		q, err := tapeQueryOf(c)
		if err != nil {
			return err
		}
		cfg := tapeTailConfig{tapeQuery: q, Last: c.Int("last"), Follow: c.Bool("follow")}
		if cfg.Last < 0 {
			return usagef("--last is how many exchanges to print, not %d", cfg.Last)
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
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	enc := jsonLines(e.stdout)
	tell := func(x *tape.Exchange) error {
		if cfg.Format == "json" {
			return enc.Encode(listed(x))
		}
		_, err := fmt.Fprintln(e.stdout, exchangeLine(x))
		return err
	}
	if !cfg.Follow {
		last, err := follow.Last(ctx, t, cfg.Query, cfg.Last)
		if err != nil {
			return fmt.Errorf("reading the end of %s: %w", cfg.Tape, err)
		}
		if len(last) == 0 && cfg.Last > 0 && cfg.Format == "text" {
			tellNone(cfg.Tape, "exchange", cfg.Query, e)
		}
		for _, x := range last {
			if err := tell(x); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("following %s: %w", cfg.Tape, runFollow(ctx, t, cfg, tell))
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

// runFollow tells the last exchanges that have ended, then each as it ends. It ends with an error only, be it that ctx is done.
func runFollow(ctx context.Context, src follow.Source, cfg tapeTailConfig, tell func(*tape.Exchange) error) error {
	f, err := follow.New(ctx, src, cfg.Query, time.Now())
	if err != nil {
		return err
	}
	list, err := follow.Last(ctx, src, cfg.Query, cfg.Last)
	if err != nil {
		return err
	}
	told := make(map[tape.Ref]bool)
	for _, x := range list {
		told[x.Ref] = x.Ended != tape.InFlight // it may have ended between the first look and the second
	}
	for first := true; ; first = false {
		for _, x := range list {
			if x.Ended == tape.InFlight || told[x.Ref] && !first {
				continue
			}
			if err := tell(x); err != nil {
				return err
			}
		}
		if err := sleep(ctx, tailInterval); err != nil {
			return err
		}
		if list, err = f.Look(ctx, time.Now()); err != nil {
			return err
		}
	}
}

// exchangeLine is an exchange in one line.
func exchangeLine(x *tape.Exchange) string {
	row := listed(x)
	line := fmt.Sprintf("%s  %s/%d  %s  %s %s  %s %s  %s → %s  %s", row.Started.Format("15:04:05.000"), x.Session, x.Seq, apiCell(row),
		show.Line(cut(row.Method, 20)), show.Printable(cut(row.URL, 60)), statusCell(row.Status), endedCell(row.Ended),
		formatBytes(row.RequestBytes), formatBytes(row.ResponseBytes), formatDuration(x.Total))
	if row.Model != "" {
		line += "  " + show.Printable(cut(row.Model, 40))
	}
	if row.Cause != "" {
		line += "  " + show.Printable(cut(row.Cause, 80))
	}
	return strings.TrimRight(line, " ")
}
