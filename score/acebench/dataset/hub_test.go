package dataset_test

import (
	"testing"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// hubLines writes samples as the hub has them: values as JSON inside strings, answers in a rubric.
func hubLines(t *testing.T, set *dataset.Set) []byte {
	t.Helper()
	packed := func(v pyvalue.Value) pyvalue.Value {
		if v == nil {
			return pyvalue.Str("")
		}
		text, err := pyjson.Encode(v, pyjson.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return pyvalue.Str(text)
	}
	var lines []byte
	for _, s := range set.Samples {
		classes := pyvalue.NewList()
		for _, c := range s.InvolvedClasses {
			classes.Append(pyvalue.Str(c))
		}
		rubric := pyvalue.DictOf("ground_truth", s.GroundTruth)
		if s.MileStone != nil {
			rubric.SetStr("mile_stone", s.MileStone)
		}
		line, err := pyjson.Encode(pyvalue.DictOf(
			"id", pyvalue.Str(s.ID), "question", pyvalue.Str(s.Question), "function", packed(s.Function),
			"time", pyvalue.Str(s.Time), "profile", pyvalue.Str(s.Profile), "initial_config", packed(s.InitialConfig),
			"involved_classes", packed(classes), "sub_category", pyvalue.Str("data_"+string(s.Category)), "rubric", packed(rubric),
		), pyjson.Default)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines
}
