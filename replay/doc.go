// Package replay answers HTTP requests from a tape.
//
// A [Transport] stands where a suite's http.RoundTripper stands when it asks a live server, so that the same suite runs offline:
//
//	live    := &http.Client{Transport: recorder}
//	offline := &http.Client{Transport: transport}
//
// It never reaches the network. Which exchange answers is decided by package match; a request that none answers gets a
// [match.Miss].
//
// What a client sees of an exchange is what was recorded: status, reason phrase, headers, body bytes, trailers, and the way it
// ended, errors included. Only the content coding is undone for a client that did not ask for it, as net/http itself does.
package replay
