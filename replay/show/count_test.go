package show_test

import (
	"testing"

	"github.com/exodeck/exodeck/replay/show"
)

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 pieces": show.Count(0, "piece"),
		"1 piece":  show.Count(1, "piece"),
		"2 pieces": show.Count(int64(2), "piece"),
		"1 body":   show.Count(1, "body"),
		"2 bodies": show.Count(2, "body"),
		"3 keys":   show.Count(3, "key"),
		"2 ys":     show.Count(2, "y"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
