package main

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/search"
)

// On a terminal the match stands out, and what was said cannot write there what it likes.
func TestGrepMarked(t *testing.T) {
	var out bytes.Buffer
	p := &grepPrinter{out: bufio.NewWriter(&out), marked: true}
	x := &tape.Exchange{Ref: tape.Ref{Session: "s", Seq: 1}}
	hit := search.Hit{Place: search.Place{Side: search.Response, What: "text"}, Before: "at\n", Match: "no\x1bon", After: ".", CutBefore: true, CutAfter: true}
	if err := p.hit(x, hit); err != nil {
		t.Fatal(err)
	}
	const want = "s/1  response text @0: …at\\n\x1b[1;31mno\\x1bon\x1b[0m.…\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}
