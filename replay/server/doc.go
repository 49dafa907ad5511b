// Package server serves recorded exchanges over HTTP as if it were the server they were recorded from: model calls, and control endpoints
// whose polls answer in recorded order.
//
// Which exchange answers is decided by package match. A client gets what was recorded: status and reason phrase, headers, the bytes of
// the body in their pieces and, if asked for, at their times, trailers, and the way the exchange ended: what was broken off is broken off
// again. Only what belongs to the connection is the server's own, and a content coding is undone for a client that does not accept it.
// A request for a stream is never answered with a whole answer, nor the reverse.
//
// A request that nothing answers gets an error in the shape of its API, which says what is nearest on the recording; or it is handed on,
// to be forwarded and recorded.
package server
