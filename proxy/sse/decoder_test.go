package sse_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// decode feeds the pieces to a Decoder and copies every event out. Each piece is overwritten once it was used up, so that
// an event that still points into it shows.
func decode(f sse.Format, pieces ...[]byte) []sse.Event {
	d := sse.NewDecoder(f)
	var all []sse.Event
	drain := func() {
		var e sse.Event
		for d.Next(&e) {
			if e.Data != nil {
				e.Data = append([]byte{}, e.Data...)
			}
			all = append(all, e)
		}
	}
	for _, p := range pieces {
		p = bytes.Clone(p)
		d.Feed(p)
		drain()
		clear(p)
	}
	d.End()
	drain()
	return all
}

var streams = []struct {
	name   string
	format sse.Format
	body   string
	want   []sse.Event
}{
	{"empty", sse.EventStream, "", nil},
	{"blank lines only", sse.EventStream, "\n\r\n\n", nil},
	{"one event", sse.EventStream, "data: a\n\n", []sse.Event{
		{End: 9, Data: []byte("a"), Terminated: true}}},
	{"no space after the colon", sse.EventStream, "data:a\n\n", []sse.Event{
		{End: 8, Data: []byte("a"), Terminated: true}}},
	{"a space for a value", sse.EventStream, "data: \n\n", []sse.Event{
		{End: 8, Data: []byte{}, Terminated: true}}},
	{"only one space is removed", sse.EventStream, "data:  a\n\n", []sse.Event{
		{End: 10, Data: []byte(" a"), Terminated: true}}},
	{"CRLF", sse.EventStream, "event: x\r\ndata: a\r\n\r\n", []sse.Event{
		{End: 21, Name: "x", Data: []byte("a"), Terminated: true}}},
	{"CR", sse.EventStream, "event: x\rdata: a\r\rdata: b\r\r", []sse.Event{
		{End: 18, Name: "x", Data: []byte("a"), Terminated: true},
		{Start: 18, End: 27, Data: []byte("b"), Terminated: true}}},
	{"CR, LF and CRLF", sse.EventStream, "data: a\rdata: b\r\ndata: c\n\r: d\r\n\rdata: e\n\r\n", []sse.Event{
		{End: 26, Data: []byte("a\nb\nc"), Terminated: true},
		{Kind: sse.Comment, Start: 26, End: 31, Data: []byte("d"), Terminated: true},
		{Start: 32, End: 42, Data: []byte("e"), Terminated: true}}},
	{"lone CR ends the line", sse.EventStream, "data: a\rb\n\n", []sse.Event{
		{Kind: sse.Junk, Start: 8, End: 10, Data: []byte("b"), Terminated: true},
		{End: 11, Data: []byte("a"), Terminated: true}}},
	{"CR twice before LF", sse.EventStream, "data: a\r\r\n\n", []sse.Event{
		{End: 10, Data: []byte("a"), Terminated: true}}},
	{"byte order mark and CR", sse.EventStream, "\ufeff\rdata: a\r\r", []sse.Event{
		{Start: 4, End: 13, Data: []byte("a"), Terminated: true}}},
	{"no blank line behind CR", sse.EventStream, ": x\r\rdata: a\r", []sse.Event{
		{Kind: sse.Comment, End: 4, Data: []byte("x"), Terminated: true},
		{Start: 5, End: 13, Data: []byte("a")}}},
	{"CR in NDJSON is space", sse.NDJSON, "{\"a\":\r1}\r\r\n\r", []sse.Event{
		{End: 11, Data: []byte("{\"a\":\r1}\r"), Terminated: true}}},
	{"separators of Unicode end no line", sse.EventStream, "data: a\u0085b\u2028c\u2029d\x0be\x0cf\n\n", []sse.Event{
		{End: 24, Data: []byte("a\u0085b\u2028c\u2029d\x0be\x0cf"), Terminated: true}}},
	{"byte order mark", sse.EventStream, "\ufeffdata: a\n\n", []sse.Event{
		{Start: 3, End: 12, Data: []byte("a"), Terminated: true}}},
	{"byte order mark later is junk", sse.EventStream, "data: a\n\n\ufeffdata: b\n\n", []sse.Event{
		{End: 9, Data: []byte("a"), Terminated: true},
		{Kind: sse.Junk, Start: 9, End: 20, Data: []byte("\ufeffdata: b"), Terminated: true}}},
	{"several data lines", sse.EventStream, "data: a\ndata\ndata:\ndata: b\n\n", []sse.Event{
		{End: 28, Data: []byte("a\n\n\nb"), Terminated: true}}},
	{"empty data is not absent data", sse.EventStream, "data\n\ndata:\n\n", []sse.Event{
		{End: 6, Data: []byte{}, Terminated: true},
		{Start: 6, End: 13, Data: []byte{}, Terminated: true}}},
	{"block without data", sse.EventStream, "event: ping\n\ndata: a\n\n", []sse.Event{
		{End: 13, Name: "ping", Terminated: true},
		{Start: 13, End: 22, Data: []byte("a"), Terminated: true}}},
	{"id and retry", sse.EventStream, "id: 7\nretry: 10\ndata: a\n\n", []sse.Event{
		{End: 25, ID: "7", Retry: "10", Data: []byte("a"), Terminated: true}}},
	{"fields do not outlive their block", sse.EventStream, "id: 7\nevent: x\n\ndata: a\n\n", []sse.Event{
		{End: 16, Name: "x", ID: "7", Terminated: true},
		{Start: 16, End: 25, Data: []byte("a"), Terminated: true}}},
	{"comments", sse.EventStream, ": keep-alive\n\n:x\ndata: a\n: in between\ndata: b\n\n", []sse.Event{
		{Kind: sse.Comment, End: 13, Data: []byte("keep-alive"), Terminated: true},
		{Kind: sse.Comment, Start: 14, End: 17, Data: []byte("x"), Terminated: true},
		{Kind: sse.Comment, Start: 25, End: 38, Data: []byte("in between"), Terminated: true},
		{Start: 17, End: 47, Data: []byte("a\nb"), Terminated: true}}},
	{"junk", sse.EventStream, "{\"error\": 1}\nDATA: a\n\ndata: b\n\n", []sse.Event{
		{Kind: sse.Junk, End: 13, Data: []byte(`{"error": 1}`), Terminated: true},
		{Kind: sse.Junk, Start: 13, End: 21, Data: []byte("DATA: a"), Terminated: true},
		{Start: 22, End: 31, Data: []byte("b"), Terminated: true}}},
	{"no blank line at the end", sse.EventStream, "data: a\n\ndata: b\n", []sse.Event{
		{End: 9, Data: []byte("a"), Terminated: true},
		{Start: 9, End: 17, Data: []byte("b")}}},
	{"cut inside a line", sse.EventStream, "event: x\ndata: b", []sse.Event{
		{End: 16, Name: "x", Data: []byte("b")}}},
	{"cut inside a field name", sse.EventStream, "data: a\nda", []sse.Event{
		{Kind: sse.Junk, Start: 8, End: 10, Data: []byte("da")},
		{End: 10, Data: []byte("a")}}},
	{"cut inside a comment", sse.EventStream, ": keep", []sse.Event{
		{Kind: sse.Comment, End: 6, Data: []byte("keep")}}},
	{"cut inside a CRLF blank line", sse.EventStream, "data: a\r\n\r", []sse.Event{
		{End: 10, Data: []byte("a"), Terminated: true}}},
	{"lines of JSON", sse.NDJSON, "{\"a\":1}\n\n  \r\n{\"b\":\"\u2028\u0085\"}\r\n", []sse.Event{
		{End: 8, Data: []byte(`{"a":1}`), Terminated: true},
		{Start: 13, End: 28, Data: []byte("{\"b\":\"\u2028\u0085\"}"), Terminated: true}}},
	{"last line without its LF", sse.NDJSON, "\ufeff{\"a\":1}\n{\"b\"", []sse.Event{
		{Start: 3, End: 11, Data: []byte(`{"a":1}`), Terminated: true},
		{Start: 11, End: 15, Data: []byte(`{"b"`)}}},
	{"colons mean nothing in NDJSON", sse.NDJSON, "data: 1\n: 2\n", []sse.Event{
		{End: 8, Data: []byte("data: 1"), Terminated: true},
		{Start: 8, End: 12, Data: []byte(": 2"), Terminated: true}}},
}

func TestDecoder(t *testing.T) {
	for _, test := range streams {
		t.Run(test.name, func(t *testing.T) {
			body := []byte(test.body)
			if diff := cmp.Diff(test.want, decode(test.format, body)); diff != "" {
				t.Errorf("in one piece (-want +got):\n%s", diff)
			}
			for i := range body {
				for j := i; j <= len(body); j++ {
					got := decode(test.format, body[:i], body[i:j], body[j:])
					if diff := cmp.Diff(test.want, got); diff != "" {
						t.Fatalf("cut at %d and %d (-want +got):\n%s", i, j, diff)
					}
				}
			}
			bytewise := make([][]byte, len(body))
			for i := range body {
				bytewise[i] = body[i : i+1]
			}
			if diff := cmp.Diff(test.want, decode(test.format, bytewise...)); diff != "" {
				t.Errorf("byte by byte (-want +got):\n%s", diff)
			}
		})
	}
}

// Any bodies made of the bytes that matter give the same events however they are cut.
func TestDecoderAnySplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom([]sse.Format{sse.EventStream, sse.NDJSON}).Draw(t, "format")
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"data: ", "data:", "event: ", "id: ", "retry: ", ":", ": c", "\n", "\n\n", "\r\n", "\r", "x", "{}", "\ufeff",
			"\u2028", "\u0085", "\xff", "\x00", " ",
		})).Draw(t, "parts")
		body := []byte(strings.Join(parts, ""))
		want := decode(format, body)
		var pieces [][]byte
		for rest := body; len(rest) > 0; {
			n := rapid.IntRange(0, len(rest)).Draw(t, "piece")
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, decode(format, pieces...)); diff != "" {
			t.Fatalf("body %q in %q (-whole +pieces):\n%s", body, pieces, diff)
		}
		checkRanges(t, body, want)
	})
}

// checkRanges checks that ranges lie in the body, come in the order of their ends, and leave out nothing but blank lines.
func checkRanges(t interface{ Fatalf(string, ...any) }, body []byte, events []sse.Event) {
	covered := make([]bool, len(body))
	last := int64(0)
	for i, e := range events {
		if e.Start < 0 || e.Start >= e.End || e.End > int64(len(body)) || e.End < last {
			t.Fatalf("event %d has the range [%d,%d) after one that ends at %d; the body has %d bytes", i, e.Start, e.End, last, len(body))
		}
		last = e.End
		for j := e.Start; j < e.End; j++ {
			covered[j] = true
		}
	}
	for i, c := range covered {
		if !c && !strings.ContainsRune("\r\n \t\xef\xbb\xbf", rune(body[i])) && body[i] < 0x80 {
			t.Fatalf("byte %d (%q) of %q is in no event", i, body[i], body)
		}
	}
}

func TestDecoderLargeEvent(t *testing.T) {
	payload := strings.Repeat("0123456789abcde\u2028", 600<<10) // over 10 MB
	body := []byte("event: big\ndata: " + payload + "\ndata: end\n\ndata: next\n\n")
	rng := rand.New(rand.NewPCG(1, 2))
	var pieces [][]byte
	for rest := body; len(rest) > 0; {
		n := min(len(rest), 1+rng.IntN(64<<10))
		pieces = append(pieces, rest[:n])
		rest = rest[n:]
	}
	got := decode(sse.EventStream, pieces...)
	if len(got) != 2 || string(got[0].Data) != payload+"\nend" || string(got[1].Data) != "next" {
		t.Fatalf("got %d events, want the large one and the next", len(got))
	}
	if got[0].Start != 0 || got[0].End != got[1].Start || got[1].End != int64(len(body)) {
		t.Errorf("ranges [%d,%d) and [%d,%d) of %d bytes", got[0].Start, got[0].End, got[1].Start, got[1].End, len(body))
	}
}

// Feeding allocates nothing once names are known and room was made.
func TestDecoderAllocations(t *testing.T) {
	piece := []byte("event: delta\ndata: {\"text\":\"one token\"}\n\n: keep-alive\n\n")
	d := sse.NewDecoder(sse.EventStream)
	var e sse.Event
	n := 0
	got := testing.AllocsPerRun(100, func() {
		for _, cut := range []int{0, 20, len(piece)} {
			d.Feed(piece[:cut])
			for d.Next(&e) {
				n++
			}
			d.Feed(piece[cut:])
			for d.Next(&e) {
				n++
			}
		}
	})
	if got != 0 {
		t.Errorf("%v allocations a run, want none", got)
	}
	if n != 101*6 {
		t.Errorf("got %d events, want %d", n, 101*6)
	}
}

func BenchmarkDecoder(b *testing.B) {
	piece := []byte("data: " + strings.Repeat("x", 250) + "\n\n")
	for _, size := range []int{len(piece), 100, 32 << 10} {
		b.Run(fmt.Sprintf("piece=%d", size), func(b *testing.B) {
			body := bytes.Repeat(piece, 1000)
			d := sse.NewDecoder(sse.EventStream)
			var e sse.Event
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				for rest := body; len(rest) > 0; {
					n := min(size, len(rest))
					d.Feed(rest[:n])
					for d.Next(&e) {
					}
					rest = rest[n:]
				}
			}
		})
	}
}

// again reads a body in another way than the code under test: with all of it at hand, line by line. Events have no place then.
func again(format sse.Format, body string) []sse.Event {
	var all []sse.Event
	var block sse.Event
	open, data := false, []string(nil)
	finish := func(terminated bool) {
		if data != nil {
			block.Data = []byte(strings.Join(data, "\n"))
		}
		block.Terminated = terminated
		all = append(all, block)
		block, open, data = sse.Event{}, false, nil
	}
	ends := map[sse.Format]string{sse.EventStream: "\r\n", sse.NDJSON: "\n"}[format]
	for rest := strings.TrimPrefix(body, "\ufeff"); rest != ""; {
		line, i := rest, strings.IndexAny(rest, ends)
		if rest = ""; i >= 0 {
			line, rest = line[:i], line[i:]
			if cut, ok := strings.CutPrefix(rest, "\r\n"); ok {
				rest = cut
			} else {
				rest = rest[1:]
			}
		}
		if format == sse.NDJSON {
			if i >= 0 {
				line = strings.TrimSuffix(line, "\r")
			}
			if strings.Trim(line, " \t\r") != "" {
				all = append(all, sse.Event{Data: []byte(line), Terminated: i >= 0})
			}
			continue
		}
		if line == "" {
			if open {
				finish(true)
			}
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			block.Name = value
		case "id":
			block.ID = value
		case "retry":
			block.Retry = value
		case "":
			all = append(all, sse.Event{Kind: sse.Comment, Data: []byte(value), Terminated: i >= 0})
			continue
		default:
			all = append(all, sse.Event{Kind: sse.Junk, Data: []byte(line), Terminated: i >= 0})
			continue
		}
		open = true
	}
	if open {
		finish(false)
	}
	return all
}

// FuzzDecoder: events are what another reading finds, lie where they are said to, and do not depend on how the body is cut.
func FuzzDecoder(f *testing.F) {
	for _, test := range streams {
		f.Add([]byte(test.body), uint16(3))
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint16) {
		for _, format := range []sse.Format{sse.EventStream, sse.NDJSON} {
			want := decode(format, body)
			checkRanges(t, body, want)
			unplaced := slices.Clone(want)
			for i := range unplaced {
				unplaced[i].Start, unplaced[i].End = 0, 0
			}
			if diff := cmp.Diff(again(format, string(body)), unplaced); diff != "" {
				t.Fatalf("read in another way (-other +decoder):\n%s", diff)
			}
			rng := rand.New(rand.NewPCG(uint64(seed), 0))
			var pieces [][]byte
			for rest := body; len(rest) > 0; {
				n := min(len(rest), rng.IntN(9))
				pieces = append(pieces, rest[:n])
				rest = rest[n:]
			}
			if diff := cmp.Diff(want, decode(format, pieces...)); diff != "" {
				t.Fatalf("in %d pieces (-whole +pieces):\n%s", len(pieces), diff)
			}
		}
	})
}
