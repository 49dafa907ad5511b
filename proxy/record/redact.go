package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Redactor puts fingerprints in place of credentials. The same value gives the same fingerprint, so requests of one user can
// still be told from those of another; without the key a fingerprint cannot be tested against a guessed value. The zero value
// uses an empty key and is for tests only: see [LoadKey].
type Redactor struct {
	// Key is the secret of the fingerprints.
	Key []byte
	// Headers are redacted beside those of which [CredentialHeader] is true; any case.
	Headers []string
}

// Fingerprint stands for a secret value on a tape.
func (r *Redactor) Fingerprint(value string) string {
	mac := hmac.New(sha256.New, r.Key)
	mac.Write([]byte(value))
	return "[fingerprint:" + hex.EncodeToString(mac.Sum(nil)[:8]) + "]"
}

// standIn is what stands for a credential: on a tape its fingerprint, in a redacted cassette a placeholder. It is no credential itself.
var standIn = regexp.MustCompile(`^\[(?:fingerprint:[0-9a-f]{16}|redacted:[a-z0-9-]+:[0-9]{1,9})\]$`)

// StandsIn reports whether a value stands for a credential: it is a fingerprint of a tape, or a placeholder of a redacted cassette.
func StandsIn(value string) bool { return standIn.MatchString(value) }

// mask returns the fingerprint of a value, unless something stands for it already.
func (r *Redactor) mask(value string) string {
	if StandsIn(value) {
		return value
	}
	return r.Fingerprint(value)
}

// Header returns a copy of h that holds no credentials and no labels.
func (r *Redactor) Header(h http.Header) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		if name == LabelHeader || len(values) == 0 {
			continue
		}
		mask := r.credential
		switch {
		case r.secret(name):
		case slices.Contains(urlHeaders, name):
			mask = r.Said
		default:
			out[name] = slices.Clone(values)
			continue
		}
		masked := make([]string, len(values))
		for i, v := range values {
			masked[i] = mask(v)
		}
		out[name] = masked
	}
	return out
}

func (r *Redactor) secret(name string) bool {
	return CredentialHeader(name) || slices.ContainsFunc(r.Headers, func(s string) bool { return strings.EqualFold(s, name) })
}

// credential keeps the scheme of "Bearer …" and the like, which is no secret and tells a reader what was sent.
func (r *Redactor) credential(v string) string {
	scheme, rest := CutScheme(v)
	return scheme + r.mask(rest)
}

// CutScheme divides "Bearer …" and the like behind the space. What has no scheme is all rest.
func CutScheme(v string) (scheme, rest string) {
	scheme, rest, ok := strings.Cut(v, " ")
	if ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic") || strings.EqualFold(scheme, "digest")) {
		return scheme + " ", rest
	}
	return "", v
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
			parts[i] = name + "=" + r.maskParam(value)
		}
	}
	return path + "?" + strings.Join(parts, "&")
}

// maskParam is as mask, for a value that is encoded as queries are.
func (r *Redactor) maskParam(value string) string {
	if plain, err := url.QueryUnescape(value); err == nil && StandsIn(plain) {
		return value
	}
	return url.QueryEscape(r.Fingerprint(value))
}
