package redact

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
)

// Header returns a copy of h without secrets.
func (r *Redactor) Header(h http.Header) http.Header {
	if h == nil {
		return nil
	}
	out := make(http.Header, len(h))
	for _, name := range sortedNames(h) {
		values := slices.Clone(h[name])
		for i, v := range values {
			switch {
			case record.CredentialHeader(name) || slices.ContainsFunc(r.rules.Headers, func(s string) bool { return strings.EqualFold(s, name) }):
				r.parts(name, v)
				values[i] = r.credential(v)
			default:
				values[i] = r.Said(v)
			}
		}
		name = r.String(name)
		out[name] = append(out[name], values...)
	}
	return out
}

// parts has what a header carries beside its value as a whole be secrets too: what comes behind a scheme, the password of basic
// authentication, and the values of cookies that look like keys.
func (r *Redactor) parts(name, v string) {
	if scheme, rest, ok := strings.Cut(v, " "); ok && !strings.Contains(rest, " ") {
		r.also("header", []byte(rest))
		if plain, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(scheme, "basic") {
			_, password, _ := strings.Cut(string(plain), ":")
			r.also("header", []byte(password))
		}
	}
	if !strings.Contains(strings.ToLower(name), "cookie") {
		return
	}
	pairs := strings.Split(v, ";")
	if strings.EqualFold(name, "Set-Cookie") {
		pairs = pairs[:1] // what follows are its attributes
	}
	for _, pair := range pairs {
		if _, value, ok := strings.Cut(pair, "="); ok && mixed([]byte(value)) {
			r.also("header", []byte(strings.TrimSpace(value)))
		}
	}
}

// Said returns a text that a program says, such as an error or a header, without secrets, and without the values of credentials in
// the URLs it tells of.
func (r *Redactor) Said(s string) string {
	return r.String(record.MapParams(s, func(value string) string {
		plain, err := url.QueryUnescape(value)
		if err != nil {
			plain = value
		}
		if len(plain) < minKnown || isPlaceholder([]byte(plain)) {
			return value
		}
		return url.QueryEscape(string(r.replace("param", []byte(plain))))
	}))
}

func sortedNames(h http.Header) []string {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Label returns the value of a label without secrets. A label whose name speaks of a credential holds one, unless it is short: users
// choose labels, and auth=off is none.
func (r *Redactor) Label(name, value string) string {
	if record.CredentialHeader(name) && len(value) >= minKnown && !isPlaceholder([]byte(value)) {
		return string(r.replace("label", []byte(value)))
	}
	return r.String(value)
}

// credential keeps the scheme of "Bearer …" and the like, as tapes do.
func (r *Redactor) credential(v string) string {
	scheme, rest := record.CutScheme(v)
	r.note([]byte(rest))
	if rest == "" || isPlaceholder([]byte(rest)) && r.mode != canonical {
		return v
	}
	return scheme + string(r.replace("header", []byte(rest)))
}

// URL returns a request target or an absolute URL without secrets: without user information, without the values of query parameters
// that carry credentials, and without what has the form of a secret.
func (r *Redactor) URL(target string) string {
	r.note([]byte(target))
	path, query, hasQuery := strings.Cut(target, "?")
	if scheme, rest, abs := strings.Cut(path, "://"); abs {
		authority, tail, slash := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(authority, '@'); i >= 0 {
			r.userInfo(authority[:i])
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

// userInfo has the password of a URL be a secret. Recorders never put one on a tape, so requests are not compared without it.
func (r *Redactor) userInfo(s string) {
	_, password, _ := strings.Cut(s, ":")
	if plain, err := url.PathUnescape(password); err == nil && r.mode != canonical {
		r.also("password-in-url", []byte(plain))
	}
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
