package scenario

import (
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Request is one question to a model.
type Request struct {
	// Path is the endpoint.
	Path string
	// Body is the JSON body, compact and in UTF-8, with the keys in the order of exo's evaluator.
	Body []byte
	// value is what Body says.
	value *pyvalue.Dict
}

// conversation is what a model is told: the messages, and the tools it may call. In the second phase of a scenario the model's
// own call and the tool's answer come after the messages.
type conversation struct {
	messages []Message
	tools    []Tool
	call     *Call
	result   string
	stream   bool
}

// firstRequest is the question of a scenario's first phase.
func firstRequest(api tape.API, model string, s Scenario, stream bool) (*Request, error) {
	return newRequest(api, model, conversation{messages: s.Messages, tools: s.Tools, stream: stream})
}

// followUpRequest is the question of a scenario's second phase: the conversation, then the call the model made, then its result.
func followUpRequest(api tape.API, model string, s Scenario, call Call, result string, stream bool) (*Request, error) {
	return newRequest(api, model, conversation{messages: s.Messages, tools: s.Tools, call: &call, result: result, stream: stream})
}

func newRequest(api tape.API, model string, c conversation) (*Request, error) {
	d, err := dialectOf(api)
	if err != nil {
		return nil, err
	}
	value := d.body(model, c)
	body, err := encodeWire(value)
	if err != nil {
		return nil, err
	}
	return &Request{Path: d.path, Body: body, value: value}, nil
}

// openaiBody is a Chat Completions request.
func openaiBody(model string, c conversation) *pyvalue.Dict {
	messages := pyvalue.NewList()
	for _, m := range c.messages {
		messages.Append(chatMessage(m))
	}
	if c.call != nil {
		messages.Append(pyvalue.DictOf("role", pyvalue.Str("assistant"), "tool_calls", pyvalue.NewList(chatCall(*c.call))))
		messages.Append(pyvalue.DictOf("role", pyvalue.Str("tool"), "tool_call_id", c.call.ID, "content", pyvalue.Str(c.result)))
	}
	body := pyvalue.DictOf("model", pyvalue.Str(model), "messages", messages, "tools", chatTools(c.tools),
		"max_tokens", pyvalue.NewInt(maxTokens), "temperature", pyvalue.Float(0))
	return streamed(body, c)
}

// chatMessage is a message with only the keys that the scenario gives it.
func chatMessage(m Message) *pyvalue.Dict {
	d := pyvalue.DictOf("role", pyvalue.Str(m.Role))
	if m.Content != nil {
		d.SetStr("content", pyvalue.Str(*m.Content))
	}
	if m.ToolCalls != nil {
		calls := pyvalue.NewList()
		for _, call := range m.ToolCalls {
			calls.Append(chatCall(call.parsed()))
		}
		d.SetStr("tool_calls", calls)
	}
	if m.ToolCallID != nil {
		d.SetStr("tool_call_id", pyvalue.Str(*m.ToolCallID))
	}
	return d
}

func chatCall(c Call) *pyvalue.Dict {
	return pyvalue.DictOf("id", c.ID, "type", pyvalue.Str("function"),
		"function", pyvalue.DictOf("name", c.Name, "arguments", c.Arguments))
}

func chatTools(tools []Tool) *pyvalue.List {
	list := pyvalue.NewList()
	for _, t := range tools {
		list.Append(pyvalue.DictOf("type", pyvalue.Str("function"), "function", pyvalue.DictOf(
			"name", pyvalue.Str(t.Name), "description", pyvalue.Str(t.Description), "parameters", t.schema())))
	}
	return list
}

// schema is the JSON schema of the tool's arguments.
func (t Tool) schema() *pyvalue.Dict {
	return pyvalue.DictOf("type", pyvalue.Str("object"), "properties", t.Properties, "required", texts(t.Required))
}

// parsed is a call of the scenario in the form of one of the model.
func (c ToolCall) parsed() Call {
	return Call{ID: pyvalue.Str(c.ID), Name: pyvalue.Str(c.Name), Arguments: pyvalue.Str(c.Arguments)}
}

// toolCallID is the id a tool's answer refers to.
func (m Message) toolCallID() pyvalue.Str {
	if m.ToolCallID == nil {
		return defaultCallID
	}
	return pyvalue.Str(*m.ToolCallID)
}

// content is the text of a message, "" when it has none.
func (m Message) content() pyvalue.Str {
	if m.Content == nil {
		return ""
	}
	return pyvalue.Str(*m.Content)
}

// claudeBody is a Messages request. The first system message becomes the system prompt, the others are lost.
func claudeBody(model string, c conversation) *pyvalue.Dict {
	messages := pyvalue.NewList()
	var system pyvalue.Value
	for _, m := range c.messages {
		switch m.Role {
		case "user":
			messages.Append(pyvalue.DictOf("role", pyvalue.Str("user"), "content", m.content()))
		case "assistant":
			messages.Append(pyvalue.DictOf("role", pyvalue.Str("assistant"), "content", claudeBlocks(m)))
		case "tool":
			messages.Append(claudeResult(m.toolCallID(), m.content()))
		case "system":
			if system == nil {
				system = m.content()
			}
		}
	}
	if c.call != nil {
		messages.Append(pyvalue.DictOf("role", pyvalue.Str("assistant"), "content", pyvalue.NewList(claudeCall(*c.call))))
		messages.Append(claudeResult(c.call.ID, pyvalue.Str(c.result)))
	}
	tools := pyvalue.NewList()
	for _, t := range c.tools {
		tools.Append(pyvalue.DictOf("name", pyvalue.Str(t.Name), "description", pyvalue.Str(t.Description), "input_schema", t.schema()))
	}
	body := pyvalue.DictOf("model", pyvalue.Str(model), "messages", messages, "tools", tools,
		"max_tokens", pyvalue.NewInt(maxTokens), "temperature", pyvalue.Float(0))
	if system != nil {
		body.SetStr("system", system)
	}
	return streamed(body, c)
}

// claudeBlocks are the content blocks of an assistant message. There is always one.
func claudeBlocks(m Message) *pyvalue.List {
	blocks := pyvalue.NewList()
	if text := m.content(); pyvalue.Strip(string(text)) != "" {
		blocks.Append(pyvalue.DictOf("type", pyvalue.Str("text"), "text", text))
	}
	for _, call := range m.ToolCalls {
		blocks.Append(claudeCall(call.parsed()))
	}
	if blocks.Len() == 0 {
		blocks.Append(pyvalue.DictOf("type", pyvalue.Str("text"), "text", pyvalue.Str("")))
	}
	return blocks
}

func claudeCall(c Call) *pyvalue.Dict {
	return pyvalue.DictOf("type", pyvalue.Str("tool_use"), "id", c.ID, "name", c.Name, "input", argumentsValue(c.Arguments))
}

func claudeResult(id, content pyvalue.Value) *pyvalue.Dict {
	block := pyvalue.DictOf("type", pyvalue.Str("tool_result"), "tool_use_id", id, "content", content)
	return pyvalue.DictOf("role", pyvalue.Str("user"), "content", pyvalue.NewList(block))
}

// responsesBody is a Responses request. Its tools stay in the form of Chat Completions, which exo accepts.
func responsesBody(model string, c conversation) *pyvalue.Dict {
	input := pyvalue.NewList()
	for _, m := range c.messages {
		switch m.Role {
		case "user", "system":
			input.Append(responsesMessage(m))
		case "assistant":
			if pyvalue.Strip(string(m.content())) != "" {
				input.Append(responsesMessage(m))
			}
			for _, call := range m.ToolCalls {
				input.Append(responsesCall(call.parsed()))
			}
		case "tool":
			input.Append(responsesResult(m.toolCallID(), m.content()))
		}
	}
	if c.call != nil {
		input.Append(responsesCall(*c.call))
		input.Append(responsesResult(c.call.ID, pyvalue.Str(c.result)))
	}
	body := pyvalue.DictOf("model", pyvalue.Str(model), "input", input, "tools", chatTools(c.tools),
		"temperature", pyvalue.Float(0), "max_output_tokens", pyvalue.NewInt(maxTokens))
	return streamed(body, c)
}

func responsesMessage(m Message) *pyvalue.Dict {
	return pyvalue.DictOf("type", pyvalue.Str("message"), "role", pyvalue.Str(m.Role), "content", m.content())
}

func responsesCall(c Call) *pyvalue.Dict {
	return pyvalue.DictOf("type", pyvalue.Str("function_call"), "call_id", c.ID, "name", c.Name, "arguments", c.Arguments)
}

func responsesResult(id, output pyvalue.Value) *pyvalue.Dict {
	return pyvalue.DictOf("type", pyvalue.Str("function_call_output"), "call_id", id, "output", output)
}

// ollamaBody is an Ollama chat request, which exo's evaluator does not have. It is made like the others: arguments are
// objects here, as in Claude's, and a tool's answer names the tool.
func ollamaBody(model string, c conversation) *pyvalue.Dict {
	messages := pyvalue.NewList()
	names := map[string]string{} // of tools, by call id
	for _, m := range c.messages {
		if m.Role == "tool" {
			messages.Append(ollamaResult(pyvalue.Str(names[string(m.toolCallID())]), m.content()))
			continue
		}
		d := pyvalue.DictOf("role", pyvalue.Str(m.Role), "content", m.content())
		if len(m.ToolCalls) > 0 {
			calls := pyvalue.NewList()
			for _, call := range m.ToolCalls {
				names[call.ID] = call.Name
				calls.Append(ollamaCall(call.parsed()))
			}
			d.SetStr("tool_calls", calls)
		}
		messages.Append(d)
	}
	if c.call != nil {
		messages.Append(pyvalue.DictOf("role", pyvalue.Str("assistant"), "content", pyvalue.Str(""),
			"tool_calls", pyvalue.NewList(ollamaCall(*c.call))))
		messages.Append(ollamaResult(c.call.Name, pyvalue.Str(c.result)))
	}
	return pyvalue.DictOf("model", pyvalue.Str(model), "messages", messages, "tools", chatTools(c.tools),
		"stream", pyvalue.Bool(c.stream),
		"options", pyvalue.DictOf("temperature", pyvalue.Float(0), "num_predict", pyvalue.NewInt(maxTokens)))
}

func ollamaCall(c Call) *pyvalue.Dict {
	return pyvalue.DictOf("id", c.ID, "function", pyvalue.DictOf("name", c.Name, "arguments", argumentsValue(c.Arguments)))
}

func ollamaResult(name, content pyvalue.Value) *pyvalue.Dict {
	return pyvalue.DictOf("role", pyvalue.Str("tool"), "tool_name", name, "content", content)
}

// streamed adds the key that asks for a stream. A request for a whole answer has none, as in exo's evaluator.
func streamed(body *pyvalue.Dict, c conversation) *pyvalue.Dict {
	if c.stream {
		body.SetStr("stream", pyvalue.Bool(true))
	}
	return body
}

// argumentsValue is argument text read as JSON, for APIs that send it as a value; an empty object when it is none.
func argumentsValue(arguments pyvalue.Value) pyvalue.Value {
	if text, ok := arguments.(pyvalue.Str); ok {
		if v, err := loads(string(text)); err == nil {
			return v
		}
	}
	return pyvalue.NewDict()
}

func texts(items []string) *pyvalue.List {
	list := pyvalue.NewList()
	for _, s := range items {
		list.Append(pyvalue.Str(s))
	}
	return list
}
