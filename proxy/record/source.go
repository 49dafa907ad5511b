package record

import (
	"net/http"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Source tells which exchange a response body comes from. Bodies of recorded and of replayed responses implement it, so
// that a suite reads the same latency and the same reference live and offline.
type Source interface {
	// Exchange names the exchange.
	Exchange() tape.Ref
	// Elapsed is the exchange's Total as the tape has it. It is valid once the body has been read to its end.
	Elapsed() time.Duration
}

// SourceOf returns the source of a response, if it was recorded or replayed.
func SourceOf(resp *http.Response) (Source, bool) {
	s, ok := resp.Body.(Source)
	return s, ok
}
