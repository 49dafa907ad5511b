package pyvalue

import "testing"

// sample is a nested value of usual size.
func sample() *Dict {
	return DictOf("product", Str("Chef's salad"), "quantity", NewInt(2), "price", Float(8.5),
		"extras", NewList(Str("oil"), Str("bread"), DictOf("nuts", Bool(true))))
}

func BenchmarkEqual(b *testing.B) {
	b.ReportAllocs()
	x, y := sample(), sample()
	for b.Loop() {
		if !Equal(x, y) {
			b.Fatal("not equal")
		}
	}
}

func BenchmarkAppendRepr(b *testing.B) {
	b.ReportAllocs()
	v := sample()
	var buf []byte
	for b.Loop() {
		buf = AppendRepr(buf[:0], v)
	}
}
