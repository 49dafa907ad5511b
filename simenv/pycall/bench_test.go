package pycall

import "testing"

// answer is an answer of usual size, with 49 tokens.
const answer = `[hotel.book(city='Lisbon', nights=3, rooms=[{'beds': 2, 'view': 'sea'}, {'beds': 1}], price=119.5, late=True), taxi(to="Hotel Sol", at='18:30')]`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	tokens := countTokens(answer)
	for b.Loop() {
		if _, err := Parse(answer); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkParseAndValues(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		e, err := Parse(answer)
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range e.(*List).Elts {
			if _, err := e.(*Call).Arguments(BareCallsAsDicts); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func countTokens(src string) int {
	var l lexer
	l.init(src)
	n := 0
	for l.next(); l.tok != tEOF; l.next() {
		n++
	}
	return n
}
