// Package proxy is the recording proxy: a reverse proxy in front of one upstream that passes bytes unchanged and at once, and puts
// every exchange on a tape.
//
// It is built on goproxy, which it alone imports. What it promises: status, header values and bodies pass as they are, in both
// directions, without decoding or re-encoding; a piece of a stream reaches the client before the next one has been sent; a client
// that goes away stops the upstream at once; nothing but the configured upstream is ever contacted; a recorder in trouble never
// breaks traffic, unless strict mode asks for just that.
package proxy
