// Package cassette cuts exchanges out of tapes into small text files that can be read, reviewed, kept in git and replayed in CI.
//
// A cassette is UTF-8 JSON Lines: a head with a checksum, a line for each session, then a line for each exchange, in recorded order:
//
//	{"cassette":1,"name":"tide","created":"2026-03-04T05:06:07.000000000Z","generator":"exodeck v1.0.0","exchanges":1,"sha256":"hex of all following lines"}
//	{"session":"s1","upstream":"http://localhost:52415","labels":{"bench":"a"}}
//	{"seq":1,"session":"s1","started":"2026-03-04T05:06:07.000000000Z",
//	 "request":{"method":"POST","url":"/v1/chat/completions","host":"localhost:52416","proto":"HTTP/1.1","headers":{"Accept":["*/*"]},"body":{"model":"m"}},
//	 "response":{"status":200,"reason":"","headers":{"Content-Type":["text/event-stream"]},"text":"data: {}\n\n"},
//	 "timing":{"ttfb_ms":20.000,"total_ms":50.000,"pieces":[[0,20.000]]},"ended":"complete","cause":"…","labels":{"sample":"tide"}}
//
// (the exchange in one line). What is empty is left out, so is what says nothing: "reason" when it is the standard one ("" says
// that the server sent none), the "upstream" of an exchange when it is its session's, the "proto" of a response when it is its
// request's. "trailers" are like "headers". A string that is not UTF-8 stands as {"base64":"…"}.
//
// A body is one of "body", a JSON value whose bytes as they stand in the file are the body's; "text"; and "base64". Unknown keys are kept.
//
// # Written by hand
//
// Only request method, url and body and response status and body are needed. There may be no head and no session lines then, and
// what is left out is filled in: the session is "s1", the protocol HTTP/1.1, the exchange complete, its times zero, the exchanges a
// second apart. A value of a header may stand without a list around it.
//
// Names of headers may be written in any case: HTTP does not tell "content-type" from "Content-Type", and reading gives them the
// names of [http.Header]. A cassette with a sha256 was written by a program and is kept to the letter: there the names stand as
// they did on its tape, which are those of [http.Header] unless a Go program chose others.
//
// # Content codings
//
// Bodies are shown decoded. The coding is noted as "encoding", the Content-Encoding header is taken out, Content-Length is made to
// fit, and pieces are offsets into the body as shown: a piece that gave no bytes of its own (the coder held them back) is none.
// TTFB is then the time of the first byte as shown. Coding a body again would not give the bytes that were sent, so nobody tries: a
// tape made of a cassette holds the decoded body, and the digest of the exchange is that of what the cassette shows, equal for the
// cassette, for every tape made of it and for every cassette made of those. It is the digest on the first tape too, unless a body
// was coded or something was redacted.
//
// # Redaction
//
// Exports take secrets out by package redact. The head then has the key "redaction" with the rules that were added to the usual ones;
// [Matching] makes a replay compare requests in the same way, so that one with the real value finds the answer that was recorded to it.
// A value that is a secret in another exchange only is not recognised in a request; such a request is answered by what stands around the
// placeholder, if one recorded request alone can be meant. Where such a value is all that tells requests from each other, they need
// labels to be replayed.
//
// What others wrote holds credentials as they were sent. [Import] keeps of those in headers, targets, labels and causes their fingerprints, as
// a recorder does; bodies stay as they are, as they do on every tape, and placeholders stay placeholders. So an export of the tape no longer
// knows where a body repeats a credential of a header, unless its form tells.
//
// # Laws
//
// Importing an export and exporting it again gives the same file, byte for byte. What a tape has no place for (encodings, unknown
// keys, the name) travels in a label of the session.
package cassette
