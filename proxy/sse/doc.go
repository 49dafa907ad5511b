// Package sse finds the events in event streams and NDJSON bodies.
//
// A body comes in pieces, cut anywhere. [Decoder] is fed with pieces and [Scanner] reads an io.Reader; both give the same events
// however the bytes were cut, each with its byte range in the body, so that an event can be joined with the time its bytes
// arrived.
//
// The package frames and does not interpret: what a browser would drop (comments, blocks without data, lines that are no field, an
// event that the end of the body cut off) is handed out too. Lines end as the HTML standard says: with LF, CR or both in an event
// stream, and with LF in NDJSON, where a CR before it is removed. An event whose last byte so far is a CR is handed out with the next
// piece, which may begin with the LF that belongs to it.
package sse
