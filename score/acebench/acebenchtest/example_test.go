package acebenchtest_test

import (
	"fmt"

	"github.com/exodeck/exodeck/score/acebench/acebenchtest"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

func ExampleRight() {
	set, err := dataset.Mini().Load(dataset.English)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []string{"normal_atom_list_1", "special_error_param_0"} {
		fmt.Println(acebenchtest.Right(set.Sample(id)))
	}
	// Output:
	// [Garden_waterBeds(beds=['herbs', 'lettuce', 'beans'], minutes=3)]
	// There is incorrect value: degrees minus-two-hundred
}
