package ask

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// Endpoint is a model and the way it is asked.
type Endpoint struct {
	// BaseURL is the server's address, such as http://localhost:52415. A "/v1" at its end, as OpenAI clients write it, is not
	// doubled.
	BaseURL  string
	API      tape.API
	Model    string
	Sampling Sampling
	// Key is sent as a bearer token unless it is empty. Recorders keep only its fingerprint.
	Key string
}

// Sampling are the settings of generation. What is nil is not sent.
type Sampling struct {
	Temperature, TopP *float64
	MaxTokens, Seed   *int64
}

// claudeMaxTokens is sent to Claude Messages, which needs a number, when there is none in the settings.
const claudeMaxTokens = 4096

// UserSampling are the settings that the benchmark asks its simulated user with.
func UserSampling() Sampling {
	return Sampling{Temperature: new(0.001), TopP: new(1.0), MaxTokens: new(int64(1000))}
}

// Validate reports what of the endpoint cannot be asked.
func (e *Endpoint) Validate() error {
	d, err := dialectOf(e.API)
	if err != nil {
		return err
	}
	if e.Model == "" {
		return errors.New("no model is named")
	}
	if e.Sampling.Seed != nil && !d.seed {
		return fmt.Errorf("the API %s has no seed", e.API)
	}
	if _, err := http.NewRequest(http.MethodPost, join(e.BaseURL, d.path), nil); err != nil {
		return fmt.Errorf("the endpoint cannot be asked: %w", err)
	}
	return nil
}

// dialect is how one API family is asked.
type dialect struct {
	api  tape.API
	path string
	seed bool // the API takes a seed
	body func(e *Endpoint, messages []rollout.Message, stream bool) *pyvalue.Dict
}

// dialects lists every API that can be asked.
var dialects = []dialect{
	{tape.OpenAI, "/v1/chat/completions", true, chatBody},
	{tape.Claude, "/v1/messages", false, claudeBody},
	{tape.Responses, "/v1/responses", false, responsesBody},
	{tape.Ollama, "/ollama/api/chat", true, ollamaBody},
}

// APIOf reads the value of --api.
func APIOf(name string) (tape.API, error) {
	d, err := dialectOf(tape.API(name))
	return d.api, err
}

func dialectOf(api tape.API) (dialect, error) {
	var known []string
	for _, d := range dialects {
		if d.api == api {
			return d, nil
		}
		known = append(known, string(d.api))
	}
	return dialect{}, fmt.Errorf("unknown API %q: choose one of %s", api, strings.Join(known, ", "))
}

// NewRequest is a question to the model.
func (e *Endpoint) NewRequest(messages []rollout.Message, stream bool) (*http.Request, error) {
	d, err := dialectOf(e.API)
	if err != nil {
		return nil, err
	}
	value := d.body(e, messages, stream)
	wire := pyjson.Options{ItemSep: ",", KeySep: ":"}
	body, err := pyjson.Encode(value, wire)
	if err == nil && !utf8.Valid(body) {
		// A rollout can bring a lone surrogate into the transcript. UTF-8 has no form of it, an escape does.
		wire.EnsureASCII = true
		body, err = pyjson.Encode(value, wire)
	}
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, join(e.BaseURL, d.path), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{"Accept": {"*/*"}, "Content-Type": {"application/json"}}
	if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key)
	}
	return req, nil
}

func join(base, path string) string {
	base = strings.TrimSuffix(base, "/")
	if strings.HasPrefix(path, "/v1/") {
		base = strings.TrimSuffix(base, "/v1")
	}
	return base + path
}

// chatBody is a Chat Completions request, as evalscope sends it: the messages as they are and no tools.
func chatBody(e *Endpoint, messages []rollout.Message, stream bool) *pyvalue.Dict {
	body := pyvalue.DictOf("messages", plain(messages), "model", pyvalue.Str(e.Model))
	e.Sampling.put(body, "temperature", "top_p", "max_tokens", "seed")
	return streamed(body, stream)
}

// claudeBody is a Messages request. Its conversation knows user and assistant only, so what a system message says later on, the
// simulated user's own lines, is said by the assistant.
func claudeBody(e *Endpoint, messages []rollout.Message, stream bool) *pyvalue.Dict {
	system, messages := leadingSystem(messages)
	list := pyvalue.NewList()
	for _, m := range messages {
		if m.Role == "system" {
			m.Role = "assistant"
		}
		list.Append(message(m))
	}
	body := pyvalue.DictOf("model", pyvalue.Str(e.Model))
	if system != "" {
		body.SetStr("system", pyvalue.Str(system))
	}
	body.SetStr("messages", list)
	sampling := e.Sampling
	if sampling.MaxTokens == nil {
		sampling.MaxTokens = new(int64(claudeMaxTokens))
	}
	sampling.put(body, "temperature", "top_p", "max_tokens", "")
	return streamed(body, stream)
}

// responsesBody is a Responses request. The leading system message are its instructions.
func responsesBody(e *Endpoint, messages []rollout.Message, stream bool) *pyvalue.Dict {
	system, messages := leadingSystem(messages)
	body := pyvalue.DictOf("model", pyvalue.Str(e.Model))
	if system != "" {
		body.SetStr("instructions", pyvalue.Str(system))
	}
	list := pyvalue.NewList()
	for _, m := range messages {
		item := pyvalue.DictOf("type", pyvalue.Str("message"))
		for key, value := range message(m).All() {
			item.SetStr(pyvalue.String(key), value)
		}
		list.Append(item)
	}
	body.SetStr("input", list)
	e.Sampling.put(body, "temperature", "top_p", "max_output_tokens", "")
	return streamed(body, stream)
}

// ollamaBody is an Ollama chat request, which streams unless it is told not to.
func ollamaBody(e *Endpoint, messages []rollout.Message, stream bool) *pyvalue.Dict {
	options := pyvalue.NewDict()
	e.Sampling.put(options, "temperature", "top_p", "num_predict", "seed")
	body := pyvalue.DictOf("model", pyvalue.Str(e.Model), "messages", plain(messages), "stream", pyvalue.Bool(stream))
	if options.Len() > 0 {
		body.SetStr("options", options)
	}
	return body
}

// put adds the settings there are, under the names that an API gives them.
func (s Sampling) put(body *pyvalue.Dict, temperature, topP, maxTokens, seed string) {
	for _, f := range []struct {
		name  string
		value *float64
	}{{temperature, s.Temperature}, {topP, s.TopP}} {
		if f.value != nil {
			body.SetStr(f.name, pyvalue.Float(*f.value))
		}
	}
	for _, n := range []struct {
		name  string
		value *int64
	}{{maxTokens, s.MaxTokens}, {seed, s.Seed}} {
		if n.value != nil {
			body.SetStr(n.name, pyvalue.NewInt(*n.value))
		}
	}
}

func leadingSystem(messages []rollout.Message) (string, []rollout.Message) {
	if len(messages) > 0 && messages[0].Role == "system" {
		return messages[0].Content, messages[1:]
	}
	return "", messages
}

func plain(messages []rollout.Message) *pyvalue.List {
	list := pyvalue.NewList()
	for _, m := range messages {
		list.Append(message(m))
	}
	return list
}

func message(m rollout.Message) *pyvalue.Dict {
	return pyvalue.DictOf("role", pyvalue.Str(m.Role), "content", pyvalue.Str(m.Content))
}

func streamed(body *pyvalue.Dict, stream bool) *pyvalue.Dict {
	if stream {
		body.SetStr("stream", pyvalue.Bool(true))
	}
	return body
}
