package pyvalue

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
)

// maxTagDigits is the number of digits from which on a tagged integer is written in hexadecimal, since Python refuses to print more.
const maxTagDigits = 4300

// AppendTagged appends v as JSON in which every value names its type, so that nothing is lost:
//
//	["n"]                 None             ["s","text"]          text
//	["b",true]            a bool           ["u",[code points]]   text with lone surrogates
//	["i","123"]           an integer       ["y","hex"]           bytes
//	["f","1.5"]           a float          ["l",[…]]             a list
//	["c",["0.0","1.0"]]   a complex        ["t",[…]]             a tuple
//	["e"]                 Ellipsis         ["S",[…]]             a set, sorted by the JSON of its items
//	                                       ["d",[[key,value],…]] a dict
//
// Numbers are as Python prints them; an integer of more than 4300 digits is "hex:0x…".
func AppendTagged(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case None:
		return append(dst, `["n"]`...)
	case Ellipsis:
		return append(dst, `["e"]`...)
	case Bool:
		return append(strconv.AppendBool(append(dst, `["b",`...), bool(v)), ']')
	case Int:
		return append(appendTaggedInt(append(dst, `["i","`...), v), `"]`...)
	case Float:
		return append(AppendFloat(append(dst, `["f","`...), float64(v)), `"]`...)
	case Complex:
		dst = AppendFloat(append(dst, `["c",["`...), real(v))
		dst = AppendFloat(append(dst, `","`...), imag(v))
		return append(dst, `"]]`...)
	case Str:
		return appendTaggedStr(dst, v)
	case Bytes:
		return append(hex.AppendEncode(append(dst, `["y","`...), []byte(v)), `"]`...)
	case *List:
		return appendTaggedItems(dst, 'l', v.Items)
	case Tuple:
		return appendTaggedItems(dst, 't', v)
	case *Set:
		return appendTaggedSet(dst, v)
	case *Dict:
		dst = append(dst, `["d",[`...)
		for i := range v.entries {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendTagged(append(dst, '['), v.entries[i].key)
			dst = AppendTagged(append(dst, ','), v.entries[i].value)
			dst = append(dst, ']')
		}
		return append(dst, "]]"...)
	}
	return dst
}

func appendTaggedInt(dst []byte, i Int) []byte {
	if i.big != nil {
		if s := i.big.String(); len(s) > maxTagDigits+1 || len(s) > maxTagDigits && s[0] != '-' {
			if i.big.Sign() < 0 {
				return append(append(dst, "hex:-0x"...), i.big.Text(16)[1:]...)
			}
			return append(append(dst, "hex:0x"...), i.big.Text(16)...)
		}
	}
	return i.append(dst)
}

func appendTaggedStr(dst []byte, s Str) []byte {
	if s.Valid() {
		quoted, _ := json.Marshal(string(s)) // valid text always marshals
		return append(append(append(dst, `["s",`...), quoted...), ']')
	}
	dst = append(dst, `["u",[`...)
	for rest, sep := string(s), ""; rest != ""; sep = "," {
		r, size := DecodeRune(rest)
		dst = strconv.AppendInt(append(dst, sep...), int64(r), 10)
		rest = rest[size:]
	}
	return append(dst, "]]"...)
}

func appendTaggedItems(dst []byte, tag byte, items []Value) []byte {
	dst = append(dst, '[', '"', tag, '"', ',', '[')
	for i, v := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendTagged(dst, v)
	}
	return append(dst, "]]"...)
}

func appendTaggedSet(dst []byte, s *Set) []byte {
	items := make([]string, 0, s.Len())
	for v := range s.All() {
		items = append(items, string(AppendTagged(nil, v)))
	}
	slices.Sort(items)
	dst = append(dst, `["S",[`...)
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, item...)
	}
	return append(dst, "]]"...)
}
