package tape

const (
	// maxFree is how many buffers are kept for their next use.
	maxFree = 128
	// maxFreeSize is the most that one of them holds: an exchange in flight should not sit on much more than it needs.
	maxFreeSize = 64 << 10
)

// buffers are byte slices that wait for their next use. What a body grows into would otherwise be most of what a recorder allocates.
type buffers chan []byte

func newBuffers() buffers { return make(buffers, maxFree) }

// get returns an empty slice.
func (b buffers) get() []byte {
	select {
	case free := <-b:
		return free[:0]
	default:
		return nil
	}
}

// put takes a slice that nobody uses any more.
func (b buffers) put(used []byte) {
	if cap(used) == 0 || cap(used) > maxFreeSize {
		return
	}
	select {
	case b <- used:
	default:
	}
}
