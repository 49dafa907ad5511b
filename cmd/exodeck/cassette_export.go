package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/har"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score"
)

type cassetteExportConfig struct {
	Tape     string
	Query    tape.Query
	Labels   []string
	Samples  []string
	Run      string
	Verdict  string
	Name     string
	Redact   redactFlags
	NoRedact bool
	Format   string
	Out      string

	labels  map[string]string
	verdict score.Result
	redact  *redact.Rules
}

func cassetteExportCommand(e env) *cli.Command {
	flags := append(queryFlags(),
		recordingFlag(),
		&cli.StringSliceFlag{Name: "label", Usage: "only exchanges with the label `K=V`; may be repeated, all count"},
		&cli.StringSliceFlag{Name: "sample", Usage: "only exchanges of the sample `NAME`; may be repeated, any counts"},
		&cli.StringFlag{Name: "run", Usage: "only exchanges of the samples that have --verdict in this run `FILE`"},
		&cli.StringFlag{Name: "verdict", Value: "failed", Usage: "with --run: `failed`, passed or missing"},
		&cli.StringFlag{Name: "name", Usage: "the `NAME` in the cassette (default: that of the cassette the exchanges come from, or of the file)"},
		&cli.BoolFlag{Name: "no-redact", Usage: "leave secrets in"},
		&cli.StringFlag{Name: "format", Value: "cassette", Usage: "`cassette`, or har: an HTTP Archive for the tools of browsers"},
		&cli.StringFlag{Name: "out", Usage: "write to this `FILE` instead of standard output"},
	)
	return leaf("export", "cut exchanges out of a tape into a cassette, without secrets", "", 0, append(flags, redactionFlags()...), func(c *cli.Context) error {
		q, err := queryOf(c)
		if err != nil {
			return err
		}
		cfg := cassetteExportConfig{
			Tape:     c.String("tape"),
			Query:    q,
			Labels:   c.StringSlice("label"),
			Samples:  c.StringSlice("sample"),
			Run:      c.String("run"),
			Verdict:  c.String("verdict"),
			Name:     c.String("name"),
			Redact:   redactFlagsOf(c),
			NoRedact: c.Bool("no-redact"),
			Format:   c.String("format"),
			Out:      c.String("out"),
		}
		if err := cfg.validate(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runCassetteExport(c.Context, cfg, e)
	})
}

func (cfg *cassetteExportConfig) validate() error {
	var err error
	if cfg.labels, err = parseLabels(cfg.Labels); err != nil {
		return err
	}
	if cfg.verdict, err = score.ParseResult(cfg.Verdict); err != nil {
		return fmt.Errorf("--verdict: %w", err)
	}
	if cfg.Format != "cassette" && cfg.Format != "har" {
		return fmt.Errorf("--format is cassette or har, not %q", cfg.Format)
	}
	rules, err := cfg.Redact.rules()
	if err != nil {
		return err
	}
	if cfg.NoRedact {
		if cfg.Redact.any() {
			return errors.New("--no-redact and another flag about redaction: choose one")
		}
		return nil
	}
	cfg.redact = &rules
	return nil
}

func runCassetteExport(ctx context.Context, cfg cassetteExportConfig, e env) error {
	keep := []func(*tape.Exchange) bool{func(x *tape.Exchange) bool { return cfg.hasLabels(x) }}
	if cfg.Run != "" {
		chosen, err := samplesWith(cfg.verdict, cfg.Run)
		if err != nil {
			return err
		}
		keep = append(keep, chosen)
	}
	src, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer src.Close()
	src = e.showReading(src)
	options := cassette.ExportOptions{
		Name:      cfg.Name,
		Fallback:  cassetteName(cfg.Out, cfg.Tape),
		Generator: "exodeck " + version(),
		Query:     cfg.Query,
		Keep: func(x *tape.Exchange) bool {
			return !slices.ContainsFunc(keep, func(keep func(*tape.Exchange) bool) bool { return !keep(x) })
		},
		Redact: cfg.redact,
	}
	var done cassette.Exported
	err = writeWhole(cfg.Out, e, func(w io.Writer) (err error) {
		if cfg.Format == "har" {
			done, err = har.Export(ctx, w, src, options, version())
		} else {
			done, err = cassette.Export(ctx, w, src, options)
		}
		return err
	})
	if errors.Is(err, cassette.ErrNothing) {
		return &exitError{exitMissing, fmt.Errorf("exporting %s: %w; exodeck tape ls --tape %s lists those there are", cfg.Tape, err, shellWord(cfg.Tape))}
	}
	if err != nil {
		return fmt.Errorf("exporting %s: %w", cfg.Tape, err)
	}
	said := "secrets were left in"
	if cfg.redact != nil {
		said = show.Count(done.Secrets, "secret") + " taken out"
	}
	fmt.Fprintf(e.stderr, "exported %s, %s%s\n", show.Count(done.Exchanges, "exchange"), said, filesReplaced(done))
	return nil
}

// samplesWith returns a function that tells the exchanges of samples with a verdict in a run file. The exchanges carry the name of their
// sample as a label. Of a sample that was asked several times all are taken when one has the verdict.
func samplesWith(verdict score.Result, path string) (func(*tape.Exchange) bool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the run file: %w; name a file that --out of exodeck score wrote", err)
	}
	outcomes, err := score.ParseOutcomes(data)
	if err != nil {
		return nil, fmt.Errorf("reading the run file %s: %w", path, err)
	}
	chosen := make(map[score.Outcome]bool)
	for _, o := range outcomes {
		if o.Result == verdict {
			chosen[o] = true
		}
	}
	if len(chosen) == 0 {
		return nil, &exitError{exitMissing, fmt.Errorf("the run file %s has no sample that %s; --verdict chooses others", path, verdictVerbs[verdict])}
	}
	return func(x *tape.Exchange) bool {
		sample := x.Labels["sample"]
		return sample != "" && (chosen[score.Outcome{Sample: sample, API: x.Facts.API, Result: verdict}] || chosen[score.Outcome{Sample: sample, Result: verdict}])
	}, nil
}

// verdictVerbs are verdicts in a sentence.
var verdictVerbs = map[score.Result]string{score.Failed: "failed", score.Passed: "passed", score.NoAnswer: "is missing"}

// hasLabels reports whether an exchange has the labels and one of the samples that are asked for.
func (cfg *cassetteExportConfig) hasLabels(x *tape.Exchange) bool {
	for key, value := range cfg.labels {
		if got, ok := x.Labels[key]; !ok || got != value {
			return false
		}
	}
	return len(cfg.Samples) == 0 || slices.Contains(cfg.Samples, x.Labels["sample"])
}

// cassetteName is the name of a cassette by the file it is written to, or else by that it is made of.
func cassetteName(out, from string) string {
	path := out
	if path == "" {
		path = from
	}
	name := filepath.Base(path)
	for _, suffix := range []string{".jsonl", ".cassette", ".tape"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}
