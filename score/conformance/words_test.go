package conformance_test

import "github.com/exodeck/exodeck/score/conformance/conformancetest"

// The words of conformancetest, which the tests are made of.
type sent = conformancetest.Exchange

const (
	tideSchema     = conformancetest.TideSchema
	chatTools      = conformancetest.ChatTools
	tools          = conformancetest.Tools
	withTools      = conformancetest.WithTools
	usage          = conformancetest.Usage
	done           = conformancetest.Done
	emptyText      = conformancetest.EmptyText
	responsesUsage = conformancetest.ResponsesUsage
	tideText       = conformancetest.TideText
	claudeTide     = conformancetest.ClaudeTide
	noResponse     = conformancetest.NoResponse
)

var (
	paths      = conformancetest.Paths
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
	said       = conformancetest.Said
	responses  = conformancetest.Responses
	chat       = conformancetest.Chat
	claudeSays = conformancetest.ClaudeSays
	quote      = conformancetest.Quote
	printed    = conformancetest.Printed
	codesOf    = conformancetest.CodesOf
	blameOf    = conformancetest.BlameOf
)
