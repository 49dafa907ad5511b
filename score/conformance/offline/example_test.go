package offline_test

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/conformance/offline"
)

func ExampleRun() {
	recording, err := cassette.Open(filepath.Join("..", "..", "..", "fixtures", "cassettes", "agent_stream.cassette.jsonl"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer recording.Close()
	res, err := offline.Run(context.Background(), recording, offline.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Close()
	fmt.Printf("%d exchanges, %d fail; problems %v\n", res.Exchanges, res.Failing, res.Summary)
	// Output:
	// 5 exchanges, 0 fail; problems map[wrong-object-type:5]
}
