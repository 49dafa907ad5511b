package wire

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// requestReader puts a Request together. The parts that are common to all APIs are here; the readers of the APIs are
// in request_*.go.
type requestReader struct {
	notes
	q *Request
}

// requestFormat says how a request body of one API is read.
type requestFormat struct {
	// read takes the members that content names, in their order of meaning.
	read    func(r *requestReader, body object)
	content []string
	// options are the further members the API has. exo accepts more than it heeds, and some of its own.
	options []string
}

// requestFormats is the table of the APIs that requests can be read of.
var requestFormats = map[tape.API]requestFormat{
	tape.OpenAI: {(*requestReader).chat, []string{"messages", "tools"}, []string{
		"max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p", "seed", "stop", "frequency_penalty",
		"presence_penalty", "repetition_penalty", "repetition_context_size", "logprobs", "top_logprobs", "tool_choice",
		"parallel_tool_calls", "reasoning_effort", "enable_thinking", "n", "logit_bias", "response_format", "stream_options", "user",
		"metadata", "store", "service_tier", "use_prefix_cache", "functions", "function_call", "modalities", "prediction",
		"verbosity", "safety_identifier", "prompt_cache_key",
	}},
	tape.Claude: {(*requestReader).claude, []string{"system", "messages", "tools"}, []string{
		"max_tokens", "stop_sequences", "temperature", "top_p", "top_k", "metadata", "thinking", "tool_choice", "service_tier",
		"container", "context_management", "mcp_servers", "output_config",
	}},
	tape.Responses: {(*requestReader).responses, []string{"instructions", "input", "tools"}, []string{
		"max_output_tokens", "temperature", "top_p", "metadata", "reasoning", "enable_thinking", "top_k", "stop", "seed",
		"tool_choice", "parallel_tool_calls", "include", "store", "text", "truncation", "user", "service_tier", "background",
		"conversation", "max_tool_calls", "previous_response_id", "prompt", "prompt_cache_key", "safety_identifier",
		"stream_options", "top_logprobs",
	}},
	tape.Ollama: {(*requestReader).ollama, []string{"messages", "tools"}, []string{
		"options", "format", "keep_alive", "think", "logprobs", "top_logprobs",
	}},
	tape.OllamaGenerate: {(*requestReader).ollamaGenerate, []string{"system", "prompt", "images", "suffix", "template", "raw", "context"}, []string{
		"options", "format", "keep_alive", "think", "logprobs", "top_logprobs",
	}},
}

// readRequest reads a body.
func readRequest(api tape.API, body []byte) (*Request, error) {
	format, ok := requestFormats[api]
	if !ok {
		return nil, fmt.Errorf("reading a request of API %q: %w", api, ErrAPI)
	}
	text := bytes.TrimPrefix(body, []byte("\ufeff"))
	odd, err := check(text)
	if err != nil {
		return nil, fmt.Errorf("reading a request of API %q: %w", api, err)
	}
	value := jsontext.Value(text)
	if value.Kind() != '{' {
		return nil, fmt.Errorf("reading a request of API %q: the body is %s, not an object", api, kindName(value))
	}
	r := &requestReader{q: &Request{API: api, Stream: framing(api) == framing(tape.Ollama)}}
	r.odd(odd)
	fields := members(value)
	r.q.Model = r.text(fields, "model", "")
	switch v := fields.get("stream"); v.Kind() {
	case 't', 'f':
		r.q.Stream = v.Kind() == 't'
	case jsontext.KindInvalid, 'n':
	default:
		r.wrongType(v, "/stream", "a boolean")
	}
	format.read(r, fields)
	r.sort(fields, format)
	r.gatherSystem()
	r.q.Notes = r.list
	return r.q, nil
}

// sort puts the members that were not read among the options or the unknown ones.
func (r *requestReader) sort(fields object, format requestFormat) {
	for _, f := range fields {
		switch {
		case slices.Contains(format.options, f.Name):
			r.q.Options = append(r.q.Options, f)
		case f.Name != "model" && f.Name != "stream" && !slices.Contains(format.content, f.Name):
			r.q.Unknown = append(r.q.Unknown, f)
		}
	}
}

// gatherSystem moves the system and developer messages that stand first into the system text.
func (r *requestReader) gatherSystem() {
	var texts []string
	if r.q.System != "" {
		texts = append(texts, r.q.System)
	}
	n := 0
	for n < len(r.q.Messages) && r.q.Messages[n].isSystemText() {
		texts = append(texts, r.q.Messages[n].Text())
		n++
	}
	r.q.System = strings.Join(texts, "\n\n")
	r.q.Messages = r.q.Messages[n:]
}

// isSystemText reports whether a message is a system message of text alone.
func (m *Message) isSystemText() bool {
	if m.Role != "system" && m.Role != "developer" {
		return false
	}
	for _, p := range m.Parts {
		if p.Kind != PartText {
			return false
		}
	}
	return true
}

// textPart appends a text unless it is empty.
func textPart(parts []Part, kind PartKind, text string) []Part {
	if text == "" {
		return parts
	}
	return append(parts, Part{Kind: kind, Text: text})
}

// content reads a message's content: null, a text, or a list of parts.
func (r *requestReader) content(v jsontext.Value, path string) []Part {
	switch v.Kind() {
	case '"':
		return textPart(nil, PartText, unquote(v))
	case '[':
		var parts []Part
		for i, raw := range elements(v) {
			parts = r.part(parts, raw, path+"/"+strconv.Itoa(i))
		}
		return parts
	case jsontext.KindInvalid, 'n':
		return nil
	case '{': // exo takes a single part without its list
		return r.part(nil, v, path)
	}
	r.wrongType(v, path, "a text or a list")
	return nil
}

// part reads one part of a content list. The APIs use different types, so that one table serves them all.
func (r *requestReader) part(parts []Part, raw jsontext.Value, path string) []Part {
	if raw.Kind() == '"' {
		return textPart(parts, PartText, unquote(raw))
	}
	p := members(raw)
	switch kind := str(p.get("type")); kind {
	case "text", "input_text", "output_text":
		return textPart(parts, PartText, r.text(p, "text", path))
	case "thinking":
		return textPart(parts, PartReasoning, r.text(p, "thinking", path))
	case "image_url":
		url := p.get("image_url")
		if url.Kind() == '{' {
			url = members(url).get("url")
		}
		return append(parts, Part{Kind: PartImage, Image: imageURL(str(url))})
	case "input_image":
		if p.has("image_url") {
			return append(parts, Part{Kind: PartImage, Image: imageURL(str(p.get("image_url")))})
		}
	case "image":
		source := members(p.get("source"))
		if str(source.get("type")) == "url" {
			return append(parts, Part{Kind: PartImage, Image: imageURL(str(source.get("url")))})
		}
		return append(parts, Part{Kind: PartImage, Image: imageData(str(source.get("media_type")), str(source.get("data")))})
	case "tool_use":
		return append(parts, Part{Kind: PartToolCall, Call: requestCall(p.get("id"), p.get("name"), p.get("input"))})
	case "tool_result":
		return append(parts, Part{Kind: PartToolResult, Result: r.result(p, "tool_use_id", "content", path)})
	}
	return append(parts, Part{Kind: PartOther, Text: str(p.get("type")), Raw: raw})
}

// result reads a tool result; its id and its content are under the given names.
func (r *requestReader) result(o object, idName, contentName, path string) *ToolResult {
	result := &ToolResult{CallID: r.text(o, idName, path), IsError: o.get("is_error").Kind() == 't'}
	var text strings.Builder
	for _, p := range r.content(o.get(contentName), path+"/"+contentName) {
		switch p.Kind {
		case PartText:
			text.WriteString(p.Text)
		case PartImage:
			result.Images = append(result.Images, *p.Image)
		case PartOther:
			result.Other = append(result.Other, p.Raw)
		}
	}
	result.Text = text.String()
	return result
}

// requestCall makes a call of the history.
func requestCall(id, name, arguments jsontext.Value) *ToolCall {
	r := reader{a: &Answer{}, whole: true}
	n, _ := r.call(-1)
	r.identify(n, id, name)
	r.arguments(n, arguments)
	r.finish()
	call := r.a.ToolCalls[n]
	call.Places = nil // a place is told by the message
	return &call
}

// tools reads the tools on offer. A function is flat or nested under "function"; its schema is under the given name.
func (r *requestReader) tools(v jsontext.Value, schema string) {
	for _, raw := range r.array(v, "/tools") {
		o := members(raw)
		kind := str(o.get("type"))
		if f := o.get("function"); f.Kind() == '{' {
			o = members(f)
		}
		tool := Tool{Name: str(o.get("name")), Description: str(o.get("description"))}
		if s := o.get(schema); !absent(s) {
			tool.Schema = s
		}
		function := kind == "" || kind == "function" || kind == "custom" && schema == "input_schema"
		if !function || tool.Name == "" {
			tool.Raw = raw
		}
		r.q.Tools = append(r.q.Tools, tool)
	}
}
