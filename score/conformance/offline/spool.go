package offline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/exodeck/exodeck/score/conformance"
)

// spool keeps reports in their order, as JSON lines: in memory at first, in a temporary file when they become many.
type spool struct {
	memory bytes.Buffer
	file   *os.File
	w      *bufio.Writer
	count  int
	err    error // of reading the file, see lines
}

// spoolMemory is how many bytes of reports are kept in memory.
const spoolMemory = 4 << 20

// append adds a line, with its end.
func (s *spool) append(line []byte) (err error) {
	s.count++
	if s.file == nil && s.memory.Len()+len(line) <= spoolMemory {
		s.memory.Write(line)
		return nil
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "exodeck-conformance-*"); err != nil {
			return fmt.Errorf("keeping reports: %w", err)
		}
		s.w = bufio.NewWriterSize(s.file, 1<<16)
	}
	if _, err := s.w.Write(line); err != nil {
		return fmt.Errorf("keeping reports: %w", err)
	}
	return nil
}

// encode returns a report as one line of JSON.
func encode(r *conformance.Report) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("writing a report: %w", err)
	}
	return b.Bytes(), nil
}

// decode reads a report from its line.
func decode(line []byte) (*conformance.Report, error) {
	r := new(conformance.Report)
	if err := json.Unmarshal(line, r); err != nil {
		return nil, fmt.Errorf("reading a report again: %w", err)
	}
	return r, nil
}

// lines yields all lines with their numbers. A line is valid until the next one. Whoever reads to the end must look at err then.
func (s *spool) lines() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		n := 0
		for rest := s.memory.Bytes(); len(rest) > 0; n++ {
			i := bytes.IndexByte(rest, '\n')
			if !yield(n, rest[:i]) {
				return
			}
			rest = rest[i+1:]
		}
		if s.file == nil {
			return
		}
		r := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, 1<<62), 1<<16)
		for ; n < s.count; n++ {
			line, err := r.ReadBytes('\n')
			if err != nil {
				s.err = fmt.Errorf("reading the reports again: %w", err)
				return
			}
			if !yield(n, line[:len(line)-1]) {
				return
			}
		}
	}
}

// flush makes all that was appended readable.
func (s *spool) flush() error {
	if s.w == nil {
		return nil
	}
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("keeping reports: %w", err)
	}
	return nil
}

// close removes the file.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
