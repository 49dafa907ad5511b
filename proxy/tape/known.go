package tape

import (
	"crypto/sha256"
	"sync"
)

// maxKnown is how many digests half of [knownBodies] holds.
const maxKnown = 8192

// knownBodies remembers which recent digests are on the tape, so that a body that is sent again and again is neither compressed nor
// looked for again. It forgets the older half when it is full.
//
// Between the moment at which a body is found here and that at which the exchange that has it is on the tape, the body must not be
// pruned: nobody has its bytes any more.
type knownBodies struct {
	mu         sync.Mutex
	young, old map[[sha256.Size]byte]int64
	inUse      map[int64]int // rows that have been found, and how often, until they are released
}

func newKnownBodies() *knownBodies {
	return &knownBodies{young: make(map[[sha256.Size]byte]int64), inUse: make(map[int64]int)}
}

// use returns the row of the body with that digest, 0 when it is not known. The row is to be released.
func (k *knownBodies) use(sum [sha256.Size]byte) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := k.young[sum]
	if id == 0 {
		id = k.old[sum]
	}
	if id != 0 {
		k.inUse[id]++
	}
	return id
}

// release says that what a row was found for is on the tape, or has been given up.
func (k *knownBodies) release(id int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.inUse[id]--; k.inUse[id] == 0 {
		delete(k.inUse, id)
	}
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

// forget has a body that is to go forgotten. It reports false, and does nothing, when the body is in use.
func (k *knownBodies) forget(sum [sha256.Size]byte, id int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.inUse[id] > 0 {
		return false
	}
	// An equal body may be known by another row.
	for _, half := range []map[[sha256.Size]byte]int64{k.young, k.old} {
		if half[sum] == id {
			delete(half, sum)
		}
	}
	return true
}
