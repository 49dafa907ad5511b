package explain_test

import (
	"fmt"
	"os"

	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
)

func Example() {
	set, err := dataset.Mini().Load(dataset.English, dataset.AtomNumber)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := acebench.Answer{Text: "[Oven_bake(dish='meringue', degrees=180)]"}
	e := explain.Explain(explain.Case{Sample: set.Sample("normal_atom_number_2"), Answer: &answer})
	if err := e.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// normal_atom_number_2  en  normal_atom_number  data_all/data_en/data_normal_atom_number.json:3
	//
	// Question
	//   user: Bake meringue at 95 degrees.
	//
	// Functions
	//   Oven_bake(dish: string, degrees: number, fan?: boolean)
	//   Lamp_set(room: string, colour: string 'warm'|'neutral'|'cold', percent?: integer)
	//
	// Answer
	//   [Oven_bake(dish='meringue', degrees=180)]
	//
	// Read as
	//   evalscope, official, strict:
	//     Oven_bake(dish='meringue', degrees=180)
	//
	// Expected and given
	//   Oven_bake
	//        argument  expected    given       evalscope  official  strict
	//        dish      'meringue'  'meringue'  ok         ok        ok
	//     ≠  degrees   95          180         ok         ok        value_error
	//     passes degrees under evalscope and official: values of a declared number are not compared
	//
	// Verdicts
	//   evalscope  passes
	//              Rule: the calls meet an alternative of the ground truth.
	//   official   passes
	//              Rule: the calls meet an alternative of the ground truth.
	//   strict     fails: value_error
	//              wrong value for parameter (degrees) of api (Oven_bake): [expected: 95, real: 180]
	//              Rule: two values must be equal, objects key by key.
	// The rule sets disagree: evalscope and official pass it, strict fails it.
}
