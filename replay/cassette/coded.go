package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/coding"
)

// MaxBody is how large a body may be, its content coding undone.
const MaxBody = 64 << 20

// decode undoes the content coding of a body, and returns the header as it is without. A coded body that breaks off is decoded as
// far as it goes. One that cannot be decoded at all stays as it is, which the error says.
func decode(body []byte, h http.Header, pieces []tape.Piece) (plain []byte, header http.Header, shown []tape.Piece, encoding string, err error) {
	codings := coding.Of(h)
	if len(body) == 0 || len(codings) == 0 {
		return body, h, pieces, "", nil
	}
	plain, shown, err = undo(body, codings, pieces)
	if err != nil {
		return body, h, pieces, "", err
	}
	header = h.Clone()
	header.Del("Content-Encoding")
	fitLength(header, len(body), len(plain))
	return plain, header, shown, strings.Join(codings, ", "), nil
}

// fitLength makes the Content-Length of a body that had was bytes and now has is bytes right. One that was not right before says
// nothing any more.
func fitLength(h http.Header, was, is int) {
	value := h.Get("Content-Length")
	if value == "" || was == is {
		return
	}
	if value != strconv.Itoa(was) {
		h.Del("Content-Length")
		return
	}
	h.Set("Content-Length", strconv.Itoa(is))
}

func undo(body []byte, codings []string, pieces []tape.Piece) ([]byte, []tape.Piece, error) {
	if len(pieces) == 0 {
		pieces = []tape.Piece{{}}
	}
	in := &pieceReader{body: body, pieces: pieces, marks: make([]int, len(pieces))}
	r, err := coding.NewReader(in, codings)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var plain bytes.Buffer
	in.out = &plain
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		plain.Write(buf[:n])
		if plain.Len() > MaxBody {
			return nil, nil, fmt.Errorf("%w: it decodes to more than %d MiB", ErrTooLarge, MaxBody>>20)
		}
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			return plain.Bytes(), in.shown(), nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// pieceReader hands a coded body out piece by piece, and notes how many bytes had been decoded when each was asked for.
type pieceReader struct {
	body   []byte
	pieces []tape.Piece
	marks  []int
	next   int // piece
	at     int // in the body
	out    *bytes.Buffer
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if r.at == len(r.body) {
		return 0, io.EOF
	}
	for r.next < len(r.pieces) && int(r.pieces[r.next].Offset) <= r.at {
		r.marks[r.next] = r.out.Len()
		r.next++
	}
	end := len(r.body)
	if r.next < len(r.pieces) {
		end = int(r.pieces[r.next].Offset)
	}
	n := copy(p, r.body[r.at:end])
	r.at += n
	return n, nil
}

// shown returns the pieces of the decoded body: those that gave bytes of their own.
func (r *pieceReader) shown() []tape.Piece {
	var shown []tape.Piece
	for i, p := range r.pieces {
		end := r.out.Len()
		if i+1 < r.next {
			end = r.marks[i+1]
		}
		if i < r.next && r.marks[i] < end {
			shown = append(shown, tape.Piece{Offset: int64(r.marks[i]), At: p.At})
		}
	}
	return shown
}
