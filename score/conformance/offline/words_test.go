package offline_test

import "github.com/exodeck/exodeck/score/conformance/conformancetest"

// The words of conformancetest, which the tests are made of.
type sent = conformancetest.Exchange

const (
	withTools      = conformancetest.WithTools
	done           = conformancetest.Done
	emptyText      = conformancetest.EmptyText
	responsesUsage = conformancetest.ResponsesUsage
	zero           = conformancetest.Zero
	tideText       = conformancetest.TideText
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
	claude     = conformancetest.Claude
	start      = conformancetest.Start
	text       = conformancetest.Text
	stop       = conformancetest.Stop
	said       = conformancetest.Said
	responses  = conformancetest.Responses
	chat       = conformancetest.Chat
	claudeAsk  = conformancetest.ClaudeAsk
	claudeSays = conformancetest.ClaudeSays
	streamed   = conformancetest.Streamed
	record     = conformancetest.Record
	printed    = conformancetest.Printed
	codesOf    = conformancetest.CodesOf
)
