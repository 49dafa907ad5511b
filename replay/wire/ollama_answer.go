package wire

import (
	"fmt"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/go-json-experiment/json/jsontext"
)

// ollamaAnswer reads answers of Ollama chat and Ollama generate: lines of a stream, and the whole body, which is like the
// last line.
type ollamaAnswer struct {
	*reader
	thinking string // all reasoning so far
}

func (o *ollamaAnswer) event(_ string, data object) {
	if e := data.get("error"); !absent(e) {
		o.fail(o.readError(ErrorChunk, e))
		return
	}
	o.line(data)
}

func (o *ollamaAnswer) body(data object) {
	o.a.Complete = false // done says whether it is
	o.line(data)
}

func (o *ollamaAnswer) end() {}

func (o *ollamaAnswer) line(data object) {
	if o.a.Model == "" {
		o.a.Model = o.text(data, "model", "")
	}
	message, textName, path := members(data.get("message")), "content", "/message"
	if o.a.API == tape.OllamaGenerate {
		message, textName, path = data, "response", ""
	}
	if !message.has(textName) && !message.has("tool_calls") && !message.has("thinking") && !data.has("done") {
		o.unknown("line without a message", o.raw)
		return
	}
	reason := str(data.get("done_reason"))
	calls := elements(message.get("tool_calls"))
	if v := message.get("tool_calls"); !absent(v) && v.Kind() != '[' {
		o.wrongType(v, path+"/tool_calls", "an array")
	}
	o.reasoning(o.text(message, "thinking", path), len(calls) > 0)
	if reason == "error" {
		o.failed = true
		o.reportFailure(message.get(textName))
	} else {
		o.say(BlockText, o.text(message, textName, path))
	}
	for i, call := range calls {
		o.toolCall(call, fmt.Sprintf("%s/tool_calls/%d", path, i))
	}
	o.finishReason(data.get("done_reason"), "/done_reason")
	o.usage(data)
	o.a.Complete = data.get("done").Kind() == 't'
}

// reportFailure reads exo's last line after a failure, whose text is that of the error. Generate has lost the text.
func (o *ollamaAnswer) reportFailure(text jsontext.Value) {
	e := &Error{Kind: ErrorChunk, Raw: o.raw}
	if text.Kind() == '"' && (o.a.API == tape.Ollama || string(text) != `""`) {
		e.Message = ref(unquote(text))
	}
	o.fail(e)
}

// reasoning adds thinking. exo's line of tool calls repeats all of it.
func (o *ollamaAnswer) reasoning(text string, beside bool) {
	if beside && text != "" && text == o.thinking {
		o.note(NoteRepeatedReasoning, "/message/thinking", shorten([]byte(text)))
		return
	}
	o.thinking += text
	o.say(BlockReasoning, text)
}

func (o *ollamaAnswer) toolCall(v jsontext.Value, path string) {
	if v.Kind() != '{' {
		o.wrongType(v, path, "an object")
		return
	}
	fields := members(v)
	function := members(fields.get("function"))
	n, block := o.call(indexOf(function.get("index")))
	o.identify(n, fields.get("id"), function.get("name"))
	o.arguments(n, function.get("arguments"))
	o.close(block) // a call comes whole, on one line
}

func (o *ollamaAnswer) usage(data object) {
	input := o.count(data.get("prompt_eval_count"), "/prompt_eval_count")
	output := o.count(data.get("eval_count"), "/eval_count")
	if input != nil || output != nil {
		o.a.Usage = &Usage{Input: input, Output: output, Place: o.at}
	}
}
