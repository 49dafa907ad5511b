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
	recorder *tape.Recorder
	session  *tape.SessionRecorder
	redactor *record.Redactor
}

func openDeck(ctx context.Context, path string, s tape.Session, e env) (*deck, error) {
	dir, err := record.StateDir(e.getenv, runtime.GOOS)
	if err != nil {
		return nil, err
	}
	key, err := record.LoadKey(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; EXODECK_HOME can name another folder for exodeck's own files", err)
	}
	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{})
	if err != nil {
		return nil, err
	}
	session, err := recorder.StartSession(ctx, s)
	if err != nil {
		recorder.Close()
		return nil, fmt.Errorf("starting a session on %s: %w", path, err)
	}
	return &deck{recorder, session, &record.Redactor{Key: key}}, nil
}

// close finishes the tape. What went unrecorded makes the exit status 4.
func (d *deck) close() error {
	if err := d.recorder.Close(); err != nil {
		return &exitError{exitCannotRun, err}
	}
	return nil
}
