package wire

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// chat reads a request of Chat Completions.
func (r *requestReader) chat(body object) {
	for i, raw := range r.array(body.get("messages"), "/messages") {
		r.q.Messages = append(r.q.Messages, r.chatMessage(members(raw), "/messages/"+strconv.Itoa(i)))
	}
	r.tools(body.get("tools"), "parameters")
}

func (r *requestReader) chatMessage(o object, path string) Message {
	m := Message{Role: r.text(o, "role", path), Name: r.text(o, "name", path), Path: path}
	if m.Role == "tool" || m.Role == "function" {
		m.Parts = []Part{{Kind: PartToolResult, Result: r.result(o, "tool_call_id", "content", path)}}
		return m
	}
	reasoning := r.text(o, "reasoning_content", path)
	if reasoning == "" {
		reasoning = r.text(o, "reasoning", path)
	}
	m.Parts = textPart(nil, PartReasoning, reasoning)
	m.Parts = append(m.Parts, r.content(o.get("content"), path+"/content")...)
	m.Parts = append(m.Parts, r.calls(o.get("tool_calls"), path+"/tool_calls")...)
	if f := members(o.get("function_call")); f != nil {
		m.Parts = append(m.Parts, Part{Kind: PartToolCall, Call: requestCall(nil, f.get("name"), f.get("arguments"))})
	}
	return m
}

// calls reads the tool calls of a Chat or Ollama message.
func (r *requestReader) calls(v jsontext.Value, path string) []Part {
	var parts []Part
	for _, raw := range r.array(v, path) {
		o := members(raw)
		f := members(o.get("function"))
		parts = append(parts, Part{Kind: PartToolCall, Call: requestCall(o.get("id"), f.get("name"), f.get("arguments"))})
	}
	return parts
}

// claude reads a request of Claude Messages.
func (r *requestReader) claude(body object) {
	var texts []string
	for _, p := range r.content(body.get("system"), "/system") {
		if p.Kind == PartText {
			texts = append(texts, p.Text)
		}
	}
	r.q.System = strings.Join(texts, "\n\n")
	for i, raw := range r.array(body.get("messages"), "/messages") {
		o, path := members(raw), "/messages/"+strconv.Itoa(i)
		r.q.Messages = append(r.q.Messages, Message{Role: r.text(o, "role", path), Parts: r.content(o.get("content"), path+"/content"), Path: path})
	}
	r.tools(body.get("tools"), "input_schema")
}

// responses reads a request of OpenAI Responses.
func (r *requestReader) responses(body object) {
	r.q.System = r.text(body, "instructions", "")
	input := body.get("input")
	if input.Kind() == '"' {
		r.q.Messages = []Message{{Role: "user", Parts: textPart(nil, PartText, unquote(input))}}
	} else {
		for i, raw := range r.array(input, "/input") {
			r.item(raw, "/input/"+strconv.Itoa(i))
		}
	}
	r.tools(body.get("tools"), "parameters")
}

// item reads one input item of Responses. exo folds calls into the assistant's message before them, and so is it done here.
func (r *requestReader) item(raw jsontext.Value, path string) {
	o := members(raw)
	switch kind := str(o.get("type")); kind {
	case "message", "":
		r.q.Messages = append(r.q.Messages, Message{Role: r.text(o, "role", path), Parts: r.content(o.get("content"), path+"/content"), Path: path})
	case "function_call", "custom_tool_call":
		arguments := o.get("arguments")
		if kind == "custom_tool_call" {
			arguments = o.get("input")
		}
		r.fold("assistant", path, Part{Kind: PartToolCall, Call: requestCall(o.get("call_id"), o.get("name"), arguments)})
	case "function_call_output", "custom_tool_call_output":
		r.q.Messages = append(r.q.Messages, Message{
			Role: "tool", Parts: []Part{{Kind: PartToolResult, Result: r.result(o, "call_id", "output", path)}}, Path: path,
		})
	case "reasoning":
		var text strings.Builder
		for _, t := range itemTexts(o) {
			text.WriteString(t)
		}
		if text.Len() > 0 {
			r.fold("assistant", path, Part{Kind: PartReasoning, Text: text.String()})
		}
	default:
		r.fold("assistant", path, Part{Kind: PartOther, Text: kind, Raw: raw})
	}
}

// fold adds a part to the last message if that has the role, else to a new one, which is at path.
func (r *requestReader) fold(role, path string, p Part) {
	n := len(r.q.Messages) - 1
	if n < 0 || r.q.Messages[n].Role != role {
		r.q.Messages = append(r.q.Messages, Message{Role: role, Path: path})
		n++
	}
	r.q.Messages[n].Parts = append(r.q.Messages[n].Parts, p)
}

// ollama reads a request of Ollama chat.
func (r *requestReader) ollama(body object) {
	for i, raw := range r.array(body.get("messages"), "/messages") {
		o, path := members(raw), "/messages/"+strconv.Itoa(i)
		m := Message{Role: r.text(o, "role", path), Name: r.text(o, "tool_name", path), Path: path}
		if m.Name == "" {
			m.Name = r.text(o, "name", path)
		}
		if m.Role == "tool" {
			m.Parts = []Part{{Kind: PartToolResult, Result: r.result(o, "tool_call_id", "content", path)}}
		} else {
			m.Parts = textPart(nil, PartReasoning, r.text(o, "thinking", path))
			m.Parts = append(m.Parts, r.content(o.get("content"), path+"/content")...)
			m.Parts = append(m.Parts, r.images(o, path)...)
			m.Parts = append(m.Parts, r.calls(o.get("tool_calls"), path+"/tool_calls")...)
		}
		r.q.Messages = append(r.q.Messages, m)
	}
	r.tools(body.get("tools"), "parameters")
}

// images reads Ollama's list of base64 texts.
func (r *requestReader) images(o object, path string) []Part {
	var parts []Part
	for _, v := range r.array(o.get("images"), path+"/images") {
		parts = append(parts, Part{Kind: PartImage, Image: imageData("", str(v))})
	}
	return parts
}

// ollamaGenerate reads a request of Ollama generate, whose prompt is made a user's message. What else shapes the prompt
// (a suffix, a template …) becomes further parts of it.
func (r *requestReader) ollamaGenerate(body object) {
	r.q.System = r.text(body, "system", "")
	m := Message{Role: "user", Parts: textPart(nil, PartText, r.text(body, "prompt", ""))}
	m.Parts = append(m.Parts, r.images(body, "")...)
	for _, name := range []string{"suffix", "template", "raw", "context"} {
		if v := body.get(name); !absent(v) && v.Kind() != 'f' && string(v) != `""` {
			m.Parts = append(m.Parts, Part{Kind: PartOther, Text: name, Raw: v})
		}
	}
	r.q.Messages = []Message{m}
}
