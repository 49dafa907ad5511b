package proxy

import (
	"net"
	"net/http"
	"time"
)

const (
	// dialTimeout bounds how long connecting to the upstream may take. Nothing bounds how long it may think: exo's own client
	// waits for two hours.
	dialTimeout = 10 * time.Second
	// continueTimeout bounds how long a body is held back because the client expects "100 Continue" and the upstream, as older
	// servers do, says nothing. curl waits as long before it sends its body anyway.
	continueTimeout = time.Second
	// idleConns is how many connections to the upstream are kept for the next request.
	idleConns = 1024
	// idleConnTimeout is how long they are kept. Servers keep theirs for longer: hypercorn, uvicorn, llama.cpp and Node for 5 s. Whoever gives
	// a connection up first never sends a request into one that the other side is about to close.
	idleConnTimeout = 4 * time.Second
)

// NewTransport returns the transport to an upstream. It honours no proxy variables (only the upstream is ever contacted), verifies
// certificates, decodes nothing, and speaks HTTP/1.1, so that what is recorded is what was sent.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:           dialer.DialContext,
		DisableCompression:    true,
		MaxIdleConns:          idleConns,
		MaxIdleConnsPerHost:   idleConns,
		IdleConnTimeout:       idleConnTimeout,
		TLSHandshakeTimeout:   dialTimeout,
		ExpectContinueTimeout: continueTimeout,
		Protocols:             protocols,
	}
}
