package pairs_test

import "github.com/exodeck/exodeck/score/conformance/conformancetest"

// The words of conformancetest, which the tests are made of.
type sent = conformancetest.Exchange

const (
	withTools  = conformancetest.WithTools
	done       = conformancetest.Done
	emptyText  = conformancetest.EmptyText
	zero       = conformancetest.Zero
	tideText   = conformancetest.TideText
	claudeTide = conformancetest.ClaudeTide
)

var (
	ask        = conformancetest.Ask
	call       = conformancetest.Call
	at         = conformancetest.At
	whole      = conformancetest.Whole
	calls      = conformancetest.Calls
	tide       = conformancetest.Tide
	says       = conformancetest.Says
	chunk      = conformancetest.Chunk
	event      = conformancetest.Event
	named      = conformancetest.Named
	claude     = conformancetest.Claude
	start      = conformancetest.Start
	text       = conformancetest.Text
	stop       = conformancetest.Stop
	chat       = conformancetest.Chat
	claudeAsk  = conformancetest.ClaudeAsk
	claudeSays = conformancetest.ClaudeSays
	streamed   = conformancetest.Streamed
	quote      = conformancetest.Quote
	codesOf    = conformancetest.CodesOf
	blameOf    = conformancetest.BlameOf
)
