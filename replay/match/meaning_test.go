package match

import (
	"compress/gzip"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
)

func TestFindByMeaning(t *testing.T) {
	tide := chat("m", "tide", "")
	asked := ask("POST", chatPath, tide)
	other := ask("POST", chatPath, chat("n", "tide", ""))
	tests := []struct {
		name string
		tape []func(*fakeTape)
		opts Options
		ask  []Request
		want []string
	}{
		{"sampling, stream flag and unknown fields do not count",
			[]func(*fakeTape){post(chatPath, chat("m", "tide", `,"temperature":0.7,"top_p":0.9,"stream":true,"stream_options":{"include_usage":true},"x":1`), nil)},
			Options{}, []Request{asked, asked}, []string{"1 meaning", "miss"}},
		{"exact before meaning, whatever the order on the tape",
			[]func(*fakeTape){post(chatPath, chat("m", "tide", `,"temperature":0.7`), nil), post(chatPath, tide, nil)},
			Options{}, []Request{asked, asked}, []string{"2 exact", "1 meaning"}},
		{"another path of the family",
			[]func(*fakeTape){post("/ollama/v1/chat/completions", tide, nil)}, Options{}, []Request{asked}, []string{"1 meaning"}},
		{"another family",
			[]func(*fakeTape){post("/ollama/api/chat", tide, nil)}, Options{}, []Request{asked}, []string{"miss"}},
		{"labels and meaning",
			[]func(*fakeTape){
				post(chatPath, tide, nil),
				post(chatPath, chat("m", "tide", `,"temperature":0.7`), labels("sample", "a")),
			},
			Options{}, []Request{ask("POST", chatPath, tide, "sample", "a")}, []string{"2 label"}},
		{"a model call tried again with other options: the complete one first",
			[]func(*fakeTape){
				post(chatPath, chat("m", "tide", `,"seed":1`), ended(tape.UpstreamError)),
				post(chatPath, chat("m", "tide", `,"seed":2`), nil),
			},
			Options{}, []Request{asked, asked}, []string{"2 meaning", "1 meaning"}},
		{"another model", []func(*fakeTape){post(chatPath, tide, nil)}, Options{}, []Request{other}, []string{"miss"}},
		{"another model, allowed",
			[]func(*fakeTape){post(chatPath, tide, nil)}, Options{AnyModel: true}, []Request{other, other}, []string{"1 any-model", "miss"}},
		{"another model, allowed: the same model first",
			[]func(*fakeTape){post(chatPath, tide, nil), post(chatPath, chat("n", "tide", ""), nil)},
			Options{AnyModel: true}, []Request{other, other}, []string{"2 exact", "1 any-model"}},
		{"another model, allowed: the same labels first",
			[]func(*fakeTape){post(chatPath, tide, nil), post(chatPath, tide, labels("sample", "a"))},
			Options{AnyModel: true}, []Request{ask("POST", chatPath, chat("n", "tide", ""), "sample", "a")}, []string{"2 any-model"}},
		{"another model, shared",
			[]func(*fakeTape){post(chatPath, tide, labels("repeat", "1"))},
			Options{AnyModel: true, Reuse: true}, []Request{ask("POST", chatPath, chat("n", "tide", ""), "repeat", "2")}, []string{"1 any-model"}},
		{"another prompt is another request",
			[]func(*fakeTape){post(chatPath, tide, nil)}, Options{AnyModel: true, Reuse: true},
			[]Request{ask("POST", chatPath, chat("m", "wind", ""))}, []string{"miss"}},
		{"a body that is no model call has no meaning",
			[]func(*fakeTape){post(chatPath, "[1]", nil), post(chatPath, "[2]", nil)}, Options{AnyModel: true},
			[]Request{ask("POST", chatPath, "[3]"), ask("POST", chatPath, " [2]")}, []string{"miss", "2 exact"}},
		{"ids of calls do not count",
			[]func(*fakeTape){post(chatPath, followRequest, nil)}, Options{},
			[]Request{ask("POST", chatPath, strings.ReplaceAll(followRequest, `"c1"`, `"toolu_9"`))}, []string{"1 meaning"}},
		{"an encoded body is read",
			[]func(*fakeTape){post(chatPath, gzipped(t, chat("m", "tide", `,"seed":1`)), func(x *tape.Exchange) {
				x.Request.Header.Set("Content-Encoding", "gzip")
			})},
			Options{}, []Request{asked}, []string{"1 meaning"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkAnswers(t, tt.tape, tt.opts, tt.ask, tt.want)
		})
	}
}

func gzipped(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMissNamesAllThatIsNeeded(t *testing.T) {
	f := newFakeTape()
	f.add("POST", chatPath, chat("m", "tide", ""), func(x *tape.Exchange) { x.Facts.Model = "m" })
	ix := f.index(t, Options{})
	answers(t, ix, ask("POST", chatPath, chat("m", "tide", "")))
	_, err := ix.Find(t.Context(), ask("POST", chatPath, chat("n", "tide", "")))
	if want := "would match with --any-model and --reuse: recorded with the model \"m\", asked of \"n\""; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v\ndoes not say %s", err, want)
	}
}

// What no rule compares is no part of the diff.
func TestMissDiffHoldsOnlyWhatCounts(t *testing.T) {
	f := newFakeTape()
	f.add("POST", chatPath, chat("m", "tide", `,"temperature":0.7,"stream":true`), nil)
	ix := f.index(t, Options{AnyModel: true})
	answers(t, ix, ask("POST", chatPath, chat("n", "wind", `,"seed":3,"own":1`)))
	diff := ix.Report().Missed[0].Diff
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---") && !strings.Contains(line, "tide") ||
			strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++") && !strings.Contains(line, "wind") {
			t.Errorf("the diff holds %q", line)
		}
	}
	if !strings.Contains(diff, "wind") {
		t.Errorf("the diff lacks the difference:\n%s", diff)
	}
}
