package pyvalue_test

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func Example() {
	order := pyvalue.DictOf("product", pyvalue.Str("Chef's salad"), "quantity", pyvalue.NewInt(2), "price", pyvalue.Float(8.5))
	price, _ := order.GetStr("price")
	quantity, _ := order.GetStr("quantity")
	total, err := pyvalue.Mul(price, quantity)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pyvalue.Repr(order))
	fmt.Println(pyvalue.String(total), pyvalue.Equal(total, pyvalue.NewInt(17)))
	_, err = pyvalue.Add(pyvalue.Str("total: "), total)
	fmt.Println(err)
	// Output:
	// {'product': "Chef's salad", 'quantity': 2, 'price': 8.5}
	// 17.0 true
	// TypeError: can only concatenate str (not "float") to str
}
