package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/offline"
	"github.com/exodeck/exodeck/score/acebench/recorded"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/acebench/sheet"
)

// acebenchRules says by which rules ACEBench answers are judged and what is printed of it.
type acebenchRules struct {
	Rules   string
	Repeats string
	Missing string
	Errors  string
	Diverge string

	options sheet.Options
	diverge recorded.OnDivergence
}

// acebenchScoringFlags are the flags about scoring. How repeats are named differs: `run` says how often, `score` says which.
func acebenchScoringFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "rules", Value: "evalscope", Usage: "the `RULES`: evalscope, official or strict; several with commas are shown side by side"},
		&cli.StringFlag{Name: "missing", Value: "list", Usage: "`list` samples without an answer and count them nowhere, or zero: count them as wrong"},
		&cli.StringFlag{Name: "errors", Value: "score", Usage: "`score` answers the reference scorer fails on as wrong, or drop them"},
		&cli.StringFlag{Name: "on-divergence", Value: "fail", Usage: "when a rollout asks what is not recorded: `fail`, or trajectory: execute the recorded messages regardless"},
	}
}

func acebenchRulesOf(c *cli.Context) acebenchRules {
	return acebenchRules{Rules: c.String("rules"), Repeats: string(sheet.All), Missing: c.String("missing"), Errors: c.String("errors"), Diverge: c.String("on-divergence")}
}

func (r *acebenchRules) validate() error {
	var errs [3]error
	r.options.Version = version()
	r.options.Rules, errs[0] = rules.Parse(r.Rules)
	r.options.Repeats, errs[1] = sheet.RepeatsOf(r.Repeats)
	r.diverge, errs[2] = recorded.OnDivergenceOf(r.Diverge)
	r.options.Missing, r.options.Errors = acebench.MissingPolicy(r.Missing), acebench.ErrorPolicy(r.Errors)
	switch {
	case errs[0] != nil:
		return usagef("--rules: %v", errs[0])
	case errs[1] != nil:
		return usagef("--repeat: %v", errs[1])
	case errs[2] != nil:
		return usagef("--on-divergence: %v", errs[2])
	case r.options.Missing != acebench.MissingList && r.options.Missing != acebench.MissingZero:
		return usagef("--missing is list or zero, not %q", r.Missing)
	case r.options.Errors != acebench.ErrorsScore && r.options.Errors != acebench.ErrorsDrop:
		return usagef("--errors is score or drop, not %q", r.Errors)
	}
	return nil
}

// categoriesFlag selects categories, by their names and those of groups.
func categoriesFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "categories", Usage: "only these, `NAMES` with commas: " + categoryNames}
}

// categoryNames are the names that flags about categories take, in words.
const categoryNames = "categories, or normal, special, agent, atom, multi_turn, test_all"

// categoriesOf reads the value of --categories; none means all.
func categoriesOf(c *cli.Context) ([]dataset.Category, error) {
	names := splitCommas(c.StringSlice("categories"))
	if len(names) == 0 {
		return nil, nil
	}
	categories, err := dataset.Expand(names...)
	if err != nil {
		return nil, usagef("--categories: %v", err)
	}
	return categories, nil
}

// loadSet reads the samples of a data set.
func loadSet(d *dataset.Dataset, language dataset.Language, categories []dataset.Category) (*dataset.Set, error) {
	set, err := d.Load(language, categories...)
	return set, wholeData(err)
}

// wholeData says what to do about a data set that cannot be read whole.
func wholeData(err error) error {
	if _, ok := errors.AsType[dataset.Problems](err); ok {
		return fmt.Errorf("%w\nmend the data, or name the categories that are whole with --categories", err)
	}
	return err
}

// scoreTape scores what the recording at path holds.
func scoreTape(ctx context.Context, path string, scoring offline.Scoring, d *dataset.Dataset, e env) (*sheet.Sheet, error) {
	t, err := cassette.OpenSource(ctx, path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if err := checkSession(ctx, t, path, scoring.Choice.Session); err != nil {
		return nil, err
	}
	scoring.Tell = func(line string) { fmt.Fprintln(e.stderr, line) }
	s, err := scoring.Score(ctx, t, d)
	if errors.Is(err, recorded.ErrNothingRecorded) {
		return nil, &exitError{exitMissing, fmt.Errorf("scoring %s: %w (exodeck tape stats --tape %s says what it holds)", path, err, shellWord(path))}
	}
	if _, ok := errors.AsType[*score.AmbiguousError](err); ok {
		return nil, &exitError{exitMissing, fmt.Errorf("scoring %s: %w", path, err)}
	}
	return s, wholeData(err)
}

// printSheet writes the result to a file, when one is named, and prints it.
func printSheet(s *sheet.Sheet, format, out string, e env) error {
	data, err := s.JSON()
	if err != nil {
		return err
	}
	if out != "" { // before it is printed: whoever reads that may stop early
		if err := writeResult(out, data); err != nil {
			return err
		}
	}
	switch format {
	case "text":
		err = s.WriteText(e.stdout)
	case "json":
		_, err = e.stdout.Write(data)
	case "github":
		var text bytes.Buffer
		if err = s.WriteText(&text); err == nil {
			err = e.printReport(format, s.Report(), text.Bytes())
		}
	default:
		err = e.printReport(format, s.Report(), nil)
	}
	if out != "" {
		err = unlessUnread(err)
	}
	if err != nil {
		return err
	}
	if out != "" {
		fmt.Fprintf(e.stderr, "the run file is %s\n", out)
	}
	if status := s.ExitStatus(); status != 0 {
		return &exitError{status, nil}
	}
	return nil
}
