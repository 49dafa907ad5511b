package redact

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
)

// credentialWords are words of header names that speak of credentials, apart from the names that [record.CredentialHeaders] lists.
var credentialWords = []string{"token", "secret", "apikey", "auth", "authorization", "cookie", "password", "passwd", "credential", "credentials", "signature"}

// keyNames are what a name ends with that speaks of a key for an API.
var keyNames = []string{"api-key", "access-key", "subscription-key", "functions-key", "account-key", "master-key", "auth-key"}

// CredentialHeader reports whether a header of this name carries a credential: it is one of those that recorders keep off tapes, or its name says so.
func CredentialHeader(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	if slices.Contains(record.CredentialHeaders, name) {
		return true
	}
	for word := range strings.SplitSeq(name, "-") {
		if slices.Contains(credentialWords, word) {
			return true
		}
	}
	return slices.ContainsFunc(keyNames, func(end string) bool { return strings.HasSuffix(name, end) })
}

// Header returns a copy of h without secrets.
func (r *Redactor) Header(h http.Header) http.Header {
	out := h.Clone()
	for _, name := range sortedNames(h) {
		for i, v := range h[name] {
			if CredentialHeader(name) || slices.ContainsFunc(r.rules.Headers, func(s string) bool { return strings.EqualFold(s, name) }) {
				out[name][i] = r.credential(v)
			} else {
				out[name][i] = r.String(v)
			}
		}
	}
	return out
}

func sortedNames(h http.Header) []string {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// credential keeps the scheme of "Bearer …" and the like, as tapes do.
func (r *Redactor) credential(v string) string {
	scheme, rest, ok := strings.Cut(v, " ")
	if !ok || !slices.Contains([]string{"bearer", "basic", "digest"}, strings.ToLower(scheme)) {
		scheme, rest = "", v
	} else {
		scheme += " "
	}
	r.note([]byte(rest))
	if rest == "" || isPlaceholder([]byte(rest)) && r.mode != canonical {
		return v
	}
	return scheme + string(r.replace("header", []byte(rest)))
}

// URL returns a request target or an absolute URL without secrets: without user information, without the values of query parameters that carry credentials, and
// without what has the form of a secret.
func (r *Redactor) URL(target string) string {
	r.note([]byte(target))
	path, query, hasQuery := strings.Cut(target, "?")
	if scheme, rest, abs := strings.Cut(path, "://"); abs {
		authority, tail, slash := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(authority, '@'); i >= 0 {
			path = scheme + "://" + authority[i+1:]
			if slash {
				path += "/" + tail
			}
		}
	}
	path = r.inURL(path)
	if !hasQuery {
		return path
	}
	params := strings.Split(query, "&")
	for i, param := range params {
		name, value, has := strings.Cut(param, "=")
		plainName, err := url.QueryUnescape(name)
		if err != nil {
			plainName = name
		}
		plain, err := url.QueryUnescape(value)
		if err != nil {
			plain = value
		}
		if has && value != "" && record.CredentialParam(plainName) {
			if !isPlaceholder([]byte(plain)) || r.mode == canonical {
				params[i] = name + "=" + url.QueryEscape(string(r.replace("param", []byte(plain))))
			}
			continue
		}
		params[i] = r.inURL(param)
	}
	return path + "?" + strings.Join(params, "&")
}

// inURL takes the secrets out of a part of a URL, in which placeholders are percent-encoded.
func (r *Redactor) inURL(part string) string {
	return string(r.rounds([]byte(part), func(text []byte) []byte {
		if bytes.IndexByte(text, '[') < 0 {
			return text
		}
		return []byte(url.QueryEscape(string(text)))
	}))
}
