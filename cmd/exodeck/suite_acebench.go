package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
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
		&cli.StringFlag{Name: "rules", Value: "evalscope", Usage: "evalscope, official or strict; several with commas are shown side by side"},
		&cli.StringFlag{Name: "missing", Value: "list", Usage: "list samples without an answer and count them nowhere, or `zero`: count them as wrong"},
		&cli.StringFlag{Name: "errors", Value: "score", Usage: "score answers the reference scorer fails on as wrong, or `drop` them"},
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
	return &cli.StringSliceFlag{Name: "categories", Usage: "only these, `NAMES` with commas: categories, or normal, special, agent, atom, multi_turn, test_all"}
}

// categoriesOf reads the value of --categories; none means all.
func categoriesOf(c *cli.Context) ([]dataset.Category, error) {
	var names []string
	for _, list := range c.StringSlice("categories") {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
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
	var problems dataset.Problems
	if errors.As(err, &problems) {
		return nil, fmt.Errorf("%w\nmend the data, or name the categories that are whole with --categories", err)
	}
	return set, err
}

// loadMaterials reads what the samples of a set are asked with.
func loadMaterials(d *dataset.Dataset, set *dataset.Set) (*ask.Materials, error) {
	agents := slices.ContainsFunc(set.Samples, func(s *dataset.Sample) bool { return s.Category.Family() == dataset.Agent })
	return ask.LoadMaterials(d, set.Language, agents)
}

// acebenchTape is a recording to score.
type acebenchTape struct {
	path       string
	choice     recorded.Choice
	categories []dataset.Category
	maxSteps   int
	rules      acebenchRules
}

// score plays a recording and scores what it holds.
func (a acebenchTape) score(ctx context.Context, d *dataset.Dataset, e env) (*sheet.Sheet, *ask.Materials, error) {
	t, err := cassette.OpenSource(ctx, a.path)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	found, err := recorded.Find(ctx, t, a.choice)
	if err != nil {
		return nil, nil, missingError(a.path, err)
	}
	language, categories := a.choice.Language, a.categories
	if found.Settings != nil {
		language = found.Settings.Language
		if len(categories) == 0 {
			categories = found.Settings.Categories
		}
	} else if language == "" {
		if language, err = a.language(ctx, t, found, d); err != nil {
			return nil, nil, missingError(a.path, err)
		}
		fmt.Fprintf(e.stderr, "language: %s, by the recorded prompts\n", language)
	}
	set, err := loadSet(d, language, categories)
	if err != nil {
		return nil, nil, err
	}
	if s := found.Settings; s != nil {
		set.Samples = s.Select(set.Samples)
		if len(a.categories) == 0 && s.Data != set.Digest {
			fmt.Fprintf(e.stderr, "exodeck: the data differ from those that were asked (%s, now %s): the answers may not be found\n", s.Data, set.Digest)
		}
	}
	materials, err := loadMaterials(d, set)
	if err != nil {
		return nil, nil, err
	}
	scorers := make([]*acebench.Scorer, len(a.rules.options.Rules))
	for i, r := range a.rules.options.Rules {
		scorers[i] = acebench.NewScorer(set, r)
	}
	matching, err := cassette.Matching(ctx, t, match.Default())
	if err != nil {
		return nil, nil, err
	}
	game := &recorded.Game{
		Tape:      t,
		Found:     found,
		Samples:   set.Samples,
		Materials: materials,
		OnDiverge: a.rules.diverge,
		Model:     a.choice.Model,
		MaxSteps:  a.maxSteps,
		Match:     matching,
		Same:      func(i int, x, y *acebench.Answer) bool { return sheet.Same(scorers, i, x, y) },
	}
	played, err := game.Play(ctx)
	if err != nil {
		return nil, nil, missingError(a.path, err)
	}
	o := a.rules.options
	o.Digest = func(outcomes []ask.Outcome) (string, error) { return sheet.RecordingDigest(ctx, t, outcomes) }
	s, err := sheet.New(set, played.Outcomes, o)
	if err != nil {
		return nil, nil, err
	}
	s.Remarks = played.Remarks
	return s, materials, nil
}

// missingError gives errors that mean a lack of answers their exit status.
func missingError(path string, err error) error {
	if _, ok := errors.AsType[*recorded.AmbiguousError](err); ok || errors.Is(err, recorded.ErrNothingRecorded) {
		return &exitError{exitMissing, fmt.Errorf("scoring %s: %w", path, err)}
	}
	return err
}

// language tells by the prompts which language a recording of another client is in.
func (a acebenchTape) language(ctx context.Context, t cassette.Source, found *recorded.Found, d *dataset.Dataset) (dataset.Language, error) {
	samples := map[dataset.Language][]*dataset.Sample{}
	materials := map[dataset.Language]*ask.Materials{}
	for _, l := range d.Languages() {
		set, err := loadSet(d, l, a.categories)
		if err != nil {
			return "", err
		}
		samples[l] = set.Samples
		if materials[l], err = loadMaterials(d, set); err != nil {
			return "", err
		}
	}
	counts, err := recorded.Languages(ctx, t, found, samples, materials)
	if err != nil {
		return "", err
	}
	var spoken []string
	for _, l := range dataset.Languages() {
		if counts[l] > 0 {
			spoken = append(spoken, string(l))
		}
	}
	switch len(spoken) {
	case 0:
		return "", recorded.ErrNothingRecorded
	case 1:
		return dataset.Language(spoken[0]), nil
	}
	return "", &recorded.AmbiguousError{What: "language", Flag: "--language", Choices: spoken}
}

// printSheet prints the result and writes it to files.
func printSheet(s *sheet.Sheet, format, out string, e env) error {
	data, err := s.JSON()
	if err != nil {
		return err
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
	if err != nil {
		return err
	}
	if out != "" {
		if err := writeResult(out, data); err != nil {
			return err
		}
		fmt.Fprintf(e.stderr, "the run file is %s\n", out)
	}
	if status := s.ExitStatus(); status != 0 {
		return &exitError{status, nil}
	}
	return nil
}
