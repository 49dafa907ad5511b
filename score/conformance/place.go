package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// place says where an event of the answer is.
func (j *trial) place(p wire.Place) Where {
	w := Where{In: InResponse, Path: p.Path}
	if j.a.Stream {
		start := p.Start
		w.Event, w.Offset = p.Event+1, &start
	}
	return w
}

// end is the end of the answer.
func (j *trial) end() Where {
	w := Where{In: InResponse}
	if j.a != nil && j.a.Stream {
		size := j.a.Size
		w.Event, w.Offset = j.a.Events, &size
	}
	return w
}

// member is the place of a member of the whole body; in a stream, its end.
func (j *trial) member(path string) Where {
	w := j.end()
	if !j.a.Stream {
		w.Path = path
	}
	return w
}

// reasonPaths and usagePaths say where whole answers have their finish reason and their token counts.
var (
	reasonPaths = map[tape.API]string{
		tape.OpenAI: "/choices/0/finish_reason", tape.Claude: "/stop_reason", tape.Responses: "/status", tape.Ollama: "/done_reason", tape.OllamaGenerate: "/done_reason",
	}
	usagePaths = map[tape.API]string{tape.OpenAI: "/usage", tape.Claude: "/usage", tape.Responses: "/usage", tape.Ollama: "/eval_count", tape.OllamaGenerate: "/eval_count"}
)

// reason is the place of the finish reason: in a stream, of the last event that has one, or null in its place.
func (j *trial) reason() Where {
	if j.a.FinishPlace != nil {
		return j.place(*j.a.FinishPlace)
	}
	return j.member(j.inBody(reasonPaths[j.a.API]))
}

// call is the place of a call of the answer: where the last piece of it came, in a stream. See [trial.named] for where it began.
func (j *trial) call(i int) Where {
	c := &j.a.ToolCalls[i]
	w := j.place(c.Places[len(c.Places)-1])
	w.Call = i + 1
	if j.a.Stream {
		return w
	}
	switch j.a.API {
	case tape.OpenAI:
		w.Path = j.inBody(fmt.Sprintf("/choices/0/message/tool_calls/%d", i))
	case tape.Claude, tape.Responses:
		w.Path = j.item(c.Index)
	case tape.Ollama:
		w.Path = fmt.Sprintf("/message/tool_calls/%d", i)
	}
	return w
}

// item is the path of a numbered part of a whole answer, in the APIs that have such.
func (j *trial) item(index int) string {
	if j.a.API == tape.Claude {
		return fmt.Sprintf("/content/%d", index)
	}
	return fmt.Sprintf("/output/%d", index)
}

// textAt is the place of the text at an offset: the event that brought it, in a stream.
func (j *trial) textAt(offset int) Where { return j.partAt(wire.BlockText, offset) }

// reasoningAt is the place of the reasoning at an offset.
func (j *trial) reasoningAt(offset int) Where { return j.partAt(wire.BlockReasoning, offset) }

// partPaths say where whole answers have a text of one kind, in the APIs that have all of it in one place; deltaPaths say where events may have
// a piece of it, the first that is there.
var (
	partPaths = map[wire.BlockKind]map[tape.API][]string{
		wire.BlockText:      {tape.OpenAI: {"/choices/0/message/content"}, tape.Ollama: {"/message/content"}, tape.OllamaGenerate: {"/response"}},
		wire.BlockReasoning: {tape.OpenAI: {"/choices/0/message/reasoning_content", "/choices/0/message/reasoning"}, tape.Ollama: {"/message/thinking"}, tape.OllamaGenerate: {"/thinking"}},
	}
	deltaPaths = map[wire.BlockKind]map[tape.API][]string{
		wire.BlockText: {
			tape.OpenAI: {"/choices/0/delta/content"}, tape.Claude: {"/delta/text", "/content_block/text"}, tape.Responses: {"/delta", "/text", "/item", "/response/output"},
			tape.Ollama: {"/message/content"}, tape.OllamaGenerate: {"/response"},
		},
		wire.BlockReasoning: {
			tape.OpenAI: {"/choices/0/delta/reasoning_content", "/choices/0/delta/reasoning"}, tape.Claude: {"/delta/thinking", "/content_block/thinking"},
			tape.Responses: {"/delta", "/text", "/item", "/response/output"}, tape.Ollama: {"/message/thinking"}, tape.OllamaGenerate: {"/thinking"},
		},
	}
)

// partAt is the place of a text of one kind at an offset.
func (j *trial) partAt(kind wire.BlockKind, offset int) Where {
	if j.a.Stream {
		p, ok := j.a.Arrival(kind, offset)
		if !ok {
			return j.end()
		}
		data := j.eventData(p)
		p.Path = firstPath(data, j.ofChoice(deltaPaths[kind][j.a.API], data))
		return j.place(p)
	}
	w := Where{In: InResponse}
	if j.a.API != tape.Claude && j.a.API != tape.Responses {
		w.Path = firstPath(j.ResponseBody, j.ofChoice(partPaths[kind][j.a.API], j.ResponseBody))
		return w
	}
	at := 0
	for _, b := range j.a.Blocks {
		if b.Kind == kind {
			if at += len(b.Text); at > offset {
				w.Path = j.item(b.Index)
				break
			}
		}
	}
	return w
}

// firstPath returns the first of some JSON pointers at which JSON has something other than null and ""; "" for none.
func firstPath(data []byte, paths []string) string {
	var root any
	if json.Unmarshal(data, &root) != nil {
		return ""
	}
	for _, path := range paths {
		value := root
		for name := range strings.SplitSeq(path[1:], "/") {
			switch v := value.(type) {
			case map[string]any:
				value = v[name]
			case []any:
				value = nil
				if i, err := strconv.Atoi(name); err == nil && i < len(v) {
					value = v[i]
				}
			default:
				value = nil
			}
		}
		if value != nil && value != "" {
			return path
		}
	}
	return ""
}

// events yields the data events of a stream.
func events(x *reading.Exchange) iter.Seq[*sse.Event] {
	return func(yield func(*sse.Event) bool) {
		for sc := scan(x.Answer.API, x.ResponseBody); sc.Scan(); {
			if e := sc.Event(); e.Kind == sse.Data && !yield(e) {
				return
			}
		}
	}
}

// scan reads the events of a stream, or of a piece of it, as an API sends them.
func scan(api tape.API, stream []byte) *sse.Scanner {
	format := sse.EventStream
	if api == tape.Ollama || api == tape.OllamaGenerate {
		format = sse.NDJSON
	}
	return sse.NewScanner(bytes.NewReader(stream), format)
}
