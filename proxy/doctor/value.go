package doctor

import (
	"net/url"
	"strings"

	"github.com/exodeck/exodeck/proxy"
)

// parseBase reads the value of a variable: a URL, or HOST:PORT as Ollama takes it.
func parseBase(value string) (*url.URL, bool) {
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	return u, err == nil && u.Host != ""
}

// addressOf is host and port of a value, "" when it has none.
func addressOf(value string) string {
	u, ok := parseBase(value)
	if !ok {
		return ""
	}
	return u.Host
}

// sameBase reports whether two values lead to the same place.
func sameBase(a, b string) bool {
	ua, okA := parseBase(a)
	ub, okB := parseBase(b)
	return okA && okB && proxy.SameAddress(ua.Host, ub.Host) && strings.TrimSuffix(ua.Path, "/") == strings.TrimSuffix(ub.Path, "/")
}

// shownValue is a value without what could be secret in it.
func shownValue(value string) string {
	u, ok := parseBase(value)
	if !ok {
		return "no address"
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return shownURL(u) + " (and more that is not shown)"
	}
	return shownURL(u)
}
