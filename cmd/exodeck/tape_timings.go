package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/timing"
)

func tapeTimingsCommand(e env) *cli.Command {
	return leaf("timings", "how fast answers came, by model, API and size of the prompt", "", 0, tapeQueryFlags(textOrJSON), func(c *cli.Context) error {
		cfg, err := tapeQueryOf(c)
		if err != nil {
			return err
		}
		return runTapeTimings(c.Context, cfg, e)
	})
}

func runTapeTimings(ctx context.Context, cfg tapeQuery, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	facts, err := timing.Of(ctx, e.showReading(t), cfg.Query)
	if err != nil {
		return fmt.Errorf("timing the answers of %s: %w", cfg.Tape, err)
	}
	if len(facts.Groups) == 0 {
		return holdsNone(cfg.Tape, "whole answer of a model to time", cfg.Query)
	}
	if cfg.Format == "json" {
		return e.printJSON(facts)
	}
	return printTimings(facts, e)
}

// printTimings prints a row for each group. A cell has the median and the 90th and 99th percentiles.
func printTimings(facts *timing.Table, e env) error {
	fmt.Fprintf(e.stdout, "median / 90%% / 99%%; times in milliseconds, rates in tokens a second\n\n")
	rows := newTable("model", "api", "streamed", "prompt tokens", "answers", "first piece", "first token", "gap", "exo: prefill", "exo: generation", "measured")
	for _, g := range facts.Groups {
		rows.AppendRow(table.Row{
			show.Printable(g.Model), g.API, yesNo(g.Stream), g.Prompt, g.Exchanges,
			quantilesCell(g.FirstPiece), quantilesCell(g.FirstToken), quantilesCell(g.Gap),
			quantilesCell(g.ReportedPrompt), quantilesCell(g.Reported), quantilesCell(g.Measured),
		})
	}
	_, err := fmt.Fprintln(e.stdout, rows.Render())
	if err == nil && facts.LeftOut > 0 {
		_, err = fmt.Fprintf(e.stdout, "\n%s without a whole answer left out\n", show.Count(facts.LeftOut, "call"))
	}
	return err
}

func quantilesCell(q *timing.Quantiles) string {
	if q == nil {
		return "-"
	}
	return shortNumber(q.Median) + " / " + shortNumber(q.P90) + " / " + shortNumber(q.P99)
}

// shortNumber writes a value with as many decimals as tell something.
func shortNumber(v float64) string {
	if v < 10 {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}
