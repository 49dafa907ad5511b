// Package record puts HTTP exchanges on a tape while they take place.
//
// [Transport] is an [http.RoundTripper] around another one. The proxy uses it for its clients, a suite that runs live uses it for
// itself, so both record the same way. It changes nothing of what passes: bytes are copied to the tape as they are read, never
// held back (save in strict mode), decoded or re-encoded.
//
// Credentials reach the upstream but not the tape: a [Redactor] puts a keyed fingerprint in their place.
package record
