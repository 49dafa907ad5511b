package offline_test

import (
	"context"
	"fmt"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/offline"
)

// A recorded run is scored: the cassette says what was asked, of which data.
func Example() {
	ctx := context.Background()
	t, err := cassette.OpenSource(ctx, "../../../fixtures/cassettes/acebench_mini.cassette.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	s, err := offline.Scoring{}.Score(ctx, t, dataset.Mini())
	if err != nil {
		fmt.Println(err)
		return
	}
	counts := s.Runs[0].File.Counts
	fmt.Printf("%s: %d of %d right\n", s.Set.Language, counts.Right, counts.Samples)
	// Output:
	// en: 17 of 17 right
}
