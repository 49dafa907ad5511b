package pyjson

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// decodeText returns the text that the bytes hold, in the encoding that json.detect_encoding finds. Surrogates pass in every
// encoding.
func decodeText(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0, 0, 0xfe, 0xff}):
		return decodeUTF32(data, 4, "utf-32-be", binary.BigEndian)
	case bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}):
		return decodeUTF32(data, 4, "utf-32-le", binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return decodeUTF16(data, 2, "utf-16-be", binary.BigEndian)
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return decodeUTF16(data, 2, "utf-16-le", binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xef, 0xbb, 0xbf}):
		return decodeUTF8(data[3:])
	case len(data) >= 4 && data[0] == 0 && data[1] == 0:
		return decodeUTF32(data, 0, "utf-32-be", binary.BigEndian)
	case len(data) >= 4 && data[1] == 0 && data[2] == 0 && data[3] == 0:
		return decodeUTF32(data, 0, "utf-32-le", binary.LittleEndian)
	case (len(data) >= 4 || len(data) == 2) && data[0] == 0:
		return decodeUTF16(data, 0, "utf-16-be", binary.BigEndian)
	case (len(data) >= 4 || len(data) == 2) && data[1] == 0:
		return decodeUTF16(data, 0, "utf-16-le", binary.LittleEndian)
	}
	return decodeUTF8(data)
}

func decodeUTF8(data []byte) (string, error) {
	if utf8.Valid(data) {
		return string(data), nil
	}
	for i := 0; i < len(data); {
		r, size := pyvalue.DecodeRune(string(data[i:min(i+utf8.UTFMax, len(data))]))
		if r == utf8.RuneError && size == 1 {
			return "", utf8Error(data, i)
		}
		i += size
	}
	return string(data), nil
}

// utf8Error describes the invalid sequence at offset i with the extent and the reason that CPython gives.
func utf8Error(data []byte, i int) *UnicodeError {
	e := &UnicodeError{Encoding: "utf-8", Start: i, Bytes: data[i : i+1], Reason: "invalid start byte"}
	lo, hi, more := byte(0x80), byte(0xbf), 0 // range of the second byte, number of bytes to follow
	switch c := data[i]; {
	case c >= 0xc2 && c <= 0xdf:
		more = 1
	case c >= 0xe0 && c <= 0xef:
		more = 2
	case c >= 0xf0 && c <= 0xf4:
		more = 3
	default:
		return e
	}
	switch data[i] {
	case 0xe0:
		lo = 0xa0
	case 0xed:
		hi = 0x9f
	case 0xf0:
		lo = 0x90
	case 0xf4:
		hi = 0x8f
	}
	n := 1
	for ; n <= more; n++ {
		if i+n == len(data) {
			e.Reason = "unexpected end of data"
			break
		}
		if c := data[i+n]; c < lo || c > hi {
			e.Reason = "invalid continuation byte"
			break
		}
		lo, hi = 0x80, 0xbf
	}
	e.Bytes = data[i : i+n]
	return e
}

func decodeUTF16(data []byte, start int, encoding string, order binary.ByteOrder) (string, error) {
	text := make([]byte, 0, len(data))
	i := start
	for ; i+1 < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if r >= 0xd800 && r < 0xdc00 && i+3 < len(data) {
			if low := rune(order.Uint16(data[i+2:])); low >= 0xdc00 && low < 0xe000 {
				r = 0x10000 + (r-0xd800)<<10 + low - 0xdc00
				i += 2
			}
		}
		text = pyvalue.AppendRune(text, r)
	}
	if i < len(data) {
		return "", &UnicodeError{Encoding: encoding, Start: i, Bytes: data[i:], Reason: "truncated data"}
	}
	return string(text), nil
}

func decodeUTF32(data []byte, start int, encoding string, order binary.ByteOrder) (string, error) {
	text := make([]byte, 0, len(data))
	i := start
	for ; i+3 < len(data); i += 4 {
		u := order.Uint32(data[i:])
		if u > utf8.MaxRune {
			return "", &UnicodeError{Encoding: encoding, Start: i, Bytes: data[i : i+4], Reason: "code point not in range(0x110000)"}
		}
		text = pyvalue.AppendRune(text, rune(u))
	}
	if i < len(data) {
		return "", &UnicodeError{Encoding: encoding, Start: i, Bytes: data[i:], Reason: "truncated data"}
	}
	return string(text), nil
}
