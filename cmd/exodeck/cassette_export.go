package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/har"
	"github.com/exodeck/exodeck/replay/cassette/redact"
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

	labels map[string]string
	redact *redact.Rules
}

func cassetteExportCommand(e env) *cli.Command {
	flags := append(queryFlags(),
		tapeFlag(),
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
	cfg.labels = map[string]string{}
	for _, s := range cfg.Labels {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return fmt.Errorf("--label is K=V, not %q", s)
		}
		cfg.labels[key] = value
	}
	if cfg.Verdict != "failed" && cfg.Verdict != "passed" && cfg.Verdict != "missing" {
		return fmt.Errorf("--verdict is failed, passed or missing, not %q", cfg.Verdict)
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
		chosen, err := readVerdicts(cfg.Run, cfg.Verdict)
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
			done, err = exportHAR(ctx, w, src, options)
		} else {
			done, err = cassette.Export(ctx, w, src, options)
		}
		return err
	})
	if errors.Is(err, cassette.ErrNothing) {
		return &exitError{exitMissing, fmt.Errorf("exporting %s: %w; exodeck tape ls --tape %s lists those there are", cfg.Tape, err, cfg.Tape)}
	}
	if err != nil {
		return fmt.Errorf("exporting %s: %w", cfg.Tape, err)
	}
	said := "secrets were left in"
	if cfg.redact != nil {
		said = counted(done.Secrets, "secret") + " taken out"
	}
	fmt.Fprintf(e.stderr, "exported %s, %s\n", counted(done.Exchanges, "exchange"), said)
	return nil
}

// exportHAR writes an archive of what a cassette would hold.
func exportHAR(ctx context.Context, w io.Writer, src cassette.Source, o cassette.ExportOptions) (cassette.Exported, error) {
	var text bytes.Buffer
	done, err := cassette.Export(ctx, &text, src, o)
	if err != nil {
		return done, err
	}
	c, err := cassette.Read(&text, o.Fallback)
	if err != nil {
		return done, err
	}
	return done, har.Write(ctx, w, c, version())
}

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

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
