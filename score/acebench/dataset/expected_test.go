package dataset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func TestExpected(t *testing.T) {
	read := func(text string) pyvalue.Value {
		v, err := pyjson.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	sample := &dataset.Sample{Function: read(`[null, {"name": 3}, {"name": "book", "parameters": {"properties": {"day": {}}, "required": ["day", 2]}}, {"name": "level_2"}]`)}
	for _, tt := range []struct {
		name, truth string
		want        []string // of each alternative
		required    []string // by the first call
	}{
		{"a call", `{"book": {"day": "first of May", "n": 2}}`, []string{"[book(day='first of May', n=2)]"}, []string{"day", "2"}},
		{"repeated calls", `{"book_1": {}, "book_2": {"day": null}}`, []string{"[book(), book(day=None)]"}, []string{"day", "2"}},
		{"a function whose name ends in a number", `{"level_2": {}}`, []string{"[level_2()]"}, nil},
		{"a function that is not on offer", `{"fly_1": {"to": []}}`, []string{"[fly(to=[])]"}, nil},
		{"alternatives", `[{"book": {"day": 1}}, {"book": 7}]`, []string{"[book(day=1)]", "[book()]"}, []string{"day", "2"}},
		{"no calls", `"text"`, []string{"[]"}, nil},
		{"no alternatives", `[]`, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got, required []string
			for i, alternative := range dataset.Alternatives(read(tt.truth)) {
				calls := sample.Expected(alternative)
				got = append(got, dataset.AnswerOf(calls, pyvalue.Repr))
				if i == 0 && len(calls) > 0 {
					required = dataset.Required(calls[0].Function)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.required, required); diff != "" {
				t.Errorf("required (-want +got):\n%s", diff)
			}
		})
	}
}
