package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A view is a text as it reads with one way of writing undone. Escapes (of JSON strings and of URLs) can stand anywhere, so the
// view is of the whole text; codes (base64, hex) are runs of characters of which each is looked at by itself.

// escape is a way of writing single characters.
type escape struct {
	name string
	// mark is the byte that every escape begins with.
	mark byte
	// decode reads the escape at the start of b: its value and its length, 0 when it is none.
	decode func(b []byte, buf *[utf8.UTFMax]byte) (value []byte, size int)
	// encode writes a placeholder so that it can stand in the text.
	encode func(text []byte) []byte
}

var escapes = []escape{
	{"JSON-escaped", '\\', decodeJSON, encodeJSON},
	{"percent-encoded", '%', decodePercent, func(text []byte) []byte { return []byte(url.QueryEscape(string(text))) }},
}

// view returns the text with its escapes undone, in room if that is large enough; nil when it has none.
func (e *escape) view(room, b []byte) []byte {
	if bytes.IndexByte(b, e.mark) < 0 {
		return nil
	}
	out := slices.Grow(room[:0], len(b))
	var buf [utf8.UTFMax]byte
	found := false
	for len(b) > 0 {
		i := bytes.IndexByte(b, e.mark)
		if i < 0 {
			break
		}
		out, b = append(out, b[:i]...), b[i:]
		value, size := e.decode(b, &buf)
		if size == 0 {
			value, size = b[:1], 1
		} else {
			found = true
		}
		out, b = append(out, value...), b[size:]
	}
	if !found {
		return nil
	}
	return append(out, b...)
}

// places returns where each byte of the view begins in b, and at the end the length of b.
func (e *escape) places(b []byte) []int {
	at := make([]int, 0, len(b)+1)
	var buf [utf8.UTFMax]byte
	for i := 0; i < len(b); {
		n, size := 1, 1
		if b[i] == e.mark {
			if value, s := e.decode(b[i:], &buf); s > 0 {
				n, size = len(value), s
			}
		}
		for range n {
			at = append(at, i)
		}
		i += size
	}
	return append(at, len(b))
}

func decodeJSON(b []byte, buf *[utf8.UTFMax]byte) (value []byte, size int) {
	if len(b) < 2 {
		return nil, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		buf[0] = b[1]
	case 'b':
		buf[0] = '\b'
	case 'f':
		buf[0] = '\f'
	case 'n':
		buf[0] = '\n'
	case 'r':
		buf[0] = '\r'
	case 't':
		buf[0] = '\t'
	case 'x': // which is no JSON: other languages write bytes like this
		if len(b) < 4 || hexDigit[b[2]] < 0 || hexDigit[b[3]] < 0 {
			return nil, 0
		}
		buf[0] = byte(hexDigit[b[2]])<<4 | byte(hexDigit[b[3]])
		return buf[:1], 4
	case 'u':
		r, ok := hex4(b[2:])
		if !ok {
			return nil, 0
		}
		size = 6
		if utf16.IsSurrogate(r) && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if low, ok := hex4(b[8:]); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					r, size = pair, 12
				}
			}
		}
		return utf8.AppendRune(buf[:0], r), size
	default:
		return nil, 0
	}
	return buf[:1], 2
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		d := hexDigit[c]
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// encodeJSON writes text as it stands between the quotes of a JSON string.
func encodeJSON(text []byte) []byte {
	quoted, _ := jsontext.AppendQuote(nil, text) // the error only says that something was replaced
	return quoted[1 : len(quoted)-1]
}

func decodePercent(b []byte, buf *[utf8.UTFMax]byte) (value []byte, size int) {
	if len(b) < 3 || hexDigit[b[1]] < 0 || hexDigit[b[2]] < 0 {
		return nil, 0
	}
	buf[0] = byte(hexDigit[b[1]])<<4 | byte(hexDigit[b[2]])
	return buf[:1], 3
}

// hexDigit and base64Digit are the values of characters, -1 for those that are no digits. Both alphabets of base64 are one here.
var (
	hexDigit    = digits("0123456789abcdef", "0123456789ABCDEF")
	base64Digit = digits("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
)

func digits(alphabets ...string) (values [256]int8) {
	for c := range values {
		values[c] = -1
	}
	for _, alphabet := range alphabets {
		for v, c := range []byte(alphabet) {
			values[c] = int8(v)
		}
	}
	return values
}

// code is a way of writing bytes as characters of an alphabet.
type code struct {
	name  string
	digit *[256]int8
	// shortest is the length of the shortest run that can hold a secret of 8 bytes.
	shortest int
	// group is how many characters make whole bytes: a run may begin in the middle of one, so that there are as many ways to read it.
	group  int
	decode func(dst, run []byte) []byte
	// encode writes what stands in place of run. padded says that the run was padded, or could have been.
	encode func(data, run []byte, padded bool) []byte
}

var codes = []code{
	{"base64", &base64Digit, 11, 4, decodeBase64, encodeBase64},
	{"hexadecimal", &hexDigit, 16, 2, decodeHex, encodeHex},
}

// runs calls f for every run of the alphabet that is long enough.
func (c *code) runs(b []byte, f func(start, end int)) {
	for i := 0; i < len(b); {
		// A run that is long enough covers every shortest-th byte.
		if next := i + c.shortest - 1; next >= len(b) {
			return
		} else if c.digit[b[next]] < 0 {
			i = next + 1
			continue
		}
		start := i + c.shortest - 1
		for start > i && c.digit[b[start-1]] >= 0 {
			start--
		}
		end := i + c.shortest
		for end < len(b) && c.digit[b[end]] >= 0 {
			end++
		}
		if end-start >= c.shortest {
			f(start, end)
		}
		i = end
	}
}

// Lines that a code is written in are so long: words are shorter, and what is longer is not divided into lines.
const (
	minWrapped = 16
	maxWrapped = 128
)

// wrapped is a run that is written in several lines: its text in one, and where each byte of that stands.
type wrapped struct {
	text []byte
	at   []int
}

// lines returns the runs that go over the ends of lines. All lines but the first, which may begin behind something else, and the last are
// equally long.
func (c *code) lines(b []byte) []wrapped {
	var all []wrapped
	for next := 0; ; {
		i := bytes.IndexByte(b[next:], '\n')
		if i < 0 {
			return all
		}
		end := next + i
		start := lineEnd(b[:end])
		for start > next && c.digit[b[start-1]] >= 0 {
			start--
		}
		next = end + 1
		first := lineEnd(b[:end]) - start
		if first < minWrapped || first > maxWrapped {
			continue
		}
		var w wrapped
		w.add(b, start, start+first)
		width := 0
		if start == 0 || b[start-1] == '\n' {
			width = first
		}
		for whole := true; whole && next < len(b) && c.digit[b[next]] >= 0; {
			start, end = next, next
			for end < len(b) && (c.digit[b[end]] >= 0 || b[end] == '=') {
				end++
			}
			if width == 0 {
				width = end - start
			}
			if end-start > width || end-start < width && (end-start)%c.group != 0 {
				break // it is another text
			}
			w.add(b, start, end)
			for next = end; next < len(b) && b[next] == '\r'; {
				next++
			}
			whole = end-start == width && end-start >= minWrapped && next < len(b) && b[next] == '\n'
			if whole {
				next++
			}
		}
		if len(w.text) > first {
			all = append(all, w)
		}
	}
}

// lineEnd returns the length of a line without the CR at its end.
func lineEnd(line []byte) int { return len(bytes.TrimSuffix(line, []byte("\r"))) }

// add adds b[start:end].
func (w *wrapped) add(b []byte, start, end int) {
	for ; start < end; start++ {
		w.text, w.at = append(w.text, b[start]), append(w.at, start)
	}
}

func decodeBase64(dst, run []byte) []byte {
	for len(run) >= 4 {
		n := uint32(base64Digit[run[0]])<<18 | uint32(base64Digit[run[1]])<<12 | uint32(base64Digit[run[2]])<<6 | uint32(base64Digit[run[3]])
		dst = append(dst, byte(n>>16), byte(n>>8), byte(n))
		run = run[4:]
	}
	switch len(run) {
	case 2:
		n := uint32(base64Digit[run[0]])<<6 | uint32(base64Digit[run[1]])
		dst = append(dst, byte(n>>4))
	case 3:
		n := uint32(base64Digit[run[0]])<<12 | uint32(base64Digit[run[1]])<<6 | uint32(base64Digit[run[2]])
		dst = append(dst, byte(n>>10), byte(n>>2))
	}
	return dst
}

// encodeBase64 writes data in the alphabet of run.
func encodeBase64(data, run []byte, padded bool) []byte {
	encoding := base64.StdEncoding
	if bytes.ContainsAny(run, "-_") {
		encoding = base64.URLEncoding
	}
	if !padded {
		encoding = encoding.WithPadding(base64.NoPadding)
	}
	out := encoding.AppendEncode(nil, data)
	if len(run)%4 == 1 {
		out = append(out, run[len(run)-1]) // which is a part of no byte
	}
	return out
}

func decodeHex(dst, run []byte) []byte {
	for ; len(run) >= 2; run = run[2:] {
		dst = append(dst, byte(hexDigit[run[0]])<<4|byte(hexDigit[run[1]]))
	}
	return dst
}

func encodeHex(data, run []byte, _ bool) []byte {
	out := hex.AppendEncode(nil, data)
	if bytes.ContainsAny(run, "ABCDEF") {
		out = bytes.ToUpper(out)
	}
	return append(out, run[len(run)&^1:]...)
}
