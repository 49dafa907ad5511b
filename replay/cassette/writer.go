package cassette

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// Writer writes a cassette. The first line tells the digest of all others, so these wait in a temporary file until [Writer.WriteTo].
type Writer struct {
	head     Head
	sessions []*sessionLine
	byName   map[string]int // numbers of sessions
	seqs     []int64        // of sessions: exchanges so far
	first    time.Time      // start of the earliest exchange
	file     *os.File
	lines    *bufio.Writer
	size     int64
	places   []written
	buf      []byte
}

// written is a line in the temporary file.
type written struct {
	session      int
	offset, size int64
}

// NewWriter starts a cassette. Name and Generator of the head count, the rest comes from the exchanges.
func NewWriter(h Head) (*Writer, error) {
	f, err := os.CreateTemp("", "exodeck-cassette-*")
	if err != nil {
		return nil, fmt.Errorf("making a temporary file for a cassette: %w", err)
	}
	return &Writer{head: h, byName: map[string]int{}, file: f, lines: bufio.NewWriterSize(f, 256<<10)}, nil
}

// Close removes the temporary file.
func (w *Writer) Close() error {
	return errors.Join(w.file.Close(), os.Remove(w.file.Name()))
}

// session adds a session. Exchanges belong to sessions that were added before.
func (w *Writer) session(s *sessionLine) error {
	if err := checkName(s.Name); err != nil {
		return fmt.Errorf("writing session %.40q: %w", s.Name, err)
	}
	w.byName[s.Name] = len(w.sessions)
	w.sessions = append(w.sessions, s)
	w.seqs = append(w.seqs, 0)
	return nil
}

// Exchange adds an exchange. It is numbered anew, from 1 in each session: a tape that the cassette is imported to does that too.
// Its session is added when no exchange named it before; it then has the exchange's upstream.
func (w *Writer) Exchange(x *Entry) error {
	if x.Session == "" {
		x.Session = defaultSession
	}
	n, ok := w.byName[x.Session]
	if !ok {
		s := &sessionLine{}
		s.Name, s.Upstream = x.Session, x.Upstream
		if err := w.session(s); err != nil {
			return err
		}
		n = w.byName[x.Session]
	}
	w.seqs[n]++
	x.Seq = w.seqs[n]
	x.shape()
	if w.first.IsZero() || x.Started.Before(w.first) {
		w.first = x.Started
	}
	w.buf = appendEntry(w.buf[:0], x, w.sessions[n].Upstream)
	if len(w.buf) > MaxLine {
		return fmt.Errorf("writing exchange %s/%d: %w: its line would have %d MiB, %d are allowed; leave it out", x.Session, x.Seq, ErrTooLarge, len(w.buf)>>20, MaxLine>>20)
	}
	if _, err := w.lines.Write(w.buf); err != nil {
		return fmt.Errorf("writing exchange %s/%d: %w", x.Session, x.Seq, err)
	}
	w.places = append(w.places, written{n, w.size, int64(len(w.buf))})
	w.size += int64(len(w.buf))
	return nil
}

// WriteTo writes the cassette: sessions that have exchanges in the order in which they were added, and their exchanges.
func (w *Writer) WriteTo(out io.Writer) (int64, error) {
	if err := w.lines.Flush(); err != nil {
		return 0, err
	}
	// Exchanges stand in recorded order: by session.
	slices.SortStableFunc(w.places, func(a, b written) int { return cmp.Compare(a.session, b.session) })
	var sessions []byte
	for i, s := range w.sessions {
		if w.seqs[i] > 0 {
			sessions = appendSession(sessions, s.Session, s.unknown)
		}
	}
	sum := sha256.New()
	sum.Write(sessions)
	if err := w.copyLines(sum); err != nil {
		return 0, err
	}
	w.head.Created, w.head.Exchanges, w.head.SHA256 = w.first, len(w.places), hex.EncodeToString(sum.Sum(nil))
	head := append(appendHead(nil, w.head), sessions...)
	if _, err := out.Write(head); err != nil {
		return 0, err
	}
	return int64(len(head)) + w.size, w.copyLines(out)
}

func (w *Writer) copyLines(out io.Writer) error {
	for rest := w.places; len(rest) > 0; {
		// Lines that follow each other are one run of bytes.
		run, n := rest[0], 1
		for n < len(rest) && rest[n].offset == run.offset+run.size {
			run.size += rest[n].size
			n++
		}
		rest = rest[n:]
		if _, err := io.Copy(out, io.NewSectionReader(w.file, run.offset, run.size)); err != nil {
			return err
		}
	}
	return nil
}
