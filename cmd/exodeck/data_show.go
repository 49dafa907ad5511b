package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
	"github.com/exodeck/exodeck/simenv"
)

type dataShowConfig struct {
	Data     string
	Language string
	ID       string
	Format   string
}

func dataShowCommand(e env) *cli.Command {
	return leaf("show", "print a sample: what is asked, the prompt as sent, the expected answer", "ID", 1, []cli.Flag{
		dataFlag(),
		&cli.StringFlag{Name: "language", Usage: "`en` or zh (default: the first that has the sample)"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text` or json"},
	}, func(c *cli.Context) error {
		cfg := dataShowConfig{Data: c.String("data"), Language: c.String("language"), ID: c.Args().First(), Format: c.String("format")}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		if cfg.ID == "" {
			return usagef("say which sample: exodeck data show normal_atom_bool_0; exodeck data ls CATEGORY lists them")
		}
		return runDataShow(c.Context, cfg, e)
	})
}

// shownSample is a sample with what a model is asked.
type shownSample struct {
	explain.Sample
	Prompt []explain.Message `json:"prompt"`
}

func runDataShow(ctx context.Context, cfg dataShowConfig, e env) error {
	d, languages, err := openLanguages(cfg.Data, cfg.Language, e)
	if err != nil {
		return err
	}
	sample, err := findSample(d, languages, cfg.ID)
	if err != nil {
		return err
	}
	shown := shownSample{Sample: explain.Describe(sample)}
	shown.Prompt, err = promptOf(ctx, d, sample)
	switch {
	case errors.Is(err, dataset.ErrNotHeld):
		fmt.Fprintf(e.stderr, "the prompt is not shown: %v\n", err)
	case err != nil:
		return err
	}
	if cfg.Format == "json" {
		return e.printJSON(shown)
	}
	if err := shown.WriteText(e.stdout); err != nil {
		return err
	}
	return writePrompt(e.stdout, shown.Prompt)
}

// findSample finds the sample with an id, in the first of the languages that has it.
func findSample(d *dataset.Dataset, languages []dataset.Language, id string) (*dataset.Sample, error) {
	sample, problems := d.Find(id, languages...)
	if sample != nil {
		return sample, nil
	}
	category := "CATEGORY"
	if c := dataset.CategoryOf(id, ""); c.Known() {
		category = string(c)
	}
	return nil, errors.Join(fmt.Errorf("%s has no sample %s in language %s; exodeck data ls %s lists those there are", d.Name(), id, languageNames(languages), category), problems)
}

func languageNames(languages []dataset.Language) string {
	names := make([]string, len(languages))
	for i, l := range languages {
		names[i] = string(l)
	}
	return strings.Join(names, " or ")
}

// promptOf makes what a model is asked first. The world is read for agents only.
func promptOf(ctx context.Context, d *dataset.Dataset, s *dataset.Sample) ([]explain.Message, error) {
	templates, err := d.Templates()
	if err != nil {
		return nil, err
	}
	var world *simenv.World
	if s.Category.Family() == dataset.Agent {
		if world, err = d.LoadWorld(s.Language); err != nil {
			return nil, err
		}
	}
	return explain.Prompt(ctx, s, templates, world)
}

func writePrompt(w io.Writer, messages []explain.Message) error {
	for _, m := range messages {
		if _, err := fmt.Fprintf(w, "\nPrompt, to the %s, %s message\n", m.To, m.Role); err != nil {
			return err
		}
		for line := range strings.SplitSeq(strings.TrimRight(m.Content, "\n"), "\n") {
			if _, err := fmt.Fprintln(w, strings.TrimRight("  "+show.Printable(line), " ")); err != nil {
				return err
			}
		}
	}
	return nil
}
