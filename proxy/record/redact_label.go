package record

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// minCredential is the length from which on a credential is looked for in labels. A shorter one would be found in what has nothing to do
// with it.
const minCredential = 8

// Labels returns labels as a tape holds them: a credential that the request carries in its header or target has its fingerprint in
// their values too.
func (r *Redactor) Labels(labels map[string]string, h http.Header, target string) map[string]string {
	if len(labels) == 0 {
		return labels
	}
	var pairs []string
	for _, c := range r.credentials(h, target) {
		pairs = append(pairs, c, r.Fingerprint(c))
	}
	if len(pairs) == 0 {
		return labels
	}
	replacer := strings.NewReplacer(pairs...)
	out := maps.Clone(labels)
	for name, value := range labels {
		out[name] = replacer.Replace(value)
	}
	return out
}

// credentials returns the credentials of a request that are looked for in labels, the longest first: of a cookie its values too.
func (r *Redactor) credentials(h http.Header, target string) []string {
	var found []string
	for name, values := range h {
		if !r.secret(name) {
			continue
		}
		for _, v := range values {
			_, rest := CutScheme(v)
			found = append(found, rest)
			for part := range strings.SplitSeq(rest, ";") {
				if _, value, ok := strings.Cut(part, "="); ok {
					found = append(found, strings.TrimSpace(value))
				}
			}
		}
	}
	_, query, _ := strings.Cut(target, "?")
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if !CredentialParam(name) {
			continue
		}
		plain, err := url.QueryUnescape(value)
		if err != nil {
			plain = value
		}
		if !StandsIn(plain) {
			found = append(found, value, plain)
		}
	}
	found = slices.DeleteFunc(found, func(s string) bool { return len(s) < minCredential || StandsIn(s) })
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(found)
}
