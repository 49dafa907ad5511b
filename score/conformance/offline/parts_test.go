package offline_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance/offline"
)

// TestParts: exchanges are counted by model, then by API in the usual order, also what the comparison of answers adds to them.
func TestParts(t *testing.T) {
	of := func(model string, s sent) sent {
		s.Request = strings.Replace(s.Request, `"model":"m"`, `"model":"`+model+`"`, 1)
		return s
	}
	streamed := ask(`,"temperature":0,"stream":true`)
	all := []sent{
		of("b", sent{API: tape.Responses, Request: `{"model":"m","input":"Hi"}`, Response: responses("completed", responsesUsage, said("Noon."))}),
		of("b", chat(ask(""), says(""))),
		of("b", chat(ask(`,"temperature":0`), says("Noon."))),
		of("b", chat(streamed, chunk(`{"content":"Midnight."}`, `"stop"`)+done)),
		of(`a\u001b[1m`, chat(ask(""), says("Noon."))),
	}
	res := run(t, record(t, len(all), func(i int) sent { return all[i] }), offline.Options{})
	_, table, _ := strings.Cut(printed(t, res.WriteText), "\nmodel")
	want := `     api        exchanges  calls ok  calls failed  not judged  protocol failed  most frequent problems
a\x1b[1m  openai             1         1             0           0                0
b         openai             3         2             1           0                1  stream-mismatch 1, empty-answer 1
b         responses          1         1             0           0                0
`
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	var got struct {
		Totals struct {
			By []json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(printed(t, res.WriteJSON)), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Totals.By) != 3 {
		t.Fatalf("%d parts: %s", len(got.Totals.By), got.Totals.By)
	}
	if diff := cmp.Diff(`{"model":"b","api":"openai","exchanges":3,"calls":{"failed":1,"ok":2},"protocol":{"failed":1,"ok":2},"blame":{"adapter":1,"server":1},"summary":{"empty-answer":1,"stream-mismatch":1}}`, string(got.Totals.By[1])); diff != "" {
		t.Errorf("part (-want +got):\n%s", diff)
	}
	one := run(t, record(t, 1, func(int) sent { return all[0] }), offline.Options{})
	if text := printed(t, one.WriteText); strings.Contains(text, "model") {
		t.Errorf("a table of one part:\n%s", text)
	}
}

// TestPartsAreBounded: requests that name ever new models do not make memory grow.
func TestPartsAreBounded(t *testing.T) {
	const n, most = 300, 256
	res := run(t, record(t, n, func(i int) sent {
		return chat(strings.Replace(ask(""), `"m"`, fmt.Sprintf(`"m%03d"`, i), 1), says("Noon."))
	}), offline.Options{})
	all := res.Parts()
	if len(all) != most+1 {
		t.Fatalf("%d parts", len(all))
	}
	if p := all[0]; p.Model != "(further models)" || p.Exchanges != n-most {
		t.Errorf("%d exchanges of %s", p.Exchanges, p.Model)
	}
}
