package tape

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPieces(t *testing.T) {
	var p piecePacker
	want := []Piece{{0, 5 * time.Microsecond}, {1, 5 * time.Microsecond}, {300, 2 * time.Hour}, {300 + 1<<40, 3 * time.Hour}}
	for _, piece := range want {
		p.add(piece.Offset, piece.At)
	}
	p.add(1<<41, time.Hour+700) // a clock that went back, and nanoseconds
	want = append(want, Piece{1 << 41, 3 * time.Hour})
	got, err := unpackPieces(p.packed, 1<<42)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
	if _, err := unpackPieces(p.packed, 1<<41); err == nil {
		t.Error("a piece may begin behind the end of its body")
	}
	if got, err := unpackPieces(nil, 0); got != nil || err != nil {
		t.Errorf("no pieces: %v, %v", got, err)
	}
}

// TestPiecesBounded packs a stream without end: memory stays bounded, and the pieces that are left are true ones, evenly spread.
func TestPiecesBounded(t *testing.T) {
	var p piecePacker
	const n, step = 2_000_000, 150
	for i := range int64(n) {
		p.add(i*step, time.Duration(i)*time.Millisecond)
		if len(p.packed) > maxPacked {
			t.Fatalf("%d bytes after %d pieces", len(p.packed), i)
		}
	}
	pieces, err := unpackPieces(p.packed, n*step)
	if err != nil {
		t.Fatal(err)
	}
	if len(pieces) < 30_000 {
		t.Errorf("only %d of %d pieces are left", len(pieces), n)
	}
	for i, piece := range pieces {
		if at := time.Duration(piece.Offset/step) * time.Millisecond; piece.Offset%step != 0 || piece.At != at {
			t.Fatalf("piece %d at %d, %v came at %v", i, piece.Offset, piece.At, at)
		}
		if i > 0 && piece.Offset-pieces[i-1].Offset > 128*step {
			t.Fatalf("no piece from %d to %d", pieces[i-1].Offset, piece.Offset)
		}
	}
	if pieces[0] != (Piece{}) {
		t.Errorf("the first piece is %v", pieces[0])
	}
}

func FuzzPieces(f *testing.F) {
	var p piecePacker
	for i := range int64(20) {
		p.add(i*1000, time.Duration(i*i)*time.Millisecond)
	}
	f.Add(p.packed, int64(20_000))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0}, int64(1<<62))
	f.Add([]byte{0x80}, int64(0))
	f.Fuzz(func(t *testing.T, packed []byte, size int64) {
		pieces, err := unpackPieces(packed, size)
		if err != nil {
			return
		}
		var again piecePacker
		for i, piece := range pieces {
			if piece.Offset < 0 || piece.Offset >= size || i > 0 && (piece.Offset < pieces[i-1].Offset || piece.At < pieces[i-1].At) {
				t.Fatalf("piece %d is %v of %d bytes", i, piece, size)
			}
			again.add(piece.Offset, piece.At)
		}
		back, err := unpackPieces(again.packed, size)
		if err != nil || again.stride == 0 && !cmp.Equal(pieces, back) {
			t.Fatalf("%v was packed and unpacked as %v, %v", pieces, back, err)
		}
	})
}
