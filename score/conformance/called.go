package conformance

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

// namePaths and idPaths say where events may have the name and the id of a call. A star is the place of the call in a list.
var (
	namePaths = map[tape.API][]string{
		tape.OpenAI:    {"/choices/0/delta/tool_calls/*/function/name", "/choices/0/delta/tool_calls/*/custom/name", "/choices/0/delta/function_call/name"},
		tape.Claude:    {"/content_block/name"},
		tape.Responses: {"/item/name", "/name", "/response/output/*/name"},
		tape.Ollama:    {"/message/tool_calls/*/function/name"},
	}
	idPaths = map[tape.API][]string{
		tape.OpenAI:    {"/choices/0/delta/tool_calls/*/id"},
		tape.Claude:    {"/content_block/id"},
		tape.Responses: {"/item/call_id", "/response/output/*/call_id"},
		tape.Ollama:    {"/message/tool_calls/*/id"},
	}
)

// named is the place of the name of a call: of the event that brought it, in a stream.
func (j *trial) named(i int) Where {
	return j.called(i, namePaths[j.a.API], func(c *wire.ToolCall) string { return c.Name })
}

// identified is the place of the id of a call.
func (j *trial) identified(i int) Where {
	return j.called(i, idPaths[j.a.API], func(c *wire.ToolCall) string { return c.ID })
}

// maxSearched is the number of calls of an answer whose events are searched, which takes time. Answers with more are broken in other ways.
const maxSearched = 16

// called is the place at which a stream first says a word of a call; where the call begins, when that is not found.
func (j *trial) called(i int, paths []string, word func(*wire.ToolCall) string) Where {
	w := j.call(i)
	if !j.a.Stream {
		return w
	}
	c := &j.a.ToolCalls[i]
	same := 0 // calls before it that begin in the same event and say the same
	for k := range min(i, maxSearched) {
		if e := &j.a.ToolCalls[k]; e.Places[0] == c.Places[0] && word(e) == word(c) {
			same++
		}
	}
	at, path := c.Places[0], ""
	for _, p := range c.Places {
		if i >= maxSearched || word(c) == "" {
			break
		}
		data := j.eventData(p)
		if found := wordPaths(data, j.ofChoice(paths, data), word(c), c.Index); len(found) > 0 {
			at, path = p, found[min(same, len(found)-1)]
			break
		}
	}
	start := at.Start
	w.Event, w.Offset, w.Path = at.Event+1, &start, path
	return w
}

// eventData returns the data of the event at a place of a stream; nil when it cannot be had.
func (j *trial) eventData(p wire.Place) []byte {
	if p.Start < 0 || p.Start > p.End || p.End > int64(len(j.ResponseBody)) {
		return nil
	}
	for sc := scan(j.a.API, j.ResponseBody[p.Start:p.End]); sc.Scan(); {
		if e := sc.Event(); e.Kind == sse.Data {
			return bytes.Clone(e.Data)
		}
	}
	return nil
}

// wordPaths returns where on some paths an event says a word, or the beginning of it, of the call that has an index.
func wordPaths(data []byte, paths []string, word string, index int) (found []string) {
	var root any
	if json.Unmarshal(data, &root) != nil {
		return nil
	}
	for _, path := range paths {
		found = append(found, wordsAt(root, "", strings.Split(path[1:], "/"), word, index)...)
	}
	return found
}

// wordsAt follows the steps of a path from a value that is at a place, and returns the places of the word.
func wordsAt(value any, place string, steps []string, word string, index int) (found []string) {
	if len(steps) == 0 {
		if s, ok := value.(string); ok && s != "" && strings.HasPrefix(word, s) {
			return []string{place}
		}
		return nil
	}
	step, rest := steps[0], steps[1:]
	switch v := value.(type) {
	case map[string]any:
		return wordsAt(v[step], place+"/"+step, rest, word, index)
	case []any:
		for k, item := range v {
			entry, _ := item.(map[string]any)
			number, numbered := entry["index"].(float64)
			if step == strconv.Itoa(k) || step == "*" && (!numbered || int(number) == index) {
				found = append(found, wordsAt(item, place+"/"+strconv.Itoa(k), rest, word, index)...)
			}
		}
	}
	return found
}
