package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// deck is a tape that is being recorded, with what recording needs beside it.
type deck struct {
	path     string
	recorder *tape.Recorder
	session  *tape.SessionRecorder
	redactor *record.Redactor
}

// openDeck opens a tape for recording and starts a session on it.
func openDeck(ctx context.Context, path string, s tape.Session, e env) (*deck, error) {
	d, err := openTape(ctx, path, tape.RecorderOptions{}, e)
	if err != nil {
		return nil, err
	}
	if d.session, err = d.start(ctx, s); err != nil {
		d.recorder.Close()
		return nil, err
	}
	return d, nil
}

// openTape opens a tape for recording, without a session.
func openTape(ctx context.Context, path string, o tape.RecorderOptions, e env) (*deck, error) {
	redactor, err := newRedactor(e)
	if err != nil {
		return nil, err
	}
	recorder, err := tape.OpenRecorder(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return &deck{path: path, recorder: recorder, redactor: redactor}, nil
}

// newRedactor returns what takes credentials out of what goes on a tape, with the user's key.
func newRedactor(e env) (*record.Redactor, error) {
	dir, err := record.StateDir(e.getenv, runtime.GOOS)
	if err != nil {
		return nil, err
	}
	key, err := record.LoadKey(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; EXODECK_HOME can name another folder for exodeck's own files", err)
	}
	return &record.Redactor{Key: key}, nil
}

// start starts a session.
func (d *deck) start(ctx context.Context, s tape.Session) (*tape.SessionRecorder, error) {
	session, err := d.recorder.StartSession(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("starting a session on %s: %w", d.path, err)
	}
	return session, nil
}

// close finishes the tape. What went unrecorded makes the exit status 4.
func (d *deck) close() error {
	if err := d.recorder.Close(); err != nil {
		return &exitError{exitCannotRun, err}
	}
	return nil
}
