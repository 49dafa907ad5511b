package check

import "sync"

// A buffer is memory in which a value is printed.
type buffer struct{ bytes []byte }

// maxBuffer is the size in bytes of the largest buffer that is kept.
const maxBuffer = 64 << 10

var buffers = sync.Pool{New: func() any { return &buffer{make([]byte, 0, 1<<10)} }}

// newBuffer returns an empty buffer.
func newBuffer() *buffer { return buffers.Get().(*buffer) }

// free gives the memory back.
func (b *buffer) free() {
	if cap(b.bytes) <= maxBuffer {
		b.bytes = b.bytes[:0]
		buffers.Put(b)
	}
}

// text returns what was written as a text, and gives the memory back.
func (b *buffer) text() string {
	s := string(b.bytes)
	b.free()
	return s
}
