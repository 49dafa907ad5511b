package wire

import "github.com/exodeck/exodeck/proxy/tape"

// finishWords translates the finish reasons each API lists. exo's Ollama says tool_call.
var finishWords = map[tape.API]map[string]Finish{
	tape.OpenAI: {
		"stop": FinishStop, "length": FinishLength, "tool_calls": FinishToolCalls, "function_call": FinishToolCalls,
		"content_filter": FinishContentFilter,
	},
	tape.Claude: {
		"end_turn": FinishStop, "stop_sequence": FinishStop, "max_tokens": FinishLength, "tool_use": FinishToolCalls,
		"refusal": FinishContentFilter,
	},
	tape.Responses:      {"completed": FinishStop, "failed": FinishError, "incomplete": FinishLength},
	tape.Ollama:         {"stop": FinishStop, "length": FinishLength, "tool_call": FinishToolCalls, "error": FinishError},
	tape.OllamaGenerate: {"stop": FinishStop, "length": FinishLength, "tool_call": FinishToolCalls, "error": FinishError},
}

// finishOf translates the finish reason of an answer that has been read.
func finishOf(a *Answer) Finish {
	if a.FinishReason == nil {
		return FinishNone
	}
	finish, ok := finishWords[a.API][*a.FinishReason]
	switch {
	case !ok:
		return FinishOther
	case a.API == tape.Responses && finish == FinishLength && a.Incomplete == "content_filter":
		return FinishContentFilter
	case finish == FinishStop && len(a.ToolCalls) > 0 && (a.API == tape.Responses || a.API == tape.Ollama):
		return FinishToolCalls
	}
	return finish
}
