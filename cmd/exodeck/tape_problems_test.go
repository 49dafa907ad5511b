package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/conformance"
)

// Whatever a report of conformance can tell can be looked for, and nothing else.
func TestProblemsOf(t *testing.T) {
	names := func(wanted conformance.Rules) map[string]bool {
		all := make(map[string]bool)
		for _, c := range conformance.Codes {
			if wanted.Wants(c) {
				all[c.Name] = true
			}
		}
		return all
	}
	for _, c := range conformance.Codes {
		got, err := problemsOf([]string{c.Name})
		if diff := cmp.Diff(map[string]bool{c.Name: true}, names(got)); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", c.Name, diff, err)
		}
		got, err = problemsOf([]string{strings.ReplaceAll(string(c.Group), " ", "-")})
		if err != nil || !names(got)[c.Name] {
			t.Errorf("group %q lacks %s: %v", c.Group, c.Name, err)
		}
	}
	got, err := problemsOf([]string{"http-error", anyProblem})
	if err != nil || len(names(got)) != len(conformance.Codes) {
		t.Errorf("any is %d codes of %d, %v", len(names(got)), len(conformance.Codes), err)
	}
	if _, err := problemsOf([]string{anyProblem, "bad"}); err == nil {
		t.Error("a code that is none was taken")
	}
}
