package prompt_test

import (
	"fmt"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/prompt"
)

func ExampleIndex_Find() {
	d := dataset.Mini()
	templates, err := d.Templates()
	if err != nil {
		fmt.Println(err)
		return
	}
	builder, err := prompt.New(templates, dataset.English)
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := d.Load(dataset.English)
	if err != nil {
		fmt.Println(err)
		return
	}
	index := prompt.NewIndex(builder, set.Samples)
	system, user := builder.Build(set.Sample("normal_similar_api_0"))
	for _, s := range index.Find(system, user+"\n\n") {
		fmt.Println(s.ID)
	}
	// Output: normal_similar_api_0
}
