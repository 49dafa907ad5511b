package again_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/again"
	"github.com/exodeck/exodeck/score/conformance"
)

func ExampleCompare() {
	const question = `{"seq":1,"session":"s1","started":"2026-03-04T05:06:07Z","request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"Tide?"}]}},` +
		`"response":{"status":%d,"headers":{"Content-Type":["application/json"]},"body":%s},"ended":"complete"}`
	open := func(status int, answer string) *cassette.Cassette {
		c, err := cassette.Read(strings.NewReader(fmt.Sprintf(question, status, answer)), "example")
		if err != nil {
			panic(err)
		}
		return c
	}
	ref := tape.Ref{Session: "s1", Seq: 1}
	reference := open(200, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"High."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`)
	now := open(500, `{"error":{"message":"no memory"}}`)
	result, err := again.Compare(context.Background(), reference, now, []again.Pair{{Reference: ref, Now: ref}}, conformance.Rules{})
	if err != nil {
		panic(err)
	}
	for _, c := range result.Changes {
		fmt.Printf("calls %s, then %s: %v\n", c.Reference.Calls, c.Now.Calls, c.New)
	}
	fmt.Println(result.Worse, "got worse")
	// Output:
	// calls ok, then not_judged: [http-error]
	// 1 got worse
}
