package show

import (
	"net/url"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// Target is what a request asks for, as lists and logs show it. On a tape fingerprints stand for credentials in it; a cassette that somebody
// wrote by hand may hold them as they were sent, and then they are left out.
func Target(target string) string {
	return redact.Text(record.MapParams(target, func(value string) string {
		if plain, err := url.QueryUnescape(value); err == nil && record.StandsIn(plain) {
			return value
		}
		return "[credential]"
	}))
}
