package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/score/conformance"
)

func conformanceCodesCommand(e env) *cli.Command {
	return leaf("codes", "list what can be wrong with an exchange, each with an example", "", 0, []cli.Flag{
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text` or json"},
	}, func(c *cli.Context) error {
		format := c.String("format")
		if err := checkTextOrJSON(format); err != nil {
			return err
		}
		return runConformanceCodes(format, e)
	})
}

// listedCode is a code as it is printed.
type listedCode struct {
	Code     string               `json:"code"`
	Severity conformance.Severity `json:"severity"`
	Group    conformance.Group    `json:"group"`
	Side     conformance.Side     `json:"side"`
	What     string               `json:"what"`
	Example  string               `json:"example"`
}

func runConformanceCodes(format string, e env) error {
	if format == "json" {
		var all []listedCode
		for _, c := range conformance.Codes {
			all = append(all, listedCode{c.Name, c.Severity, c.Group, c.Side, c.What, c.Example})
		}
		return e.printJSON(all)
	}
	var group conformance.Group
	for _, c := range conformance.Codes {
		if c.Group != group {
			between := "\n"
			if group == "" {
				between = ""
			}
			group = c.Group
			if _, err := fmt.Fprintf(e.stdout, "%s%s\n", between, group); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(e.stdout, "  %s (%s, %s): %s\n      %s\n", c.Name, c.Severity, c.Side, c.What, c.Example); err != nil {
			return err
		}
	}
	return nil
}
