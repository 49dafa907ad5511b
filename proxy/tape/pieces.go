package tape

import (
	"encoding/binary"
	"fmt"
	"time"
)

// maxPacked bounds the packed pieces of one stream, and so the memory that its arrival times take.
const maxPacked = 256 << 10

// piecePacker packs the pieces of a stream while they arrive. Each takes two varints, the difference of its offset and of its time
// in microseconds from the piece before; 3 to 5 bytes as a rule. A stream whose pieces would take more than [maxPacked] loses
// resolution evenly: every second piece joins the one before it, and from then on twice as many arrivals make one piece.
type piecePacker struct {
	packed []byte
	last   Piece
	stride int // so many arrivals make one piece; 0 stands for 1
	behind int // arrivals since the last piece was begun
}

// add notes that bytes from offset on arrived at the time at. A piece never counts as earlier than the one before it.
func (p *piecePacker) add(offset int64, at time.Duration) {
	p.behind++
	if p.behind < p.stride {
		return
	}
	p.behind = 0
	if len(p.packed) > maxPacked-2*binary.MaxVarintLen64 {
		p.halve()
	}
	p.append(Piece{Offset: offset, At: at})
}

func (p *piecePacker) append(next Piece) {
	next.At = max(next.At.Truncate(time.Microsecond), p.last.At)
	p.packed = binary.AppendUvarint(p.packed, uint64(next.Offset-p.last.Offset))
	p.packed = binary.AppendUvarint(p.packed, uint64((next.At-p.last.At)/time.Microsecond))
	p.last = next
}

func (p *piecePacker) halve() {
	half := piecePacker{packed: p.packed[:0], stride: 2 * max(p.stride, 1)}
	rest, piece := p.packed, Piece{}
	for n := 0; len(rest) > 0; n++ {
		// What is read lies ahead of what is written: a kept piece takes no more than the two it stands for.
		piece, rest, _ = nextPiece(rest, piece)
		if n%2 == 0 {
			half.append(piece)
		}
	}
	*p = half
}

// unpackPieces reads what a [piecePacker] wrote for a body of size bytes.
func unpackPieces(packed []byte, size int64) ([]Piece, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	pieces := make([]Piece, 0, len(packed)/4+1)
	var piece Piece
	for rest := packed; len(rest) > 0; {
		var err error
		if piece, rest, err = nextPiece(rest, piece); err != nil {
			return nil, fmt.Errorf("arrival times, piece %d: %w", len(pieces), err)
		}
		if piece.Offset >= size {
			return nil, fmt.Errorf("arrival times, piece %d: offset %d in a body of %d bytes", len(pieces), piece.Offset, size)
		}
		pieces = append(pieces, piece)
	}
	return pieces, nil
}

// nextPiece reads the piece that follows last from the start of packed.
func nextPiece(packed []byte, last Piece) (next Piece, rest []byte, err error) {
	offset, n := binary.Uvarint(packed)
	if n <= 0 {
		return Piece{}, nil, errVarint
	}
	packed = packed[n:]
	micros, n := binary.Uvarint(packed)
	if n <= 0 {
		return Piece{}, nil, errVarint
	}
	const limit = 1 << 52 // of microseconds and of bytes: far beyond any body, and sums of it do not overflow
	next.Offset = last.Offset + int64(offset)
	next.At = last.At + time.Duration(micros)*time.Microsecond
	if offset > limit || micros > limit || next.Offset < last.Offset || next.At < last.At {
		return Piece{}, nil, errVarint
	}
	return next, packed[n:], nil
}

var errVarint = fmt.Errorf("%w: malformed number", ErrDamaged)
