package replaytest

import (
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/server"
)

// Option changes how [Open] replays or records.
type Option func(*options)

type options struct {
	match   match.Options
	timing  server.Timing
	redact  redact.Rules
	allUsed bool
}

// Match says what may answer a request: any model's answer, one answer again and again, only those of one session.
func Match(o match.Options) Option { return func(c *options) { c.match = o } }

// Timing has answers come at another pace than at once, such as [server.Recorded].
func Timing(t server.Timing) Option { return func(c *options) { c.timing = t } }

// Redact takes more out of what is recorded than what has the form of a secret.
func Redact(rules redact.Rules) Option { return func(c *options) { c.redact = rules } }

// AllUsed has the test fail when it leaves a recorded exchange unused.
func AllUsed() Option { return func(c *options) { c.allUsed = true } }
