package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench/audit"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

type dataAuditConfig struct {
	Data       string
	Language   string
	Rules      []rules.Rules
	Categories []dataset.Category
	Format     string
}

func dataAuditCommand(e env) *cli.Command {
	return leaf("audit", "look for samples that no answer can pass, or that an empty answer passes; exits 1 when there are some", "", 0, []cli.Flag{
		dataFlag(),
		languageFlag(),
		&cli.StringFlag{Name: "rules", Value: "evalscope,official,strict", Usage: "under these `RULES`, with commas between"},
		&cli.StringSliceFlag{Name: "category", Usage: "only these, `NAMES` with commas: " + categoryNames},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text`, or json: one object a line"},
	}, func(c *cli.Context) error {
		cfg := dataAuditConfig{Data: c.String("data"), Language: c.String("language"), Format: c.String("format")}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		var err error
		if cfg.Rules, err = rules.Parse(c.String("rules")); err != nil {
			return usagef("--rules: %v", err)
		}
		if cfg.Categories, err = dataset.Expand(splitCommas(c.StringSlice("category"))...); err != nil {
			return usagef("--category: %v", err)
		}
		return runDataAudit(cfg, e)
	})
}

func runDataAudit(cfg dataAuditConfig, e env) error {
	d, languages, err := openLanguages(cfg.Data, cfg.Language, e)
	if err != nil {
		return err
	}
	summary := e.stdout
	if cfg.Format == "json" {
		summary = e.stderr
	}
	var findings []audit.Finding
	for i, language := range languages {
		set, err := d.Load(language, cfg.Categories...)
		if err != nil {
			return err
		}
		world, err := loadWorldIfHeld(d, language)
		if err != nil {
			return err
		}
		if world == nil && i == 0 { // the form of the data has none in any language
			fmt.Fprintf(e.stderr, "%s holds no world tables, so agents that do nothing are not looked at\n", d.Name())
		}
		for _, r := range cfg.Rules {
			found := audit.Samples(set, r, world)
			findings = append(findings, found...)
			if _, err := fmt.Fprintf(summary, "%s, %s: %s in %s\n", language, r, kindsOf(found), show.Count(len(set.Samples), "sample")); err != nil {
				return err
			}
		}
	}
	if err := listFindings(findings, cfg.Format, e); err != nil {
		return err
	}
	if len(findings) > 0 {
		return &exitError{score.ExitFailed, nil}
	}
	return nil
}

// kindsOf counts findings by kind, in words.
func kindsOf(findings []audit.Finding) string {
	kinds := []audit.Kind{audit.Impossible, audit.Contrived, audit.Partial, audit.Empty, audit.Unchecked}
	counts := map[audit.Kind]int{}
	for _, f := range findings {
		counts[f.Kind]++
	}
	words := ""
	for _, kind := range kinds {
		if counts[kind] == 0 {
			continue
		}
		if words != "" {
			words += ", "
		}
		words += fmt.Sprintf("%d %s", counts[kind], kind)
	}
	if words == "" {
		return "nothing"
	}
	return words
}

func listFindings(findings []audit.Finding, format string, e env) error {
	if format == "json" {
		enc := jsonLines(e.stdout)
		for _, f := range findings {
			if err := enc.Encode(f); err != nil {
				return err
			}
		}
		return nil
	}
	if len(findings) == 0 {
		return nil
	}
	w := newTable("id", "language", "rules", "kind", "reason")
	w.SetColumnConfigs([]table.ColumnConfig{{Number: 5, WidthMax: reasonWidth, WidthMaxEnforcer: text.WrapSoft}})
	for _, f := range findings {
		w.AppendRow(table.Row{f.ID, f.Language, f.Rules, f.Kind, show.Printable(cut(f.Reason, shownReason))})
	}
	_, err := fmt.Fprintf(e.stdout, "\n%s\n", w.Render())
	return err
}

// reasonWidth is where a reason goes on in a further line, and shownReason how much of it the table shows.
const (
	reasonWidth = 90
	shownReason = 400
)
