package wire

import "sort"

// Piece says how much of a text had come with an event.
type Piece struct {
	// Event, Start and End are those of the event's [Place].
	Event      int
	Start, End int64
	// Len is how many bytes the text had then.
	Len int
}

// Pieces are those that a text came in, each of which makes it longer.
type Pieces []Piece

// At returns the event that brought the byte at an offset of the text. ok is false when there is no such byte, and in a whole body.
func (p Pieces) At(offset int) (place Place, ok bool) {
	n := sort.Search(len(p), func(k int) bool { return p[k].Len > offset })
	if n == len(p) || offset < 0 {
		return Place{}, false
	}
	return Place{Event: p[n].Event, Start: p[n].Start, End: p[n].End}, true
}

// Arrival returns the event of a stream that brought the byte at an offset of a text: of Text, Reasoning or Refusal, as kind says. Where the
// final response of a Responses stream has another text than was streamed, that is the event of what differs. ok is false when there
// is no such byte, and in a whole body.
func (a *Answer) Arrival(kind BlockKind, offset int) (place Place, ok bool) {
	whole := map[BlockKind]string{BlockText: a.Text, BlockReasoning: a.Reasoning, BlockRefusal: a.Refusal}[kind]
	if !a.Stream || offset < 0 || offset >= len(whole) {
		return Place{}, false
	}
	at := 0 // where the block begins in the text
	for i := range a.Blocks {
		b := &a.Blocks[i]
		if b.Kind != kind {
			continue
		}
		until := at + len(b.Text)
		if offset < until {
			if whole[at:offset+1] != b.Text[:offset+1-at] {
				break
			}
			return b.Pieces.At(offset - at)
		}
		if until > len(whole) || whole[at:until] != b.Text {
			break
		}
		at = until
	}
	if a.Final == nil {
		return Place{}, false
	}
	return *a.Final, true
}
