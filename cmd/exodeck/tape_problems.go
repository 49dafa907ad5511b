package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/offline"
)

// anyProblem is the value of --problem that stands for every code.
const anyProblem = "any"

// problemsOf returns the rules that want what --problem asks for: codes, groups of them, or any.
func problemsOf(names []string) (conformance.Rules, error) {
	var r conformance.Rules
	for _, name := range names {
		if name == anyProblem {
			continue
		}
		r.Only = append(r.Only, name)
		if one := (conformance.Rules{Only: []string{name}}); one.Validate() == nil {
			continue
		}
		meant := ""
		if near := conformance.NearestCodes(name); len(near) > 0 {
			meant = "; did you mean " + strings.Join(near, " or ") + "?"
		}
		return r, fmt.Errorf("there is no problem %q%s (exodeck conformance codes lists all codes and groups; %s stands for all)", name, meant, anyProblem)
	}
	if slices.Contains(names, anyProblem) {
		r.Only = nil
	}
	return r, nil
}

// judgeAll judges all model calls of a recording that q may ask for, and those that they are compared with: what is wrong with an exchange,
// and whose fault it is, does not depend on what else was asked for.
func judgeAll(ctx context.Context, t offline.Source, q tape.Query) (*offline.Result, error) {
	return offline.Run(ctx, t, offline.Options{Query: tape.Query{Model: q.Model}, Version: version()})
}
