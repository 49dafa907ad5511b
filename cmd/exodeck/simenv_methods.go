package main

import (
	"cmp"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/simenv"
)

type simenvMethodsConfig struct {
	Format string
}

func simenvMethodsCommand(e env) *cli.Command {
	return leaf("methods", "list the simulated methods: what each needs and what it changes", "", 0, []cli.Flag{
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text`, or json: one object a line"},
	}, func(c *cli.Context) error {
		cfg := simenvMethodsConfig{Format: c.String("format")}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		return runSimenvMethods(cfg, e)
	})
}

// listedMethod is a method as a row of the list.
type listedMethod struct {
	Class     string   `json:"class"`
	Name      string   `json:"name"`
	Signature string   `json:"signature"`
	Needs     string   `json:"needs"`
	Changes   string   `json:"changes"`
	Languages []string `json:"languages"`
}

func listMethod(m simenv.Method) listedMethod {
	row := listedMethod{m.Class, m.Name, m.Signature(), m.Needs, m.Changes, []string{"en", "zh"}}
	if m.Only != "" {
		row.Languages = []string{m.Only}
	}
	return row
}

func runSimenvMethods(cfg simenvMethodsConfig, e env) error {
	enc := jsonLines(e.stdout)
	w := newTable("class", "method", "needs", "changes", "language")
	w.SetColumnConfigs([]table.ColumnConfig{{Number: 2, WidthMax: signatureWidth, WidthMaxEnforcer: text.WrapSoft}})
	class := ""
	for _, m := range simenv.Methods() {
		row := listMethod(m)
		if cfg.Format == "json" {
			if err := enc.Encode(row); err != nil {
				return err
			}
			continue
		}
		shown := row.Class
		if shown == class {
			shown = ""
		}
		class = row.Class
		w.AppendRow(table.Row{shown, row.Signature, row.Needs, row.Changes, cmp.Or(m.Only, "both")})
	}
	if cfg.Format == "json" {
		return nil
	}
	_, err := fmt.Fprintln(e.stdout, w.Render())
	return err
}

// signatureWidth is where a long signature goes on in a second line.
const signatureWidth = 70
