package schema

import (
	"encoding/json"
	"strconv"
	"strings"
)

// The library compares numbers as fractions, and one such as 1e999999999 would take all memory there is. Numbers beyond these bounds are
// replaced by others that are as far out for every schema a person writes.
const (
	maxExponent = 400
	maxLength   = 4096
)

// tame returns a decoded value with its numbers within bounds. It changes the value.
func tame(v any) any {
	switch v := v.(type) {
	case json.Number:
		return tameNumber(v)
	case []any:
		for i := range v {
			v[i] = tame(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = tame(v[k])
		}
	}
	return v
}

func tameNumber(n json.Number) json.Number {
	text := string(n)
	if len(text) > maxLength {
		sign := ""
		if text[0] == '-' {
			sign = "-"
		}
		return json.Number(sign + "1e" + strconv.Itoa(maxExponent))
	}
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return n
	}
	exponent, _ := strconv.Atoi(text[i+1:]) // of what is out of range, the outmost
	if exponent >= -maxExponent && exponent <= maxExponent {
		return n
	}
	return json.Number(text[:i] + "e" + strconv.Itoa(max(-maxExponent, min(exponent, maxExponent))))
}
