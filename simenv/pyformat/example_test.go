package pyformat_test

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyformat"
)

func ExampleParse() {
	t, err := pyformat.Parse(`Answer {question} as {{"calls": […]}}.`, "question")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Fill(map[string]string{"question": "where {north} is"}))
	// Output: Answer where {north} is as {"calls": […]}.
}
