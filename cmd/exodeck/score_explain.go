package main

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
	"github.com/exodeck/exodeck/score/acebench/sheet"
	"github.com/exodeck/exodeck/simenv"
)

// printExplanation explains the answers to one sample, in place of the sheet that they are on: one for each repeat. The exit status is
// that of the sample under the rules of the command line.
func printExplanation(s *sheet.Sheet, d *dataset.Dataset, cfg scoreACEBenchConfig, e env) error {
	sample := s.Set.Sample(cfg.Explain)
	if sample == nil {
		near := ""
		if ids := s.Set.Nearest(cfg.Explain); len(ids) > 0 {
			near = " did you mean " + strings.Join(ids, " or ") + "?"
		}
		return usagef("--explain: there is no sample %s among those that are scored, language %s;%s exodeck data ls CATEGORY lists the samples, --categories and --language choose",
			cfg.Explain, s.Set.Language, near)
	}
	var world *simenv.World
	if sample.Category.Family() == dataset.Agent {
		var err error
		if world, err = loadWorldIfHeld(d, sample.Language); err != nil {
			return err
		}
	}
	cases := s.Cases(sample, world)
	status := score.ExitPassed
	for i, c := range cases {
		explanation := explain.Explain(c)
		status = max(status, explanation.ExitStatus(cfg.options.Rules)) // missing is graver than failed
		if err := printCase(explanation, i, len(cases), cfg.Format, e); err != nil {
			return err
		}
	}
	if status != score.ExitPassed {
		return &exitError{status, nil}
	}
	return nil
}

// printCase prints one explanation; as JSON, one object for each repeat.
func printCase(explanation *explain.Explanation, i, n int, format string, e env) error {
	if format == "json" {
		return e.printJSON(explanation)
	}
	if n > 1 {
		heading := fmt.Sprintf("== repeat %d of %d\n", i+1, n)
		if i > 0 {
			heading = "\n" + heading
		}
		if _, err := fmt.Fprint(e.stdout, heading); err != nil {
			return err
		}
	}
	return explanation.WriteText(e.stdout)
}
