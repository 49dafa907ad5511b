package scenario

import (
	"fmt"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// dumps is Python's json.dumps(v). The values here are those of JSON and of TOML, which cannot fail.
func dumps(v pyvalue.Value) string {
	text, err := pyjson.Encode(v, pyjson.Default)
	if err != nil {
		panic("scenario: a value that JSON cannot hold: " + err.Error())
	}
	return string(text)
}

// indented is json.dumps(v, indent=2).
func indented(v pyvalue.Value) string {
	text, err := pyjson.Encode(v, pyjson.Options{Indent: "  ", EnsureASCII: true, AllowNaN: true})
	if err != nil {
		panic("scenario: a value that JSON cannot hold: " + err.Error())
	}
	return string(text)
}

// loads is Python's json.loads(text).
func loads(text string) (pyvalue.Value, error) { return pyjson.DecodeString(text) }

// encodeWire writes a request body as httpx does: compact, in UTF-8, without NaN. What it cannot write is told in Python's words.
func encodeWire(v pyvalue.Value) ([]byte, error) {
	body, err := pyjson.Encode(v, pyjson.Options{ItemSep: ",", KeySep: ":"})
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(body) {
		return nil, surrogateError(string(body))
	}
	return body, nil
}

// surrogateError words the UnicodeEncodeError for the first run of lone surrogates in text.
func surrogateError(text string) error {
	position, run := 0, 0
	var at rune
	for text != "" {
		r, size := pyvalue.DecodeRune(text)
		switch {
		case r >= 0xd800 && r <= 0xdfff:
			if run == 0 {
				at = r
			}
			run++
		case run > 0:
			text = ""
			continue
		default:
			position++
		}
		text = text[size:]
	}
	if run == 1 {
		return fmt.Errorf("'utf-8' codec can't encode character '\\u%04x' in position %d: surrogates not allowed", at, position)
	}
	return fmt.Errorf("'utf-8' codec can't encode characters in position %d-%d: surrogates not allowed", position, position+run-1)
}
