package conformance_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/exodeck/exodeck/score/conformance"
)

func ExampleJudge_Exchange() {
	t := exampleT{}
	x := chat(ask(withTools), says(`<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`)).Read(&t)
	r := conformance.New(conformance.Rules{Ignore: []string{"leaked-markup-in-content"}}).Exchange(x)
	if err := r.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// s/1  openai  calls failed, protocol ok, blame server
	//   error    call-in-content (response /choices/0/message/content): a call of get_tide (hermes) with {"port":"Vigo"}
	//   meant    get_tide {"port":"Vigo"} (hermes, in the text)
	//   because  call-in-content: a well-formed call of get_tide (hermes) stands in the text
}

// exampleT lets an example use helpers of tests.
type exampleT struct{ testing.TB }

func (*exampleT) Helper()                  {}
func (*exampleT) Context() context.Context { return context.Background() }
func (*exampleT) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }
