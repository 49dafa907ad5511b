package tape

import (
	"crypto/sha256"
	"sync"
)

// maxKnown is how many digests half of [knownBodies] holds.
const maxKnown = 8192

// knownBodies remembers which recent digests are on the tape, so that a body that is sent again and again is neither compressed nor
// looked for again. It forgets the older half when it is full.
type knownBodies struct {
	mu         sync.RWMutex
	young, old map[[sha256.Size]byte]int64
}

func newKnownBodies() *knownBodies {
	return &knownBodies{young: make(map[[sha256.Size]byte]int64)}
}

// row returns the row of the body with that digest, 0 when it is not known.
func (k *knownBodies) row(sum [sha256.Size]byte) int64 {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if id := k.young[sum]; id != 0 {
		return id
	}
	return k.old[sum]
}

// add remembers a body that is on the tape.
func (k *knownBodies) add(sum [sha256.Size]byte, id int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.young) >= maxKnown {
		k.old, k.young = k.young, make(map[[sha256.Size]byte]int64)
	}
	k.young[sum] = id
}
