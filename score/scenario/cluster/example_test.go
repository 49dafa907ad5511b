package cluster_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/score/scenario/cluster"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func Example() {
	ctx := context.Background()
	server := standin.New(standin.Options{Cluster: standin.Nodes(2)})
	if err := server.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	client := &cluster.Client{HTTP: http.DefaultTransport, BaseURL: server.URL(),
		Sleep: func(context.Context, time.Duration) error { return nil }}
	options := cluster.DefaultOptions()
	options.Model = "echo-1b-4bit"
	plan, err := client.Plan(ctx, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Model, "on", plan.Placement)
	if err := client.PrepareDownloads(ctx, plan); err != nil {
		fmt.Println(err)
		return
	}
	err = client.Use(ctx, plan, func(ctx context.Context, state *pyvalue.Dict) error {
		fmt.Println(len(server.Instances()), "instance while the questions are asked")
		return nil
	})
	fmt.Println(len(server.Instances()), "afterwards,", err)
	// Output:
	// standin/Echo-1B-4bit on Pipeline / MlxRing / 1 nodes
	// 1 instance while the questions are asked
	// 0 afterwards, <nil>
}
