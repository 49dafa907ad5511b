package tape

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// queries are filters with what they find of the tape of TestQuery: 150 exchanges in a session "b", then 3 in an earlier one, "a".
var queries = []struct {
	name  string
	query Query
	want  int
	first string // label of the first one found
}{
	{"all", Query{}, 153, "sample-1000"},
	{"session", Query{Session: "b"}, 150, "sample-0"},
	{"no such session", Query{Session: "c"}, 0, ""},
	{"from", Query{From: day.Add(100 * time.Second)}, 53, "sample-1000"},
	{"to", Query{To: day.Add(time.Second)}, 1, "sample-0"},
	{"span", Query{From: day.Add(10 * time.Second), To: day.Add(20 * time.Second)}, 10, "sample-10"},
	{"api", Query{API: OpenAI}, 153, "sample-1000"},
	{"other api", Query{API: Claude}, 0, ""},
	{"model", Query{Model: "model-1"}, 51, "sample-1000"},
	{"other model", Query{Model: "model-9"}, 0, ""},
	{"ended", Query{Ended: []Ended{UpstreamTruncated}}, 37, ""},
	{"ended two ways", Query{Ended: []Ended{UpstreamTruncated, Complete}}, 153, "sample-1000"},
	{"in flight", Query{Ended: []Ended{InFlight}}, 0, ""},
	{"together", Query{Session: "b", Model: "model-2", Ended: []Ended{Complete}, From: day.Add(time.Minute)}, 23, ""},
}

func TestQuery(t *testing.T) {
	path, r, _ := openTest(t, RecorderOptions{})
	b, err := r.StartSession(t.Context(), Session{Name: "b", Started: day.Add(time.Hour), Labels: map[string]string{"commit": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.StartSession(t.Context(), Session{Name: "a", Started: day})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 150 {
		recordOne(b, i)
	}
	for i := range 3 {
		recordOne(a, 1000+i)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, tp *Tape) {
		for _, test := range queries {
			t.Run(test.name, func(t *testing.T) {
				found := all(t, tp, test.query)
				if len(found) != test.want {
					t.Errorf("%d exchanges, want %d", len(found), test.want)
				}
				if len(found) > 0 && test.first != "" && found[0].Labels["sample"] != test.first {
					t.Errorf("the first is %v, want %s", found[0].Labels, test.first)
				}
				for i, x := range found {
					if i > 0 && found[i-1].Session == x.Session && found[i-1].Seq >= x.Seq {
						t.Errorf("exchange %d comes after %d", x.Seq, found[i-1].Seq)
					}
				}
				sum, err := tp.Summary(t.Context(), test.query)
				if err != nil || sum.Exchanges != int64(test.want) {
					t.Errorf("the summary counts %+v, %v", sum, err)
				}
			})
		}
	}
	tp := openTape(t, path)
	check(t, tp)
	before := all(t, tp, Query{})
	// Facts of an older derivation, and none at all.
	db := rawDB(t, path)
	execute(t, db, `UPDATE facts SET version = 0, api = 'other', model = 'wrong', stream = 1 - stream WHERE exchange % 2`)
	execute(t, db, `DELETE FROM facts WHERE exchange % 3 = 0`)
	t.Run("old facts", func(t *testing.T) { check(t, tp) })
	if diff := cmp.Diff(before, all(t, tp, Query{}), sameExchange); diff != "" {
		t.Errorf("derived on the fly (-before +now):\n%s", diff)
	}
	if err := tp.Close(); err != nil {
		t.Error(err)
	}
	if known := column(t, db, `SELECT count(*) FROM facts WHERE version = ?`, DeriveVersion); known[0] != "51" {
		t.Errorf("%s facts are up to date: reading has changed some", known[0])
	}
	merged := filepath.Join(t.TempDir(), "merged.tape")
	if _, err := Merge(t.Context(), merged, path); err != nil {
		t.Fatal(err)
	}
	if known := column(t, rawDB(t, merged), `SELECT count(*) FROM facts WHERE version = ?`, DeriveVersion); known[0] != "153" {
		t.Errorf("%s merged facts are up to date", known[0])
	}
	if diff := cmp.Diff(before, all(t, openTape(t, merged), Query{}), sameExchange); diff != "" {
		t.Errorf("merged (-before +now):\n%s", diff)
	}
}

func TestSessions(t *testing.T) {
	path, r, s := openTest(t, RecorderOptions{Now: func() time.Time { return day }})
	if got, want := s.Session().Name[:17], "20260304T050607Z-"; got != want || len(s.Session().Name) != 23 {
		t.Errorf("a session is called %q", s.Session().Name)
	}
	if _, err := r.StartSession(t.Context(), Session{Name: s.Session().Name}); err == nil {
		t.Error("two sessions have one name")
	}
	if _, err := r.StartSession(t.Context(), Session{Name: "labelled", Started: day.Add(-time.Hour), Labels: map[string]string{"host": "mini"}}); err != nil {
		t.Fatal(err)
	}
	recordOne(s, 0)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := openTape(t, path).Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Session{
		{Name: "labelled", Started: day.Add(-time.Hour), Ended: day, Labels: map[string]string{"host": "mini"}},
		{Name: s.Session().Name, Started: day, Ended: day, Upstream: "http://exo.local:52415", Version: "test", Exchanges: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
}

func TestExchangeMissing(t *testing.T) {
	tp := openTape(t, newTape(t, 1))
	for _, ref := range []Ref{{}, {Session: "none", Seq: 1}} {
		if _, err := tp.Exchange(t.Context(), ref); !errors.Is(err, ErrNoExchange) {
			t.Errorf("%v: %v", ref, err)
		}
	}
	if _, err := tp.Body(t.Context(), bodyOf("not on the tape")); !errors.Is(err, ErrNoBody) {
		t.Errorf("a body that is not on the tape: %v", err)
	}
}

// TestForeignBody opens a body by the reference another tape gave.
func TestForeignBody(t *testing.T) {
	one, other := openTape(t, newTape(t, 2)), openTape(t, newTape(t, 4))
	x := all(t, one, Query{})[1]
	b := all(t, other, Query{})[1].Response.Body
	if b.SHA256 != x.Response.Body.SHA256 {
		t.Fatal("the tapes differ")
	}
	b.id = 1 // the row of another body
	if got, want := len(readBody(t, one, b)), int(b.Size); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// TestChangedBytes changes stored bytes behind the back of the tape.
func TestChangedBytes(t *testing.T) {
	for name, change := range map[string]string{
		"other bytes":   `UPDATE bodies SET data = zeroblob(size), codec = 0`,
		"fewer bytes":   `UPDATE bodies SET data = zeroblob(3), codec = 0`,
		"no zstd":       `UPDATE bodies SET data = zeroblob(30), codec = 1`,
		"unknown codec": `UPDATE bodies SET codec = 9`,
		"no S2":         `UPDATE bodies SET data = zeroblob(30), codec = 2`,
		"huge S2":       `UPDATE bodies SET data = x'ffffffffffffff7f00', codec = 2`,
		"huge":          `UPDATE bodies SET size = 1 << 40, codec = 1`,
		"parts missing": `UPDATE bodies SET codec = NULL`,
	} {
		t.Run(name, func(t *testing.T) {
			path := newTape(t, 3)
			tp := openTape(t, path)
			x := all(t, tp, Query{})[1]
			execute(t, rawDB(t, path), change)
			body, err := tp.Body(t.Context(), x.Response.Body)
			if err == nil {
				defer body.Close()
				_, err = digestOf(body)
			}
			var e *Error
			if !errors.Is(err, ErrDamaged) || !errors.As(err, &e) || e.Path != path {
				t.Errorf("reading the body: %v", err)
			}
		})
	}
	for name, change := range map[string]string{
		"digest too short": `UPDATE bodies SET sha256 = zeroblob(5)`,
		"bodies missing":   `DELETE FROM bodies`,
		"no header":        `UPDATE exchanges SET request_header = '{'`,
		"no labels":        `UPDATE exchanges SET labels = '[]'`,
		"no pieces":        `UPDATE exchanges SET pieces = x'ff'`,
	} {
		t.Run(name, func(t *testing.T) {
			path := newTape(t, 3)
			execute(t, rawDB(t, path), change)
			tp := openTape(t, path)
			for _, err := range tp.Exchanges(t.Context(), Query{}) {
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("reading: %v", err)
				}
			}
		})
	}
}
