package record

import (
	"slices"
	"strings"
)

// credentialWords are words of a name that speak of a credential. Tokens and keys are told by the word before them.
var credentialWords = []string{
	"auth", "authorization", "bearer", "cookie", "credential", "credentials", "jwt", "passphrase", "passwd", "pwd", "signature",
}

// otherTokens are words before "token" that say that it is none of a credential: one a model reads or writes, or the mark of a page.
var otherTokens = []string{
	"first", "last", "per", "max", "min", "input", "output", "prompt", "completion", "limit", "remaining", "stop", "bos", "eos", "pad",
	"page", "next", "nextpage", "pagination", "continuation",
}

// credentialKeys are words before "key" that say that it opens something. A key is no credential otherwise: Idempotency-Key,
// Sec-WebSocket-Key, Surrogate-Key.
var credentialKeys = []string{
	"api", "xapi", "access", "account", "admin", "app", "application", "client", "customer", "encryption", "functions", "master", "private",
	"subscription",
}

// describing are last words of a name that say something about a credential, or count tokens.
var describing = []string{
	"algorithm", "budget", "count", "counts", "enabled", "expiration", "expires", "expiry", "latency", "length", "limit", "limits", "method",
	"mode", "ms", "rate", "remaining", "required", "reset", "scheme", "size", "status", "time", "total", "ttl", "type", "usage", "used", "version",
}

// CredentialHeader reports whether the values of a header of this name are credentials, which never reach a tape: Authorization,
// Set-Cookie, X-Goog-Api-Key, X-Amz-Security-Token; not X-Token-Count or Idempotency-Key. Its words tell, in any case and divided by
// "-" or "_".
func CredentialHeader(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	if strings.HasPrefix(name, "access-control-") {
		return false // Access-Control-Allow-Credentials is true or false
	}
	found, before := false, ""
	for word := range strings.SplitSeq(name, "-") {
		found = found || credentialWord(before, word)
		before = word
	}
	return found && !slices.Contains(describing, before)
}

// credentialWord reports whether a word speaks of a credential behind the given one, from which it need not be divided: accesstoken.
func credentialWord(before, word string) bool {
	if slices.Contains(credentialWords, word) || strings.HasSuffix(word, "secret") || strings.HasSuffix(word, "password") {
		return true
	}
	if of, ok := strings.CutSuffix(word, "token"); ok {
		if of == "" {
			of = before
		}
		return !slices.Contains(otherTokens, of)
	}
	if of, ok := strings.CutSuffix(word, "key"); ok {
		if of == "" {
			of = before
		}
		return slices.Contains(credentialKeys, of)
	}
	return false
}

// credentialParams are names of query parameters that carry credentials and do not say so as headers do, without "-" and "_".
var credentialParams = []string{"key", "sig", "code"}

var withoutSeparators = strings.NewReplacer("-", "", "_", "")

// CredentialParam reports whether a query parameter of this name carries a credential: api_key, API-Key and apikey alike, and what
// else [CredentialHeader] takes for one.
func CredentialParam(name string) bool {
	return CredentialHeader(name) || slices.Contains(credentialParams, strings.ToLower(withoutSeparators.Replace(name)))
}
