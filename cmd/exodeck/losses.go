package main

import (
	"log/slog"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// lossInterval is how far apart the warnings of exchanges that go unrecorded are at least: a full disk loses all that come.
const lossInterval = 30 * time.Second

// losses follows a recorder's statistics and logs that exchanges go unrecorded, and when recording goes on again.
type losses struct {
	seen      int64     // unrecorded when last looked
	committed int64     // when more went unrecorded last
	told      int64     // unrecorded as last told
	at        time.Time // when it was told
	failing   bool      // was told, and not yet that it is over
}

// look logs what a person should know by now. That recording goes on is a warning too: whoever sees the one shall see the other.
func (l *losses) look(stats tape.Stats, log *slog.Logger) {
	if stats.Unrecorded > l.seen {
		l.seen, l.committed = stats.Unrecorded, stats.Committed
	}
	now := time.Now()
	switch {
	case l.seen > l.told && (l.told == 0 || now.Sub(l.at) >= lossInterval):
		l.told, l.at, l.failing = l.seen, now, true
		log.Warn("recording fails: exchanges are not on the tape", "unrecorded", l.seen, "error", stats.LastError)
	case l.failing && stats.Committed > l.committed:
		l.failing = false
		log.Warn("exchanges are recorded again", "unrecorded", l.seen)
	}
}
