package conformance

import (
	"bytes"
	"fmt"
	"iter"
	"sort"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/exodeck/exodeck/proxy/tape"
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

// reason is the place of the finish reason.
func (j *trial) reason() Where { return j.member(reasonPaths[j.a.API]) }

// call is the place of a call of the answer: where the last piece of it came, in a stream.
func (j *trial) call(i int) Where {
	c := &j.a.ToolCalls[i]
	w := j.place(c.Places[len(c.Places)-1])
	w.Call = i + 1
	if j.a.Stream {
		return w
	}
	switch j.a.API {
	case tape.OpenAI:
		w.Path = fmt.Sprintf("/choices/0/message/tool_calls/%d", i)
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
func (j *trial) textAt(offset int) Where {
	return j.partAt(wire.BlockText, offset, "/choices/0/message/content", "/message/content", "/response", func(a *wire.Answer) int { return len(a.Text) })
}

// reasoningAt is the place of the reasoning at an offset.
func (j *trial) reasoningAt(offset int) Where {
	return j.partAt(wire.BlockReasoning, offset, "/choices/0/message/reasoning_content", "/message/thinking", "/thinking", func(a *wire.Answer) int { return len(a.Reasoning) })
}

// partAt is the place of a text of one kind at an offset. The paths are those of APIs that have all of it in one place.
func (j *trial) partAt(kind wire.BlockKind, offset int, chat, ollama, generate string, size func(*wire.Answer) int) Where {
	if j.a.Stream {
		return j.arrival(func(a *wire.Answer) bool { return size(a) > offset })
	}
	w := Where{In: InResponse}
	switch j.a.API {
	case tape.OpenAI:
		w.Path = chat
	case tape.Ollama:
		w.Path = ollama
	case tape.OllamaGenerate:
		w.Path = generate
	default:
		at := 0
		for _, b := range j.a.Blocks {
			if b.Kind == kind {
				if at += len(b.Text); at > offset {
					w.Path = j.item(b.Index)
					break
				}
			}
		}
	}
	return w
}

// arrival is the place of the first event of a stream with which the answer so far has what is asked for. The beginning of a stream, read
// by itself, is the answer so far; so the event is found by halving.
func (j *trial) arrival(has func(*wire.Answer) bool) Where {
	var starts, ends []int64
	for e := range j.events() {
		starts, ends = append(starts, e.Start), append(ends, e.End)
	}
	i := sort.Search(len(ends), func(i int) bool {
		// Reading from memory does not fail.
		a, _ := wire.ParseResponse(j.a.API, true, bytes.NewReader(j.ResponseBody[:ends[i]]))
		return a != nil && has(a)
	})
	if i == len(ends) {
		return j.end()
	}
	return Where{In: InResponse, Event: i + 1, Offset: &starts[i]}
}

// events yields the data events of the stream.
func (j *trial) events() iter.Seq[*sse.Event] {
	format := sse.EventStream
	if !hasIDs(j.a.API) {
		format = sse.NDJSON
	}
	return func(yield func(*sse.Event) bool) {
		for sc := sse.NewScanner(bytes.NewReader(j.ResponseBody), format); sc.Scan(); {
			if e := sc.Event(); e.Kind == sse.Data && !yield(e) {
				return
			}
		}
	}
}
