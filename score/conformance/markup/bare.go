package markup

import "strings"

// bareJSON reads calls in plain JSON that begin a line, as models write them that were only told to in the prompt.
func bareJSON(text string, _ Types) []Call {
	var all []Call
	failed := 0
	for at := 0; at < len(text) && failed < attempts; {
		trimmed := strings.TrimLeft(text[at:], " \t\r\n;")
		at = len(text) - len(trimmed)
		if value := wholeJSON(trimmed); value != "" {
			all = append(all, placed(jsonCalls(value, true), at, at+len(value))...)
			at += len(value)
			continue
		}
		if trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') {
			failed++
		}
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return all
}

// turnEnds end an answer. Where they leak, what stands before them may still be all there is.
var turnEnds = []string{"<|eot|>", "<|eom|>", "<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|endoftext|>", "<|observation|>", "<|user|>", "<end_of_turn>", "[|endofturn|]", "</s>"}

// whole returns a text without what ends a turn, and without blanks around it; from is where it begins.
func whole(text string) (inner string, from int) {
	inner = skipBlanks(text)
	from = len(text) - len(inner)
	for left := -1; left != len(inner); {
		left = len(inner)
		inner = strings.TrimRight(inner, " \t\r\n")
		for _, end := range turnEnds {
			inner = strings.TrimSuffix(inner, end)
		}
	}
	return inner, from
}

// barePython reads a text that is nothing but calls in Python, as Llama 4 and prompted models write them.
func barePython(text string, _ Types) []Call {
	inner, start := whole(text)
	return placed(pythonCalls(inner), start, start+len(inner))
}

// bareHeaded reads a text that is nothing but calls as GLM-4-0414 writes them: the name on a line of its own, and JSON on the next. Each of
// several calls is a turn of the assistant.
func bareHeaded(text string) []Call {
	inner, from := whole(text)
	var all []Call
	for at := 0; at < len(inner); {
		rest := strings.TrimPrefix(skipBlanks(inner[at:]), "<|assistant|>")
		line, body, _ := strings.Cut(rest, "\n")
		name := strings.TrimSpace(line)
		if !wellNamed(name) {
			return nil
		}
		value := wholeJSON(body)
		if value == "" || value[0] != '{' {
			return nil
		}
		start := len(inner) - len(rest)
		at = len(inner) - len(body) + len(value)
		all = append(all, Call{Name: name, Arguments: value, Start: from + start, End: from + at})
	}
	return all
}
