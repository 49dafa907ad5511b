package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

func TestShownTape(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tape")
	if err := writeTape(t.Context(), path, tape.Session{Name: "s1"}, []written{{method: "GET", url: "/a"}, {method: "GET", url: "/b"}, {method: "GET", url: "/c"}}); err != nil {
		t.Fatal(err)
	}
	src, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	read := func(patience time.Duration) string {
		t.Helper()
		var shown bytes.Buffer
		n := 0
		for _, err := range (&shownTape{src, &shown, patience}).Exchanges(t.Context(), tape.Query{}) {
			if n++; err != nil {
				t.Fatal(err)
			}
		}
		if n != 3 {
			t.Errorf("%d exchanges, want 3", n)
		}
		return shown.String()
	}
	if shown := read(time.Hour); shown != "" {
		t.Errorf("of a short reading is shown %q", shown)
	}
	shown := read(0)
	if !strings.Contains(shown, "reading exchanges") || !strings.Contains(shown, "/3") {
		t.Errorf("shown is %q", shown)
	}
	if last := shown[strings.LastIndex(strings.TrimSuffix(shown, "\r"), "\r"):]; strings.TrimSpace(last) != "" {
		t.Errorf("the bar is still there: %q", last)
	}
	if got := (env{stderr: &bytes.Buffer{}}).showReading(src); got != src {
		t.Errorf("without a terminal the tape is read through %T", got)
	}
}
