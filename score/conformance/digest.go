package conformance

import (
	"crypto/sha256"
	"hash"
	"strconv"
	"sync"
)

// digest makes the SHA-256 of texts, so that where each of them ends is a part of it.
type digest struct {
	hash hash.Hash
	// text is the one that is being added, length its length in decimal digits and a colon.
	text, length []byte
}

// digests keeps digests, as each exchange needs several, and room for its longest text.
var digests = sync.Pool{New: func() any { return &digest{hash: sha256.New()} }}

// newDigest returns a digest of nothing. Its sum must be taken.
func newDigest() *digest { return digests.Get().(*digest) }

// put adds a text.
func (d *digest) put(text string) {
	d.text = append(d.text[:0], text...)
	d.write()
}

// putValue adds what [valueOf] returns.
func (d *digest) putValue(raw []byte) {
	d.text = appendValueOf(d.text[:0], raw)
	d.write()
}

func (d *digest) write() {
	d.length = append(strconv.AppendInt(d.length[:0], int64(len(d.text)), 10), ':')
	d.hash.Write(d.length)
	d.hash.Write(d.text)
}

// sum returns the digest of all that was added. The receiver must not be used any more.
func (d *digest) sum() [32]byte {
	d.text = d.hash.Sum(d.text[:0])
	sum := [32]byte(d.text)
	d.hash.Reset()
	digests.Put(d)
	return sum
}
