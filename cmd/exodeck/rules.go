package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/score/conformance"
)

// ruleFlagNames are the names of the flags of [ruleFlags].
var ruleFlagNames = []string{"only", "ignore", "rules-file"}

// ruleFlags are the flags of every command that judges exchanges: they say which problems count. [rulesOf] reads them. when begins what
// the help says of them, such as "with --watch, "; "" where they always act.
func ruleFlags(when string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: ruleFlagNames[0], Usage: when + "only these problem `CODES` or groups, with commas between; may be repeated"},
		&cli.StringSliceFlag{Name: ruleFlagNames[1], Usage: when + "not these problem `CODES` or groups, with commas between; may be repeated"},
		&cli.StringFlag{Name: ruleFlagNames[2], Usage: when + "a TOML `FILE` of rules: only, ignore, timeout, [severity]"},
	}
}

// rulesOf joins the file of rules with those of the command line. What --only says to judge stands in place of what the file says.
func rulesOf(c *cli.Context) (conformance.Rules, error) {
	var r conformance.Rules
	if path := c.String("rules-file"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return r, fmt.Errorf("reading the rules of --rules-file: %w; name a TOML file that is there, or leave the flag out: the rules that hold without one need no file", err)
		}
		if r, err = conformance.ParseRules(string(text)); err != nil {
			return r, usagef("--rules-file %s: %v", path, err)
		}
	}
	if only := splitCommas(c.StringSlice("only")); len(only) > 0 {
		r.Only, r.Ignore = only, nil
	}
	r.Ignore = append(r.Ignore, splitCommas(c.StringSlice("ignore"))...)
	if err := r.Validate(); err != nil {
		return r, usagef("%v", err)
	}
	return r, nil
}

// splitCommas splits the values of a flag at commas.
func splitCommas(values []string) []string {
	var all []string
	for _, v := range values {
		for word := range strings.SplitSeq(v, ",") {
			if word = strings.TrimSpace(word); word != "" {
				all = append(all, word)
			}
		}
	}
	return all
}
