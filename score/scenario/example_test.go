package scenario_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/scenario"
)

const tideFile = `
[tools.get_tide]
description = "Tell the tide at a harbour"
required = ["harbour"]
properties.harbour = {type = "string"}

[[scenarios]]
name = "tide"
description = "Ask for a tide"
expect_tool_call = true
expected_function = "get_tide"
required_arg_keys = ["harbour"]

[[scenarios.messages]]
role = "user"
content = "When is high tide in Oban?"
`

func ExampleParse() {
	file, err := scenario.Parse("tide.toml", []byte(tideFile))
	fmt.Println(file.Names(), err)

	_, err = scenario.Parse("tide.toml", []byte(strings.Replace(tideFile, "expected_function", "expected", 1)))
	fmt.Println(err)
	// Output:
	// [tide] <nil>
	// tide.toml:11: scenarios[0].expected: unknown key (known here: name, description, expect_tool_call, expected_function, required_arg_keys, tool_result, nested_array_key, required_item_keys, tools, messages)
}

func ExampleSuite() {
	file, err := scenario.Parse("tide.toml", []byte(tideFile))
	if err != nil {
		fmt.Println(err)
		return
	}
	suite := &scenario.Suite{
		// A recording transport live, a replay transport offline.
		Client:    &script{replies: []func(*http.Request) (*http.Response, error){respond(200, goodCall)}},
		BaseURL:   "http://localhost:52415",
		Model:     "org/model",
		APIs:      []tape.API{tape.OpenAI},
		Scenarios: file.Scenarios,
	}
	verdicts, err := suite.Run(context.Background(), nil)
	for _, v := range verdicts {
		fmt.Println(v.Sample, v.Phase, v.Passed, v.Checks)
	}
	fmt.Println(err)
	// Output:
	// tide tool_call true [{finish_reason_tool_calls true} {has_tool_call true} {correct_function true} {valid_arguments true}]
	// <nil>
}
