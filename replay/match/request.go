package match

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// Request is a request that looks for its answer.
type Request struct {
	Method string
	// URL is the request target: a path with its query, or an absolute URL whose scheme and host do not count.
	URL string
	// Header gives the labels and the content coding of the body; nothing else of it counts.
	Header http.Header
	Body   []byte
}

// key is a digest of what one rule compares. Keys of different rules never collide, their name is part of the digest.
type key [sha256.Size]byte

// newKey digests fields so that no two different lists of fields give the same bytes.
func newKey(rule string, fields ...string) key {
	h := sha256.New()
	writeField(h, rule)
	for _, f := range fields {
		writeField(h, f)
	}
	return key(h.Sum(nil))
}

func writeField(h hash.Hash, s string) {
	var size [8]byte
	for i, n := 0, len(s); i < len(size); i, n = i+1, n>>8 {
		size[i] = byte(n)
	}
	h.Write(size[:])
	io.WriteString(h, s)
}

// rawKey is the key of requests that are equal byte by byte.
func rawKey(method, target string, codings []string, body [sha256.Size]byte) key {
	return newKey("raw", method, target, strings.Join(codings, ","), string(body[:]))
}

// endpoint brings a request target into the form in which targets are compared: without scheme, host and fragment, without
// needless percent-encoding, the values of credentials left out (a tape holds only fingerprints of them).
func endpoint(target string) string {
	if _, rest, ok := strings.Cut(target, "://"); ok {
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			target = rest[i:]
		} else {
			target = "/"
		}
	}
	target, _, _ = strings.Cut(target, "#")
	path, query, hasQuery := strings.Cut(target, "?")
	if path == "" {
		path = "/"
	}
	path = plainPath(path)
	if !hasQuery || query == "" {
		return path
	}
	params := strings.Split(query, "&")
	for i, param := range params {
		name, value, hasValue := strings.Cut(param, "=")
		name, value = plainParam(name), plainParam(value)
		if decoded, err := url.QueryUnescape(name); err == nil && value != "" && record.CredentialParam(decoded) {
			value = "[credential]"
		}
		params[i] = name
		if hasValue {
			params[i] += "=" + value
		}
	}
	return path + "?" + strings.Join(params, "&")
}

// plainPath decodes and encodes each segment anew, so that %7E and ~ are one; an encoded slash stays encoded.
func plainPath(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if decoded, err := url.PathUnescape(s); err == nil {
			segments[i] = url.PathEscape(decoded)
		}
	}
	return strings.Join(segments, "/")
}

func plainParam(s string) string {
	decoded, err := url.QueryUnescape(s)
	if err != nil {
		return s
	}
	return url.QueryEscape(decoded)
}

// pathOf returns the path of a target in the form of endpoint.
func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}

// question is a request made ready for the look-up.
type question struct {
	request Request
	method  string
	target  string // as endpoint gives it
	api     tape.API
	labels  map[string]string
	names   []string // of the labels, sorted
	codings []string
	raw     key
	plain   []byte   // the body as it is compared; nil until a rule needs it
	body    *reading // as plain
	guess   guess    // what filling in placeholders found out

	sent     string // the text of the body with its secrets in it; "" until it is needed, and where the body as it is compared has it
	filler   *filler
	fillings map[*template][]string // what the placeholders of templates stand for in sent
}

func newQuestion(r Request, o Options) *question {
	q := &question{
		request: r,
		method:  r.Method,
		codings: codingsOf(r.Header),
	}
	q.target, q.labels = o.head(r, record.LabelsOf(r.Header, nil))
	if q.method == "" {
		q.method = http.MethodGet
	}
	q.api = tape.FamilyOf(q.method, r.URL)
	q.names = slices.Sorted(maps.Keys(q.labels))
	var sum [sha256.Size]byte
	if len(r.Body) > 0 {
		sum = sha256.Sum256(r.Body)
	}
	q.raw = rawKey(q.method, q.target, q.codings, sum)
	return q
}

// read looks into the body.
func (q *question) read(o Options) {
	q.plain = o.plain(q.codings, q.request)
	if len(q.request.Body) > maxRead {
		q.body = &reading{canonical: sha256.Sum256(q.request.Body)}
	} else {
		q.body = o.read(q.api, q.plain)
		if body := decoded(q.codings, q.request.Body); o.Canonical != nil && !bytes.Equal(body, q.plain) {
			q.sent = o.filledText(q.api, body)
		}
	}
}

// poll reports whether the request only looks at a state that changes, so that asking again is natural.
func (q *question) poll() bool {
	return q.api == tape.Control && (q.method == http.MethodGet || q.method == http.MethodHead)
}
