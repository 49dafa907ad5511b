package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// CredentialHeaders are the headers whose values never reach a tape, in lower case.
var CredentialHeaders = []string{
	"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key",
}

// credentialParams are the names of query parameters whose values never reach a tape, in lower case and without "-" and "_".
var credentialParams = []string{
	"key", "apikey", "xapikey", "token", "accesstoken", "authtoken", "idtoken", "refreshtoken", "auth", "authorization",
	"secret", "clientsecret", "password", "passwd", "pwd", "sig", "signature", "code",
}

var withoutSeparators = strings.NewReplacer("-", "", "_", "")

// Redactor puts fingerprints in place of credentials. The same value gives the same fingerprint, so requests of one user can
// still be told from those of another; without the key a fingerprint cannot be tested against a guessed value. The zero value
// uses an empty key and is for tests only: see [LoadKey].
type Redactor struct {
	// Key is the secret of the fingerprints.
	Key []byte
	// Headers are redacted beside [CredentialHeaders]; any case.
	Headers []string
}

// Fingerprint stands for a secret value on a tape.
func (r *Redactor) Fingerprint(value string) string {
	mac := hmac.New(sha256.New, r.Key)
	mac.Write([]byte(value))
	return "[fingerprint:" + hex.EncodeToString(mac.Sum(nil)[:8]) + "]"
}

// Header returns a copy of h that holds no credentials and no labels.
func (r *Redactor) Header(h http.Header) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		if name == LabelHeader || len(values) == 0 {
			continue
		}
		if !r.secret(name) {
			out[name] = slices.Clone(values)
			continue
		}
		masked := make([]string, len(values))
		for i, v := range values {
			masked[i] = r.credential(v)
		}
		out[name] = masked
	}
	return out
}

func (r *Redactor) secret(name string) bool {
	// Lengths first: nearly every header is none of these, and this runs for each header of each exchange.
	for _, list := range [2][]string{CredentialHeaders, r.Headers} {
		for _, s := range list {
			if len(s) == len(name) && strings.EqualFold(s, name) {
				return true
			}
		}
	}
	return false
}

// credential keeps the scheme of "Bearer …" and the like, which is no secret and tells a reader what was sent.
func (r *Redactor) credential(v string) string {
	scheme, rest, ok := strings.Cut(v, " ")
	if ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic") || strings.EqualFold(scheme, "digest")) {
		return scheme + " " + r.Fingerprint(rest)
	}
	return r.Fingerprint(v)
}

// URL returns a request target without its user information and without the values of parameters that carry credentials. What is
// left stands as it was sent.
func (r *Redactor) URL(target string) string {
	path, query, ok := strings.Cut(target, "?")
	if scheme, rest, abs := strings.Cut(path, "://"); abs {
		authority, tail, slash := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(authority, '@'); i >= 0 {
			path = scheme + "://" + authority[i+1:]
			if slash {
				path += "/" + tail
			}
		}
	}
	if !ok {
		return path
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		name, value, has := strings.Cut(part, "=")
		if !has || value == "" {
			continue
		}
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if CredentialParam(plain) {
			parts[i] = name + "=" + url.QueryEscape(r.Fingerprint(value))
		}
	}
	return path + "?" + strings.Join(parts, "&")
}

// CredentialParam reports whether a query parameter of this name carries a credential: api_key, API-Key and apikey alike.
func CredentialParam(name string) bool {
	return slices.Contains(credentialParams, strings.ToLower(withoutSeparators.Replace(name)))
}
