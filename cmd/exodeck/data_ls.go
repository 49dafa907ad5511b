package main

import (
	"errors"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/acebench/aggregate"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

type dataLsConfig struct {
	Data     string
	Language string
	Category dataset.Category // "" lists the categories
	Format   string
}

func dataLsCommand(e env) *cli.Command {
	return leaf("ls", "count the samples of every category and group, or list those of one category", "[CATEGORY]", 1, []cli.Flag{
		dataFlag(),
		languageFlag(),
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text` or json"},
	}, func(c *cli.Context) error {
		cfg := dataLsConfig{Data: c.String("data"), Language: c.String("language"), Category: dataset.Category(c.Args().First()), Format: c.String("format")}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		if cfg.Category != "" && !cfg.Category.Known() {
			return usagef("there is no category %q; exodeck data ls lists those there are", cfg.Category)
		}
		return runDataLs(cfg, e)
	})
}

func runDataLs(cfg dataLsConfig, e env) error {
	d, languages, err := openLanguages(cfg.Data, cfg.Language, e)
	if err != nil {
		return err
	}
	var wanted []dataset.Category
	if cfg.Category != "" {
		wanted = []dataset.Category{cfg.Category}
	}
	var sets []*dataset.Set
	var problems error
	for _, language := range languages {
		// What can be read is listed; what cannot is told after it.
		set, err := d.Load(language, wanted...)
		sets, problems = append(sets, set), errors.Join(problems, err)
	}
	if cfg.Category != "" {
		err = listSamples(sets, cfg.Format, e)
	} else {
		err = listCounts(d, sets, cfg.Format, e)
	}
	if err != nil {
		return err
	}
	return problems
}

// countedSet is how much of everything a data set has in one language.
type countedSet struct {
	Samples    int                                `json:"samples"`
	Digest     string                             `json:"digest"`
	Categories map[dataset.Category]countedSample `json:"categories"`
	// Groups count a dialogue once, as accuracies do.
	Groups map[string]int `json:"groups"`
}

// countedSample counts the samples of a category, and what its accuracy is a share of: dialogues, where samples are steps of them.
type countedSample struct {
	Samples int `json:"samples"`
	Counted int `json:"counted"`
}

func countSet(set *dataset.Set) countedSet {
	c := countedSet{Samples: len(set.Samples), Digest: set.Digest, Categories: map[dataset.Category]countedSample{}, Groups: map[string]int{}}
	samples := make([]aggregate.Sample, len(set.Samples))
	for i, s := range set.Samples {
		samples[i] = aggregate.Sample{ID: s.ID, Category: s.Category}
	}
	counts := aggregate.Evalscope(samples)
	for category, counted := range counts.Categories {
		c.Categories[category] = countedSample{len(set.Only(category)), counted.Num}
	}
	for group, counted := range counts.Groups {
		c.Groups[group] = counted.Num
	}
	if counts.Overall != nil {
		c.Groups["OVERALL"] = counts.Overall.Num
	}
	return c
}

func listCounts(d *dataset.Dataset, sets []*dataset.Set, format string, e env) error {
	result := struct {
		Data      string                          `json:"data"`
		Form      dataset.Form                    `json:"form"`
		Languages map[dataset.Language]countedSet `json:"languages"`
	}{d.Name(), d.Form(), map[dataset.Language]countedSet{}}
	header := []string{"category"}
	for _, set := range sets {
		result.Languages[set.Language] = countSet(set)
		header = append(header, string(set.Language), "counted")
	}
	if format == "json" {
		return e.printJSON(result)
	}
	w := newTable(header...)
	for _, category := range dataset.Categories() {
		row := table.Row{string(category)}
		for _, set := range sets {
			counted := result.Languages[set.Language].Categories[category]
			row = append(row, counted.Samples, counted.Counted)
		}
		w.AppendRow(row)
	}
	w.AppendRow(table.Row{""})
	for _, group := range append(aggregate.GroupNames(), "OVERALL") {
		row := table.Row{group}
		for _, set := range sets {
			row = append(row, "", result.Languages[set.Language].Groups[group])
		}
		w.AppendRow(row)
	}
	_, err := fmt.Fprintln(e.stdout, w.Render())
	return err
}

// listedSample is a sample as a row of the list.
type listedSample struct {
	ID       string           `json:"id"`
	Language dataset.Language `json:"language"`
	Category dataset.Category `json:"category"`
	Question string           `json:"question"`
	Place    string           `json:"place"`
}

func listSamples(sets []*dataset.Set, format string, e env) error {
	enc := jsonLines(e.stdout)
	w := newTable("id", "language", "question")
	for _, set := range sets {
		for _, s := range set.Samples {
			row := listedSample{s.ID, s.Language, s.Category, s.Question, fmt.Sprintf("%s:%d", s.File, s.Line)}
			if format == "json" {
				if err := enc.Encode(row); err != nil {
					return err
				}
				continue
			}
			w.AppendRow(table.Row{row.ID, row.Language, cut(show.Line(row.Question), 80)})
		}
	}
	if format == "json" {
		return nil
	}
	_, err := fmt.Fprintln(e.stdout, w.Render())
	return err
}
