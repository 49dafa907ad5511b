package pycall_test

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func Example() {
	e, err := pycall.Parse(`[Weather.get(city='Köln', days=-1), book(seats=[1, {'row': 2}], on=next_day + 1)]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range e.(*pycall.List).Elts {
		call := e.(*pycall.Call)
		args, err := call.Arguments(pycall.BareCallsAsDicts)
		fmt.Println(call.Name(), pyvalue.Repr(args), err)
	}
	// Output:
	// Weather.get {'city': 'Köln', 'days': -1} <nil>
	// book {'seats': [1, {'row': 2}], 'on': 'next_day + 1'} <nil>
}

func ExampleParse_error() {
	_, err := pycall.Parse("[get(city='Köln', 'today')]")
	fmt.Println(err)
	// Output: positional argument follows keyword argument (line 1, column 19, byte 19)
}

func ExampleLiteral() {
	for _, source := range []string{"{'a': (1, -2.5)}", "[1, today()]"} {
		e, err := pycall.Parse(source)
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := pycall.Literal(e)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(pyvalue.Repr(v))
	}
	// Output:
	// {'a': (1, -2.5)}
	// not a literal: a call at byte 4
}

func ExampleUnparse() {
	e, err := pycall.Parse(`f( (a+b)*c,k = "it's" )`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pycall.Unparse(e))
	// Output: f((a + b) * c, k="it's") <nil>
}
