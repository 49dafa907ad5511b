package scenario

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// maxTokens is the token budget of every question.
const maxTokens = 4096

// dialect is how one API family is spoken: where it is, what it is asked, what it answers.
type dialect struct {
	api  tape.API
	path string
	// body is the request for a conversation.
	body func(model string, c conversation) *pyvalue.Dict
	// answer reads the parsed JSON of a whole response. What it cannot use is an [*UnusableError].
	answer func(data pyvalue.Value) (Answer, error)
}

// dialects lists every API that scenarios are asked in, in the order they are asked.
var dialects = []dialect{
	{tape.OpenAI, "/v1/chat/completions", openaiBody, openaiAnswer},
	{tape.Claude, "/v1/messages", claudeBody, claudeAnswer},
	{tape.Responses, "/v1/responses", responsesBody, responsesAnswer},
	{tape.Ollama, "/ollama/api/chat", ollamaBody, ollamaAnswer},
}

// AllAPIs are the APIs that "all" stands for: those of exo's own evaluator.
var AllAPIs = []tape.API{tape.OpenAI, tape.Claude, tape.Responses}

// APIsOf turns the value of --api into the list of APIs: "all", one of [AllAPIs], or "ollama".
func APIsOf(name string) ([]tape.API, error) {
	if name == "all" {
		return AllAPIs, nil
	}
	var known []string
	for _, d := range dialects {
		if string(d.api) == name {
			return []tape.API{d.api}, nil
		}
		known = append(known, string(d.api))
	}
	return nil, fmt.Errorf("unknown API %q: choose %s or all", name, strings.Join(known, ", "))
}

func dialectOf(api tape.API) (dialect, error) {
	for _, d := range dialects {
		if d.api == api {
			return d, nil
		}
	}
	return dialect{}, fmt.Errorf("scenarios cannot be asked through the API %q", api)
}
