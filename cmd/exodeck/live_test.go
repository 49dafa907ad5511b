package main

import (
	"errors"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

func TestStatusLine(t *testing.T) {
	last := record.Event{Method: "GET", URL: "/models", Status: 200, Ended: tape.Complete, Total: 12 * time.Millisecond}
	for _, tt := range []struct {
		name  string
		stats tape.Stats
		last  record.Event
		width int
		want  string
	}{
		{"nothing yet", tape.Stats{}, record.Event{}, 79, "0 recorded · 0 in flight · 0 B"},
		{"an exchange", tape.Stats{Committed: 1, BodyBytes: 2500}, last, 79, "1 recorded · 0 in flight · 2.5 KB · last: GET /models 200 complete 12ms"},
		{"trouble", tape.Stats{Unrecorded: 2, LastError: errors.New("disk full")}, record.Event{}, 79, "0 recorded · 0 in flight · 0 B · 2 UNRECORDED (disk full)"},
		{"narrow", tape.Stats{Committed: 1}, last, 19, "1 recorded · 0 in …"},
		{"hardly a terminal", tape.Stats{}, record.Event{}, 0, "…"},
		{"wide characters", tape.Stats{}, record.Event{Method: "GET", URL: "/你好你好你好"}, 50, "0 recorded · 0 in flight · 0 B · last: GET /你好…"},
		{"a URL that would move the cursor", tape.Stats{}, record.Event{Method: "GET", URL: "/\u009b2J"}, 79, `0 recorded · 0 in flight · 0 B · last: GET /\u009b2J 0  0.0ms`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := statusLine(tt.stats, tt.last, tt.width); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSummaryLine(t *testing.T) {
	for _, tt := range []struct {
		name         string
		stats        tape.Stats
		left, broken int64
		path         string
		want         string
	}{
		{"nothing", tape.Stats{}, 0, 0, "a.tape", "recorded nothing on a.tape: no request came through http://127.0.0.1:9; point a client at it as shown at the start"},
		{"one", tape.Stats{Committed: 1}, 0, 0, "a.tape", "recorded 1 exchange on a.tape; exodeck tape ls --tape a.tape lists it"},
		{"one, cut off", tape.Stats{Committed: 1}, 0, 1, "a.tape", "recorded 1 exchange on a.tape (1 broken off); exodeck tape ls --tape a.tape lists it"},
		{"one, left", tape.Stats{Committed: 1}, 1, 0, "a.tape", "recorded 1 exchange on a.tape (1 closed by clients); exodeck tape ls --tape a.tape lists it"},
		{"many", tape.Stats{Committed: 12}, 3, 2, "my tapes/a.tape", "recorded 12 exchanges on my tapes/a.tape (2 broken off, 3 closed by clients); exodeck tape ls --tape 'my tapes/a.tape' lists them"},
		{"only trouble", tape.Stats{Unrecorded: 2}, 0, 0, "a.tape", "recorded 0 exchanges on a.tape"}, // the error that follows says why
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := summaryLine(tt.stats, tt.left, tt.broken, tt.path, "http://127.0.0.1:9"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
