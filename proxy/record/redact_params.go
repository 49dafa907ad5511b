package record

import (
	"net/url"
	"regexp"
	"strings"
)

// paramInText is a parameter of a URL that a text tells of.
var paramInText = regexp.MustCompile(`([?&#;])([A-Za-z0-9_.%~-]{2,64})=([^\s&#;"'<>\\]+)`)

// urlHeaders are headers whose values are URLs, or hold some.
var urlHeaders = []string{"Content-Location", "Link", "Location", "Referer", "Refresh"}

// userInText is the user information of a URL that a text tells of, its password by itself.
var userInText = regexp.MustCompile(`://[^\s/:@"'<>\\]*(?::([^\s/@"'<>\\]*))?@`)

// Said returns a text that a program says, such as an error, without the credentials in the URLs it tells of.
func (r *Redactor) Said(text string) string {
	text = userInText.ReplaceAllStringFunc(text, func(user string) string {
		if password := userInText.FindStringSubmatch(user)[1]; StandsIn(password) {
			return user
		}
		return "://"
	})
	return MapParams(text, func(value string) string {
		if len(value) < minCredential {
			return value
		}
		return r.maskParam(value)
	})
}

// MapParams returns a text with the values of those parameters changed that carry a credential in a URL it tells of, as an error or the
// Location header does: in "GET /v1?api_key=k: EOF" k becomes what change returns.
func MapParams(text string, change func(value string) string) string {
	if !strings.ContainsAny(text, "?&#;") {
		return text
	}
	return paramInText.ReplaceAllStringFunc(text, func(param string) string {
		m := paramInText.FindStringSubmatch(param)
		if name, err := url.QueryUnescape(m[2]); err != nil || !CredentialParam(name) {
			return param
		}
		value := strings.TrimRight(m[3], ":,.)") // the marks are the text's
		if value == "" {
			return param
		}
		return m[1] + m[2] + "=" + change(value) + m[3][len(value):]
	})
}
