package recorded_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench/recorded"
)

// asked is a tape of three sessions with an exchange each that keeps what it was asked.
type asked struct {
	recorded.Tape
	queries []tape.Query
}

func (a *asked) Exchanges(_ context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	a.queries = append(a.queries, q)
	return func(yield func(*tape.Exchange, error) bool) {
		for _, name := range []string{"s1", "s2", "s3"} {
			if q.Session != "" && q.Session != name {
				continue
			}
			if !yield(&tape.Exchange{Ref: tape.Ref{Session: name, Seq: 1}}, nil) {
				return
			}
		}
	}
}

// TestPartAsksOnce: however many sessions are wanted, the tape is asked once, and for no more than one where one is.
func TestPartAsksOnce(t *testing.T) {
	for _, tt := range []struct {
		names   []string
		session string // of the query
		query   string // what the tape is asked for
		want    []string
	}{
		{nil, "", "", []string{"s1", "s2", "s3"}},
		{nil, "s2", "s2", []string{"s2"}},
		{[]string{"s3"}, "", "s3", []string{"s3"}},
		{[]string{"s1", "s3"}, "", "", []string{"s1", "s3"}},
		{[]string{"s1", "s3"}, "s2", "", []string{"s1", "s3"}},
	} {
		t.Run(fmt.Sprint(tt.names, tt.session), func(t *testing.T) {
			a := &asked{}
			var got []string
			for x, err := range (&recorded.Part{Tape: a, Names: tt.names}).Exchanges(t.Context(), tape.Query{Session: tt.session, Model: "m"}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, x.Session)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]tape.Query{{Session: tt.query, Model: "m"}}, a.queries); diff != "" {
				t.Errorf("queries (-want +got):\n%s", diff)
			}
		})
	}
}
