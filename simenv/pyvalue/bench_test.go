package pyvalue

import "testing"

// order is a nested value of usual size.
func order() *Dict {
	return DictOf("product", Str("Chef's salad"), "quantity", NewInt(2), "price", Float(8.5),
		"extras", NewList(Str("oil"), Str("bread"), DictOf("nuts", Bool(true))))
}

func BenchmarkEqual(b *testing.B) {
	b.ReportAllocs()
	x, y := order(), order()
	for b.Loop() {
		if !Equal(x, y) {
			b.Fatal("not equal")
		}
	}
}

func BenchmarkAppendRepr(b *testing.B) {
	b.ReportAllocs()
	v := order()
	var buf []byte
	for b.Loop() {
		buf = AppendRepr(buf[:0], v)
	}
}
