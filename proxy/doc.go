// Package proxy is the recording proxy: it stands in front of one or several upstreams, passes bytes unchanged and at once, and puts
// every exchange on a tape. It may also forward, as an HTTP proxy does, to hosts it was told of.
//
// It is built on goproxy, which it alone imports. What it promises: status, header values and bodies pass as they are, in both
// directions, without decoding or re-encoding; a piece of a stream reaches the client before the next one has been sent; a client
// that goes away stops the upstream at once; nothing but the configured upstreams and hosts is ever contacted; what could be read in
// two ways is refused or put into one form before it is sent on; what may have been processed is not sent a second time, and a client
// meets a closed connection only where it would have met one without the proxy; a recorder in trouble never breaks traffic, unless
// strict mode asks for just that.
//
// What it cannot keep: a Go server sends no reason phrase of its own, no Content-Type or Content-Length with a status of 304, and no
// Content-Length with 204, but the tape has them. Trailers of a request that were not announced are lost. A client that closes its
// sending side behind a request, and would still read, is taken for one that went away: the two look the same from here, and no model
// is to go on for nobody.
package proxy
