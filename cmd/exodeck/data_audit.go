package main

import (
	"encoding/json"
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
		&cli.StringFlag{Name: "rules", Value: "evalscope,official,strict", Usage: "under these `RULES`"},
		&cli.StringSliceFlag{Name: "category", Usage: "only this `CATEGORY`, or normal, special, agent, atom, multi_turn; may be repeated"},
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
		if cfg.Categories, err = dataset.Expand(c.StringSlice("category")...); err != nil {
			return usagef("--category: %v", err)
		}
		return runDataAudit(cfg, e)
	})
}

func runDataAudit(cfg dataAuditConfig, e env) error {
	d, err := openData(cfg.Data, e)
	if err != nil {
		return err
	}
	languages, err := chosenLanguages(d, cfg.Language)
	if err != nil {
		return err
	}
	worlds, err := loadWorldsIfHeld(d)
	if err != nil {
		return err
	}
	if len(worlds) == 0 {
		fmt.Fprintf(e.stderr, "%s holds no world tables, so agents that do nothing are not looked at\n", d.Name())
	}
	summary := e.stdout
	if cfg.Format == "json" {
		summary = e.stderr
	}
	var findings []audit.Finding
	for _, language := range languages {
		set, err := d.Load(language, cfg.Categories...)
		if err != nil {
			return err
		}
		for _, r := range cfg.Rules {
			found := audit.Samples(set, r, worlds[string(language)])
			findings = append(findings, found...)
			if _, err := fmt.Fprintf(summary, "%s, %s: %s in %s\n", language, r, kindsOf(found), samples(len(set.Samples))); err != nil {
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

func samples(n int) string {
	if n == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%d samples", n)
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
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
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
