package jsonvalue

import (
	"crypto/sha256"
	"hash"
	"strconv"
	"sync"
)

// Digest makes the SHA-256 of texts, so that where each of them ends is a part of it.
type Digest struct {
	hash hash.Hash
	// text is the one that is being added, length its length in decimal digits and a colon.
	text, length []byte
}

// digests keeps digests, as each exchange needs several, and room for its longest text.
var digests = sync.Pool{New: func() any { return &Digest{hash: sha256.New()} }}

// NewDigest returns a digest of nothing. Its sum must be taken.
func NewDigest() *Digest { return digests.Get().(*Digest) }

// Put adds a text.
func (d *Digest) Put(text string) {
	d.text = append(d.text[:0], text...)
	d.write()
}

// PutValue adds what [Of] returns.
func (d *Digest) PutValue(raw []byte) {
	d.text = appendOf(d.text[:0], raw)
	d.write()
}

func (d *Digest) write() {
	d.length = append(strconv.AppendInt(d.length[:0], int64(len(d.text)), 10), ':')
	d.hash.Write(d.length)
	d.hash.Write(d.text)
}

// Sum returns the digest of all that was added. The receiver must not be used any more.
func (d *Digest) Sum() [32]byte {
	d.text = d.hash.Sum(d.text[:0])
	sum := [32]byte(d.text)
	d.hash.Reset()
	digests.Put(d)
	return sum
}
