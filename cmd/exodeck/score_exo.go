package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/report"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/score/scenario/cluster"
	"github.com/exodeck/exodeck/score/scenario/evaluator"
)

type scoreExoConfig struct {
	exoQuestions
	Tape     string
	Session  string
	AnyModel bool
	Reuse    bool
	Format   string
	Out      string
}

// recordedText is what the help gives as the default of flags that lay something over what the tape says of itself.
const recordedText = "what was recorded"

func scoreExoCommand(e env) *cli.Command {
	flags := append(exoFlags("the `MODEL` that was asked (default: the recorded one)", recordedText, recordedText, recordedText),
		recordingFlag(),
		&cli.StringFlag{Name: "session", Usage: "the `SESSION` to score (default: the latest run of this suite, else the whole tape)"},
		&cli.BoolFlag{Name: "any-model", Usage: "take answers of any model"},
		&cli.BoolFlag{Name: "reuse", Usage: "let one recorded answer serve several equal requests"},
		scoreFormatFlag(),
		&cli.StringFlag{Name: "out", Usage: "write the run file, as JSON, to this `FILE` too"},
	)
	return leaf("exo", "judge recorded answers to exo's tool-call scenarios", "", 0, flags, func(c *cli.Context) error {
		cfg := scoreExoConfig{
			exoQuestions: exoQuestionsOf(c),
			Tape:         c.String("tape"),
			Session:      c.String("session"),
			AnyModel:     c.Bool("any-model"),
			Reuse:        c.Bool("reuse"),
			Format:       c.String("format"),
			Out:          c.String("out"),
		}
		if err := checkScoreFormat(cfg.Format); err != nil {
			return err
		}
		if c.IsSet("repeat") && cfg.Repeat < 1 {
			return usagef("--repeat must be >= 1 (got %d)", cfg.Repeat)
		}
		// What is wrong with the rest is said before anything is opened.
		if err := cfg.override(&scenario.Settings{}); err != nil {
			return err
		}
		return runScoreExo(c.Context, cfg, e)
	})
}

func runScoreExo(ctx context.Context, cfg scoreExoConfig, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := checkSession(ctx, t, cfg.Tape, cfg.Session); err != nil {
		return err
	}
	recordedModel := cfg.Model
	if cfg.AnyModel {
		recordedModel = ""
	}
	session, settings, err := scenario.Recorded(ctx, t, cfg.Session, recordedModel)
	if err != nil {
		return cfg.nothingToScore(err)
	}
	if err := cfg.override(&settings); err != nil {
		return err
	}
	questions := cfg.exoQuestions
	questions.Scenarios = settings.Scenarios
	file, scenarios, err := questions.loadScenarios(e.stderr)
	if err != nil {
		return err
	}
	options, err := cassette.Matching(ctx, t, match.Options{
		Query:    tape.Query{Session: session},
		AnyModel: cfg.AnyModel,
		Reuse:    cfg.Reuse,
	})
	if err != nil {
		return fmt.Errorf("reading %s: %w", cfg.Tape, err)
	}
	transport, err := replay.NewTransport(ctx, t, options)
	if err != nil {
		return fmt.Errorf("reading %s: %w", cfg.Tape, err)
	}
	var clock cluster.Clock
	run := evaluator.Evaluator{
		Settings:  settings,
		Scenarios: scenarios,
		// One request at a time: which of several equal answers on the tape belongs to which question then never depends on timing.
		Client:  transport,
		Text:    e.stdout,
		Cluster: cluster.Client{Now: clock.Now, Sleep: clock.Sleep},
	}
	var text bytes.Buffer
	switch cfg.Format {
	case "text":
	case "github":
		run.Text = &text
	default:
		run.Text = e.stderr
	}
	if cfg.Verbose {
		run.Verbose = e.stderr
	}
	out, err := run.Run(ctx)
	if ctx.Err() != nil {
		return err
	}
	if out == nil {
		return cfg.nothingAsked(err)
	}
	if cfg.Format == "text" && cfg.Out == "" && out.Unprinted != nil {
		return out.Unprinted
	}
	used := transport.Report()
	fmt.Fprintf(e.stderr, "from the tape: %v\n", used)
	if others := file.Lacks(used.Unused); len(others) > 0 {
		fmt.Fprintf(e.stderr, "the tape holds answers to %s that are not of %s, such as %s: name their file with --scenarios-file\n",
			show.Count(len(others), "scenario"), file.Name, show.Printable(others[0]))
	}
	result, err := exoRunFile(ctx, t, file, out)
	if err != nil {
		return err
	}
	data, err := report.JSON(result, out.Snapshot)
	if err != nil {
		return err
	}
	if cfg.Out != "" {
		if err := writeResult(cfg.Out, data); err != nil {
			return err
		}
		if err := unlessUnread(out.Text.Written(cfg.Out)); err != nil {
			return err
		}
	}
	switch cfg.Format {
	case "text":
		err = report.Notes(e.stderr, result.Verdicts)
	case "json":
		if _, err = e.stdout.Write(data); err == nil {
			err = report.Notes(e.stderr, result.Verdicts)
		}
	default:
		err = e.printReport(cfg.Format, report.OfVerdicts(result), text.Bytes())
	}
	if cfg.Out != "" {
		err = unlessUnread(err)
	}
	if err != nil {
		return err
	}
	return verdictStatus(out.Verdicts)
}

// nothingAsked is the end of scoring a run that could not ask anything, for a reason that is on the tape. The run itself could not go on
// and exited with 4, as something that cannot run does; the tape is as it should be, and there is nothing on it to score, which is 3. Of both,
// where both hold, 4 counts. A tape that cannot be read is another matter.
func (cfg scoreExoConfig) nothingAsked(err error) error {
	status := exitMissing
	if _, unreadable := errors.AsType[*tape.Error](err); unreadable {
		status = exitCannotRun
	}
	return &exitError{status, fmt.Errorf("scoring %s: %w", cfg.Tape, err)}
}

// nothingToScore says what to do about a tape of which [scenario.Recorded] cannot tell what there is to score.
func (cfg scoreExoConfig) nothingToScore(err error) error {
	hint, status := "", exitCannotRun
	if _, ok := errors.AsType[*score.AmbiguousError](err); ok {
		status = exitMissing
	}
	if errors.Is(err, scenario.ErrNothingRecorded) {
		status = exitMissing
		hint = fmt.Sprintf(" (exodeck tape stats --tape %s says what it holds)", shellWord(cfg.Tape))
		if cfg.Model != "" {
			hint = fmt.Sprintf(" to the model %s (--any-model takes the answers of another)", cfg.Model)
		}
	}
	return &exitError{status, fmt.Errorf("scoring %s: %w%s", cfg.Tape, err, hint)}
}

// override lays what was asked for on the command line over what the tape says of itself.
func (cfg scoreExoConfig) override(s *scenario.Settings) error {
	if cfg.Model != "" {
		s.Model = cfg.Model
	}
	if cfg.API != "" {
		apis, err := scenario.APIsOf(cfg.API)
		if err != nil {
			return usagef("--api: %w", err)
		}
		s.APIs = apis
	}
	if cfg.Repeat > 0 {
		s.Repeat = cfg.Repeat
	}
	if cfg.Stream != "" {
		stream, err := scenario.StreamOf(cfg.Stream)
		if err != nil {
			return usagef("--stream: %w", err)
		}
		s.Stream = stream
	}
	if len(cfg.Scenarios) > 0 {
		s.Scenarios = cfg.Scenarios
	}
	return nil
}
