package tape

import (
	"testing"
	"time"
)

// TestMatches: a query takes of the exchanges at hand those that it finds on the tape.
func TestMatches(t *testing.T) {
	path, r, _ := openTest(t, RecorderOptions{})
	for name, started := range map[string]time.Time{"a": day, "b": day.Add(time.Hour)} {
		s, err := r.StartSession(t.Context(), Session{Name: name, Started: started})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 150 {
			recordOne(s, i)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	tp := openTape(t, path)
	for _, test := range queries {
		t.Run(test.name, func(t *testing.T) {
			found := make(map[Ref]bool)
			for _, x := range all(t, tp, test.query) {
				found[x.Ref] = true
			}
			for _, x := range all(t, tp, Query{}) {
				if got := test.query.Matches(x); got != found[x.Ref] {
					t.Errorf("%s/%d: %v, on the tape %v", x.Session, x.Seq, got, found[x.Ref])
				}
			}
		})
	}
}
