package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/timing"
)

type tapeTimingsConfig struct {
	Tape   string
	Query  tape.Query
	Format string
}

func tapeTimingsCommand(e env) *cli.Command {
	return leaf("timings", "how fast answers came, by model, API and size of the prompt", "", 0, append(queryFlags(),
		tapeFlag(),
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text` or json"},
	), func(c *cli.Context) error {
		q, err := queryOf(c)
		if err != nil {
			return err
		}
		cfg := tapeTimingsConfig{Tape: c.String("tape"), Query: q, Format: c.String("format")}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		return runTapeTimings(c.Context, cfg, e)
	})
}

func runTapeTimings(ctx context.Context, cfg tapeTimingsConfig, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	facts, err := timing.Of(ctx, t, cfg.Query)
	if err != nil {
		return fmt.Errorf("timing the answers of %s: %w", cfg.Tape, err)
	}
	if len(facts.Groups) == 0 {
		return &exitError{exitMissing, fmt.Errorf("%s holds no whole answer of a model to time; exodeck tape stats --tape %s says what it holds", cfg.Tape, shellWord(cfg.Tape))}
	}
	if cfg.Format == "json" {
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(facts)
	}
	return printTimings(facts, e)
}

// printTimings prints a row for each group. A cell has the median and the 90th and 99th percentiles.
func printTimings(facts *timing.Table, e env) error {
	fmt.Fprintf(e.stdout, "median / 90%% / 99%%; times in milliseconds, rates in tokens a second\n\n")
	rows := newTable("model", "api", "streamed", "prompt", "answers", "first piece", "first token", "gap", "exo: prefill", "exo: generation", "measured")
	for _, g := range facts.Groups {
		streamed := "no"
		if g.Stream {
			streamed = "yes"
		}
		rows.AppendRow(table.Row{
			show.Printable(g.Model), g.API, streamed, g.Prompt, g.Exchanges,
			quantilesCell(g.FirstPiece), quantilesCell(g.FirstToken), quantilesCell(g.Gap),
			quantilesCell(g.ReportedPrompt), quantilesCell(g.Reported), quantilesCell(g.Measured),
		})
	}
	if _, err := fmt.Fprintln(e.stdout, rows.Render()); err != nil {
		return err
	}
	if facts.LeftOut > 0 {
		fmt.Fprintf(e.stdout, "\n%s without a whole answer left out\n", counted(facts.LeftOut, "call"))
	}
	return nil
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
