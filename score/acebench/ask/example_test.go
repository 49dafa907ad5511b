package ask_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// A model that always says the same is asked one category. With a recording transport as the Client the answers go on a tape; with a
// replay transport as Recorded they come from one.
func Example() {
	server := standin.New(standin.Options{Script: standin.Always(standin.Say("Due to the limitations of the function, I cannot solve this problem."))})
	if err := server.Start(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	set, err := dataset.Mini().Load(dataset.English, dataset.Irrelevant)
	if err != nil {
		fmt.Println(err)
		return
	}
	materials, err := ask.LoadMaterials(dataset.Mini(), dataset.English, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	suite := ask.Suite{
		Client:    http.DefaultTransport,
		Samples:   set.Samples,
		Materials: materials,
		Agent:     ask.Endpoint{BaseURL: server.URL(), API: tape.Claude, Model: standin.DefaultModel},
	}
	outcomes, err := suite.Run(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := acebench.Score(set, ask.Answers(outcomes), acebench.Options{})
	fmt.Println(report.Counts().Right, "of", len(outcomes))
	// Output: 3 of 3
}
