package pyvalue

import (
	"encoding/binary"
	"math"
)

// hashKey is what two equal keys have in common: Equal(a, b) means the same hashKey, for hashable a and b. It can be a key of a Go map.
type hashKey struct {
	kind keyKind
	num  uint64
	text string
}

type keyKind uint8

const (
	keyNone keyKind = iota
	keyEllipsis
	keyInt     // num: a number that is an int64, whatever its type
	keyBig     // num: the sign, text: the bytes of any other integral number
	keyFloat   // num: bits of a float that is not integral
	keyComplex // num and text: bits of the two parts
	keyStr
	keyBytes
	keyTuple // text: the keys of the items
)

// hashOf returns the key under which v is found in a dict or a set. It fails with Python's TypeError for lists, dicts and sets.
func hashOf(v Value) (hashKey, *Exception) {
	switch v := v.(type) {
	case Str:
		return hashKey{kind: keyStr, text: string(v)}, nil
	case Bool:
		if v {
			return hashKey{kind: keyInt, num: 1}, nil
		}
		return hashKey{kind: keyInt}, nil
	case Int:
		return v.hash(), nil
	case Float:
		return hashFloat(float64(v)), nil
	case Complex:
		re, im := real(v), imag(v)
		if im == 0 {
			return hashFloat(re), nil
		}
		// Adding 0 makes -0 the 0 that it equals.
		bits := binary.BigEndian.AppendUint64(nil, math.Float64bits(im))
		return hashKey{kind: keyComplex, num: math.Float64bits(re + 0), text: string(bits)}, nil
	case None:
		return hashKey{kind: keyNone}, nil
	case Ellipsis:
		return hashKey{kind: keyEllipsis}, nil
	case Bytes:
		return hashKey{kind: keyBytes, text: string(v)}, nil
	case Tuple:
		var b []byte
		for _, item := range v {
			k, err := hashOf(item)
			if err != nil {
				return hashKey{}, err
			}
			b = append(b, byte(k.kind))
			b = binary.BigEndian.AppendUint64(b, k.num)
			b = binary.BigEndian.AppendUint64(b, uint64(len(k.text)))
			b = append(b, k.text...)
		}
		return hashKey{kind: keyTuple, text: string(b)}, nil
	}
	return hashKey{}, Raise("TypeError", "unhashable type: '%s'", TypeName(v))
}

func (i Int) hash() hashKey {
	if i.big == nil {
		return hashKey{kind: keyInt, num: uint64(i.small)}
	}
	return hashKey{kind: keyBig, num: uint64(i.big.Sign()), text: string(i.big.Bytes())}
}

func hashFloat(f float64) hashKey {
	if i, ok := intOf(f); ok {
		return i.hash()
	}
	if f != f {
		f = math.NaN()
	}
	return hashKey{kind: keyFloat, num: math.Float64bits(f)}
}

// Hashable reports whether v can be a key of a dict; the error is Python's "unhashable type: 'list'".
func Hashable(v Value) error {
	if _, err := hashOf(v); err != nil {
		return err
	}
	return nil
}
