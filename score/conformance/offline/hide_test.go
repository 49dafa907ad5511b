package offline_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance/offline"
	"github.com/exodeck/exodeck/score/report"
)

// secret is a credential by its form.
const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// TestHideCompared: answers that differ in nothing but a secret differ, and the comparison shows none.
func TestHideCompared(t *testing.T) {
	other := strings.ReplaceAll(secret, "0", "9")
	taped := record(t, 4, func(i int) sent {
		said, mode := []string{secret, other}[i%2], []string{"", `,"stream":true`}[i%2]
		arguments := `{"port":"` + said + `"}`
		switch i {
		case 0:
			return chat(ask(zero), tide(arguments))
		case 1:
			return chat(ask(zero+mode), chunk(`{"tool_calls":[`+at(0, call("c1", "get_tide", arguments))+`]}`, `"tool_calls"`)+done)
		case 2:
			return chat(ask(zero), says("It is "+said))
		}
		return chat(ask(zero+mode), streamed("It is "+said))
	})
	res, err := offline.Run(t.Context(), taped, offline.Options{Query: tape.Query{}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	var text, written strings.Builder
	if err := res.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := res.WriteJSON(&written); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(2, res.Summary["stream-mismatch"]); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, text.String())
	}
	for _, s := range []string{secret, other} {
		if strings.Contains(text.String()+written.String(), s[4:]) {
			t.Errorf("%s in\n%s\n%s", s, text.String(), written.String())
		}
	}
}

// TestHideModels: the counts by model show no secrets either, in whatever form.
func TestHideModels(t *testing.T) {
	taped := record(t, 2, func(i int) sent {
		return chat(strings.Replace(ask(""), `"model":"m"`, `"model":"`+[]string{"m", secret}[i]+`"`, 1), says(""))
	})
	res := run(t, taped, offline.Options{})
	r, err := res.Report()
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]string{
		"text": printed(t, res.WriteText), "json": printed(t, res.WriteJSON),
		"markdown": printed(t, func(w io.Writer) error { return report.Markdown(w, r) }), "junit": printed(t, func(w io.Writer) error { return report.JUnit(w, r) }),
	} {
		if strings.Contains(form, secret[4:20]) || name != "junit" && !strings.Contains(form, "[redacted:github-token:1]") {
			t.Errorf("%s:\n%s", name, form)
		}
	}
}
