// Package redact takes secrets out of recorded exchanges, and finds those that are still there.
//
// What counts as a secret is said by [Rules]: values of headers and query parameters that carry credentials, values at JSON paths, and whatever has the form of one of
// the [Patterns]. A secret is replaced by a placeholder, [redacted:KIND:N]; equal secrets get equal ones, N counts by first appearance. Nothing else of a text
// changes, so what a scorer reads stays as it was unless it is itself the secret.
//
// Texts are searched as they are and with JSON escapes, percent-encoding, base64 (at every alignment) and hexadecimal undone, two of these one inside the other, in the strings of a JSON body too. A
// secret inside a code is replaced inside it: the base64 of a text becomes the base64 of the redacted text. Of an event stream, the texts that deltas add up to are searched too, and
// the events rewritten so that they add up to the placeholder.
//
// A redactor first learns all there is, then redacts: a value of 8 bytes or more that is a secret in one place is replaced wherever it stands, also where nothing but its
// value tells that it is one.
//
//	r := redact.New(redact.Rules{})
//	for … { r.Body(…) }   // learns; the result is of no use
//	r.Learned()
//	for … { r.Body(…) }   // redacts
package redact
