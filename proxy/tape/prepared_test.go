package tape

import (
	"database/sql"
	"fmt"
	"sync"
	"testing"
)

func openPrepared(t testing.TB) *prepared {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return newPrepared(db)
}

// TestPreparedKeepsStatements: few statements are kept, and all queries answer whether theirs is kept or not.
func TestPreparedKeepsStatements(t *testing.T) {
	p := openPrepared(t)
	for i := range 2 * preparedLimit {
		var got int
		if err := p.QueryRowContext(t.Context(), fmt.Sprintf("SELECT ? + %d", i), i).Scan(&got); err != nil || got != 2*i {
			t.Fatalf("%d and %d make %d, error %v", i, i, got, err)
		}
		rows, err := p.QueryContext(t.Context(), fmt.Sprintf("SELECT ? - %d", i), i)
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() || rows.Scan(&got) != nil || got != 0 {
			t.Fatalf("%d without %d is %d", i, i, got)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(p.statements); n != preparedLimit {
		t.Errorf("%d statements are kept, want %d", n, preparedLimit)
	}
}

func TestPreparedTellsOfErrors(t *testing.T) {
	p := openPrepared(t)
	if err := p.QueryRowContext(t.Context(), "SELECT FROM nothing").Scan(new(int)); err == nil {
		t.Error("no error")
	}
	if rows, err := p.QueryContext(t.Context(), "SELECT FROM nothing"); err == nil {
		rows.Close()
		t.Error("no error")
	}
	if len(p.statements) > 0 {
		t.Error("what cannot be compiled is kept")
	}
}

// TestPreparedTogether: many that ask the same at first share one statement.
func TestPreparedTogether(t *testing.T) {
	p := openPrepared(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			var got int
			if err := p.QueryRowContext(t.Context(), "SELECT ?", i).Scan(&got); err != nil || got != i {
				t.Errorf("%d came back as %d, error %v", i, got, err)
			}
		})
	}
	wg.Wait()
	if n := len(p.statements); n != 1 {
		t.Errorf("%d statements are kept", n)
	}
}
