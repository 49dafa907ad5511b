// Package redact takes secrets out of recorded exchanges, and finds those that are still there.
//
// What counts as a secret is said by [Rules]: values of headers and query parameters that carry credentials, such [Members] of request
// bodies, values at JSON paths, and whatever has the form of one of the [Patterns]. Of a header that carries a credential, what comes
// behind the scheme, the password of basic authentication and the values of cookies are secrets by themselves too. A secret is replaced by
// a placeholder, [redacted:KIND:N]; equal secrets get equal ones, N counts by first appearance. Nothing else of a text changes, so what a
// scorer reads stays as it was unless it is itself the secret.
//
// Texts are searched as they are and with JSON escapes, percent-encoding, base64 (at every alignment) and hexadecimal undone, two of
// these one inside the other, in the strings of a JSON body too. Base64 and hexadecimal may go over lines. A secret inside a code is
// replaced inside it: the base64 of a text becomes the base64 of the redacted text. Of an event stream, the texts that deltas add up to
// are searched too, and the events rewritten so that they add up to the placeholder. A secret that stands in JSON without quotes, such
// as a number, becomes a string, so that JSON stays JSON.
//
// What gzip has packed is searched as well. A file with a secret in it is replaced as a whole, and so is one that cannot be searched
// because it unpacks to more than 64 MiB, or what stands with it in one body to more than 16 MiB and 32 times the body. Not looked
// into is what is packed otherwise: zip archives, deflate without gzip around it, zstd, brotli, the streams inside of PDF files and
// images; what is written otherwise, such as UTF-16, quoted-printable and HTML entities; nor what is packed or encoded more than three
// times over, the JSON of the body being one.
//
// A redactor first learns all there is, then redacts: a value of 8 bytes or more that is a secret in one place is replaced wherever
// it stands, also where nothing but its value tells that it is one.
//
//	r := redact.New(redact.Rules{})
//	for … { r.Body(…) }   // learns; the result is of no use
//	r.Learned()
//	for … { r.Body(…) }   // redacts
package redact
