package pyvalue

import (
	"math"
	"math/big"
	"strconv"
)

// Int is a Python integer of any size. Its zero value is 0. Values that fit an int64 need no further memory.
type Int struct {
	small int64
	big   *big.Int // only when the value does not fit small; never changed
}

// NewInt returns the integer n.
func NewInt(n int64) Int { return Int{small: n} }

// NewBigInt returns the integer n, of which it keeps no reference.
func NewBigInt(n *big.Int) Int {
	if n.IsInt64() {
		return Int{small: n.Int64()}
	}
	return Int{big: new(big.Int).Set(n)}
}

// ParseInt reads an optional sign and digits of the given base (2 to 36), without separators or prefix.
func ParseInt(s string, base int) (Int, bool) {
	if n, err := strconv.ParseInt(s, base, 64); err == nil {
		return Int{small: n}, true
	}
	b, ok := new(big.Int).SetString(s, base)
	if !ok {
		return Int{}, false
	}
	return ownBig(b), true
}

// ownBig wraps a big integer that nobody else holds.
func ownBig(b *big.Int) Int {
	if b.IsInt64() {
		return Int{small: b.Int64()}
	}
	return Int{big: b}
}

// Int64 returns the value and whether it fits.
func (i Int) Int64() (n int64, ok bool) { return i.small, i.big == nil }

// Big returns the value as a big integer that the caller may change.
func (i Int) Big() *big.Int {
	if i.big != nil {
		return new(big.Int).Set(i.big)
	}
	return big.NewInt(i.small)
}

// Sign returns -1, 0 or 1.
func (i Int) Sign() int {
	switch {
	case i.big != nil:
		return i.big.Sign()
	case i.small < 0:
		return -1
	case i.small > 0:
		return 1
	}
	return 0
}

// Cmp returns -1, 0 or 1 as i is less than, equal to or greater than j.
func (i Int) Cmp(j Int) int {
	if i.big == nil && j.big == nil {
		switch {
		case i.small < j.small:
			return -1
		case i.small > j.small:
			return 1
		}
		return 0
	}
	return i.shared().Cmp(j.shared())
}

// Equal reports whether the two are the same number.
func (i Int) Equal(j Int) bool { return i.Cmp(j) == 0 }

// Neg returns -i.
func (i Int) Neg() Int {
	if i.big == nil && i.small != math.MinInt64 {
		return Int{small: -i.small}
	}
	return ownBig(new(big.Int).Neg(i.shared()))
}

// Float returns the nearest float, ties to even. It is infinite where Python raises OverflowError.
func (i Int) Float() float64 {
	if i.big == nil {
		return float64(i.small)
	}
	f, _ := new(big.Float).SetInt(i.big).Float64()
	return f
}

// String returns the value in decimal.
func (i Int) String() string {
	if i.big != nil {
		return i.big.String()
	}
	return strconv.FormatInt(i.small, 10)
}

func (i Int) append(dst []byte) []byte {
	if i.big != nil {
		return i.big.Append(dst, 10)
	}
	return strconv.AppendInt(dst, i.small, 10)
}

// shared returns the value as a big integer that the caller must not change.
func (i Int) shared() *big.Int {
	if i.big != nil {
		return i.big
	}
	return big.NewInt(i.small)
}

// cmpFloat compares an integer with a float that is not NaN, exactly.
func (i Int) cmpFloat(f float64) int {
	if i.big == nil && i.small > -1<<53 && i.small < 1<<53 {
		switch n := float64(i.small); {
		case n < f:
			return -1
		case n > f:
			return 1
		}
		return 0
	}
	if math.IsInf(f, 0) {
		if f > 0 {
			return -1
		}
		return 1
	}
	return new(big.Float).SetInt(i.shared()).Cmp(big.NewFloat(f))
}

// intOf returns the number that a float stands for, when it is integral.
func intOf(f float64) (Int, bool) {
	if f != math.Trunc(f) || math.IsInf(f, 0) {
		return Int{}, false
	}
	if f >= -1<<63 && f < 1<<63 {
		return Int{small: int64(f)}, true
	}
	b, _ := big.NewFloat(f).Int(nil)
	return ownBig(b), true
}
