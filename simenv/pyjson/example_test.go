package pyjson_test

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func Example() {
	v, err := pyjson.DecodeString(`{"city": "K\u00f6ln", "stops": [1, 2.0, NaN]}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pyvalue.Repr(v))
	text, err := pyjson.Encode(v, pyjson.Default)
	fmt.Println(string(text), err)

	_, err = pyjson.DecodeString(`{"city": "Köln", }`)
	fmt.Println(err)
	// Output:
	// {'city': 'Köln', 'stops': [1, 2.0, nan]}
	// {"city": "K\u00f6ln", "stops": [1, 2.0, NaN]} <nil>
	// Illegal trailing comma before end of object: line 1 column 16 (char 15)
}
