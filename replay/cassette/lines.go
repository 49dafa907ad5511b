package cassette

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

const (
	// MaxLine is how long a line may be, and so how large an exchange.
	MaxLine = 128 << 20
	// maxRead is how much [Read] takes into memory.
	maxRead = 1 << 30
)

// lineReader reads lines. Line ends of Windows are taken for ordinary ones, so that a checkout with other line ends is the same
// cassette; a byte order mark in front is left out.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
	n   int       // lines read
	at  int64     // offset of what is read next
	sum hash.Hash // of the lines read, but for the first
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), sum: sha256.New()}
}

// next returns the next line that is not blank, without its line end, and its offset. The line is valid until the next call. At the
// end the error is [io.EOF].
func (l *lineReader) next() (line []byte, offset int64, err error) {
	for {
		line, offset, err = l.read()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, offset, err
		}
	}
}

func (l *lineReader) read() (line []byte, offset int64, err error) {
	offset = l.at
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		l.at += int64(len(part))
		l.buf = append(l.buf, part...)
		if len(l.buf) > MaxLine {
			return nil, 0, fmt.Errorf("%w: the line is longer than %d MiB", ErrTooLarge, MaxLine>>20)
		}
		if err == nil || err == io.EOF && len(l.buf) > 0 {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, 0, err
		}
	}
	l.n++
	if l.n == 1 && bytes.HasPrefix(l.buf, byteOrderMark) {
		l.buf = l.buf[len(byteOrderMark):]
		offset += int64(len(byteOrderMark))
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(l.buf, []byte("\n")), []byte("\r"))
	if l.n > 1 {
		l.sum.Write(line)
		l.sum.Write([]byte{'\n'})
	}
	return line, offset, nil
}

func (l *lineReader) digest() string { return hex.EncodeToString(l.sum.Sum(nil)) }
