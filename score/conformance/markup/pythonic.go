package markup

import "strings"

// llama reads what follows Llama 3's marker of a call to a built-in tool, or stands between Llama 4's: JSON calls, or method calls in
// Python. Without the marker its calls are plain JSON.
func llama(text string, _ Types) []Call {
	var all []Call
	for _, open := range []string{"<|python_tag|>", "<|python_start|>"} {
		all = append(all, behind(text, open, func(start, at int) ([]Call, int) {
			if calls, end := jsonRun(text, start, at); len(calls) > 0 {
				return calls, end
			}
			body := text[at:]
			for _, close := range []string{"<|python_end|>", "<|eom_id|>", "<|eom|>", "<|eot_id|>", "<|eot|>", open} {
				body = until(body, close)
			}
			end := at + len(body)
			calls := placed(pythonCalls(body), start, end)
			for i := range calls {
				calls[i].Name = strings.TrimSuffix(calls[i].Name, ".call")
			}
			return calls, end
		})...)
	}
	return all
}

// lfm reads Python between LFM's markers.
func lfm(text string, _ Types) []Call {
	return pythonBetween(text, "<|tool_call_start|>", "<|tool_call_end|>", func(body string) string { return body })
}

// minicpm reads the calls of MiniCPM 3 and 4, a fence of Python between the markers that LFM has too, and those of MiniCPM 5.
func minicpm(text string, types Types) []Call {
	all := pythonBetween(text, "<|tool_call_start|>", "<|tool_call_end|>", func(body string) string {
		source, fenced := strings.CutPrefix(skipBlanks(body), "```python\n")
		if !fenced {
			return ""
		}
		return until(source, "```")
	})
	return append(all, minicpm5.calls(text, types)...)
}

// olmo reads the lines of Python that OLMo 3 writes.
func olmo(text string, _ Types) []Call {
	return pythonBetween(text, "<function_calls>", "</function_calls>", func(body string) string { return body })
}

// pythonBetween reads Python between two markers. The end of the text may cut off the second one. source takes the Python out of what stands
// between them.
func pythonBetween(text, open, close string, source func(body string) string) []Call {
	return behind(text, open, func(start, at int) ([]Call, int) {
		body := until(text[at:], close)
		end := closed(text, at+len(body), close)
		return placed(pythonCalls(source(body)), start, end), end
	})
}

// toolCode reads Python calls in a fence that says tool_code.
func toolCode(text string) []Call {
	var all []Call
	for at := 0; ; {
		i := strings.Index(text[at:], "```tool_code\n")
		if i < 0 {
			return all
		}
		start := at + i
		body, _, ok := strings.Cut(text[start+len("```tool_code\n"):], "```")
		if !ok {
			return all
		}
		end := start + len("```tool_code\n") + len(body) + len("```")
		all = append(all, placed(pythonCalls(body), start, end)...)
		at = end
	}
}
