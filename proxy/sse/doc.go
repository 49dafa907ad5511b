// Package sse finds the events in event streams and NDJSON bodies.
//
// A body comes in pieces, cut anywhere. [Decoder] is fed with pieces and [Scanner] reads an io.Reader; both give the same events
// however the bytes were cut, each with its byte range in the body, so that an event can be joined with the time its bytes
// arrived.
//
// The package frames and does not interpret: what a browser would drop (comments, blocks without data, lines that are no field, an
// event that the end of the body cut off) is handed out too. It departs from the HTML standard in one point: only LF ends a
// line, and a CR before it is removed. A lone CR is a part of the line, as servers of model APIs never end lines with it.
package sse
