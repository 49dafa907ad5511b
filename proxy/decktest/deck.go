// Package decktest puts together for tests what a recording takes: a tape that is being recorded, a client whose traffic goes onto it, and a
// server on a port of its own.
//
// It does not know package proxy, whose tests can so use it too. What is played and looked at is the business of the test.
package decktest

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// Deck is a tape that is being recorded.
type Deck struct {
	Path     string // of the tape
	Recorder *tape.Recorder
	Session  *tape.SessionRecorder

	closed bool
}

// New makes a tape, or opens the one there is, and starts a session on it. The tape is closed when the test ends, if not before.
func New(t testing.TB, path string, session tape.Session) *Deck {
	t.Helper()
	// What is not about slow disks must not fail for one.
	recorder, err := tape.OpenRecorder(t.Context(), path, tape.RecorderOptions{MaxWait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	d := &Deck{Path: path, Recorder: recorder}
	t.Cleanup(func() { d.Close(t) })
	if d.Session, err = recorder.StartSession(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	return d
}

// Redactor takes credentials out with a key that is the same in all tests.
func Redactor() *record.Redactor { return &record.Redactor{Key: []byte("test")} }

// Transport records what passes through it, without credentials as the proxy does.
func (d *Deck) Transport(t testing.TB) *record.Transport {
	base := &http.Transport{DisableCompression: true}
	t.Cleanup(base.CloseIdleConnections)
	return &record.Transport{Base: base, Session: d.Session, Redactor: Redactor()}
}

// Close ends the recording. What went unrecorded fails the test. It may be called again.
func (d *Deck) Close(t testing.TB) {
	t.Helper()
	if d.closed {
		return
	}
	d.closed = true
	if err := d.Recorder.Close(); err != nil {
		t.Errorf("closing the recorder of %s: %v", d.Path, err)
	}
}

// Rewind ends the recording and opens the tape for reading, until the test ends.
func (d *Deck) Rewind(t testing.TB) *tape.Tape {
	t.Helper()
	d.Close(t)
	recorded, err := tape.Open(t.Context(), d.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { recorded.Close() })
	return recorded
}

// Body reads a body of a tape.
func Body(t testing.TB, from *tape.Tape, b tape.Body) string {
	t.Helper()
	body, err := from.Body(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
