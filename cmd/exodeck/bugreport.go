package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/score/bugreport"
)

type bugreportConfig struct {
	Tape     string
	Exchange string // see findExchange
	Out      string
	Redact   redact.Rules
}

func bugreportCommand(e env) *cli.Command {
	c := leaf("bugreport", "write a report about an exchange, ready for an issue tracker", "[SESSION/]SEQ", 1, append(redactionFlags(),
		recordingFlag(),
		&cli.StringFlag{Name: "out", Usage: "write the report and a redacted cassette of the exchange into this `DIR`, named after the exchange"},
	), func(c *cli.Context) error {
		cfg := bugreportConfig{Tape: c.String("tape"), Exchange: c.Args().First(), Out: c.String("out")}
		if cfg.Exchange == "" {
			return usagef("say which exchange: exodeck bugreport 12; exodeck score conformance lists those with problems")
		}
		var err error
		if cfg.Redact, err = redactFlagsOf(c).rules(); err != nil {
			return &exitError{exitUsage, err}
		}
		return runBugreport(c.Context, cfg, e)
	})
	c.Description = exchangeNames
	return c
}

func runBugreport(ctx context.Context, cfg bugreportConfig, e env) error {
	t, x, err := openExchange(ctx, cfg.Tape, cfg.Exchange)
	if err != nil {
		return err
	}
	defer t.Close()
	var files bugreportFiles
	if cfg.Out != "" {
		if files, err = bugreportFilesOf(cfg.Out, x.Ref); err != nil {
			return err
		}
	}
	r, err := bugreport.Of(ctx, e.showReading(t), x.Ref, bugreport.Options{Redact: cfg.Redact, Generator: "exodeck " + version()})
	switch {
	case errors.Is(err, bugreport.ErrNoCall), errors.Is(err, bugreport.ErrNoProblem):
		return &exitError{exitMissing, fmt.Errorf("exchange %s has nothing to report: %w; exodeck score conformance --tape %s lists those with problems", cfg.Exchange, err, shellWord(cfg.Tape))}
	case err != nil:
		return fmt.Errorf("reporting exchange %s: %w", cfg.Exchange, err)
	}
	if cfg.Out == "" {
		return r.WriteMarkdown(e.stdout, "")
	}
	return files.write(r, e)
}

// bugreportFiles are the paths of what --out makes.
type bugreportFiles struct{ report, cassette string }

// bugreportFilesOf names the files after an exchange, so that a folder takes many reports. What is there already stays as it is.
func bugreportFilesOf(dir string, x tape.Ref) (bugreportFiles, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return bugreportFiles{}, fmt.Errorf("%w; name another folder with --out", err)
	}
	base := filepath.Join(dir, fileWord(x.Session)+"-"+strconv.FormatInt(x.Seq, 10))
	files := bugreportFiles{base + ".md", base + ".cassette.jsonl"}
	for _, path := range []string{files.report, files.cassette} {
		if _, err := os.Lstat(path); err == nil {
			return files, fmt.Errorf("%s is there already, and stays as it is; name another folder with --out, or remove it", path)
		}
	}
	return files, nil
}

// fileWord is text that can be a part of a file name on every system.
func fileWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, s)
}

func (f bugreportFiles) write(r *bugreport.Report, e env) error {
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{f.cassette, func(w io.Writer) error {
			_, err := w.Write(r.Cassette)
			return err
		}},
		{f.report, func(w io.Writer) error { return r.WriteMarkdown(w, filepath.Base(f.cassette)) }},
	} {
		if err := writeFile(file.path, file.write); err != nil {
			return err
		}
		fmt.Fprintf(e.stderr, "wrote %s\n", file.path)
	}
	return nil
}
