package acebench_test

import (
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// TestErrorsWithoutSecrets: errors quote what models wrote, and get into the logs of CI. A credential in an answer stays out of them.
func TestErrorsWithoutSecrets(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	set := mini(t, dataset.English)
	answers := rightAnswers(set)
	for i := range answers {
		if answers[i].State == nil {
			answers[i].Text = "[" + secret + "(" + secret + "='" + secret + "')]"
		}
	}
	for _, r := range rules.All() {
		told := 0
		for _, result := range acebench.Score(set, answers, acebench.Options{Rules: r}).Results {
			if strings.Contains(result.Error, secret) {
				t.Errorf("%s %s: %s", r, result.ID, result.Error)
			}
			told += strings.Count(result.Error, "[redacted:github-token:1]")
		}
		if told == 0 {
			t.Errorf("%s: no error quotes an answer", r)
		}
	}
}
