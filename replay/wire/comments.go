package wire

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Comments is what stood in the comment lines of an event stream.
type Comments struct {
	// KeepAlives counts exo's ": keep-alive" lines. The stream begins with one; another comes whenever ten seconds pass
	// without an item.
	KeepAlives int
	// Prefill holds exo's progress reports in order.
	Prefill []PrefillProgress
	// Other lists all further comments.
	Other []Evidence
}

// PrefillProgress is one ": prefill_progress" comment.
type PrefillProgress struct {
	Processed, Total int64
	Place            Place
}

// GenerationStats is exo's report of one generation. A nil number was not sent.
type GenerationStats struct {
	PromptTPS, GenerationTPS       *float64
	PromptTokens, GenerationTokens *int64
	PeakMemoryBytes                *int64
	PrefixCacheHit                 string // "none", "partial" or "exact"
	Raw                            []byte // the JSON as sent
	Place                          Place
}

// comment reads one comment line of an event stream.
func (r *reader) comment(text string) {
	word, rest, _ := strings.Cut(text, " ")
	value := jsontext.Value(rest)
	switch {
	case text == "keep-alive":
		r.a.Comments.KeepAlives++
		return
	case word == "prefill_progress" && value.IsValid(lenient...):
		chunk := members(members(value).get("PrefillProgressChunk"))
		done, ok1 := integer(chunk.get("processed_tokens"))
		total, ok2 := integer(chunk.get("total_tokens"))
		if ok1 && ok2 {
			r.a.Comments.Prefill = append(r.a.Comments.Prefill, PrefillProgress{Processed: done, Total: total, Place: r.at})
			return
		}
	case word == "generation_stats" && value.IsValid(lenient...) && value.Kind() == '{':
		r.stats(value)
		return
	}
	r.a.Comments.Other = append(r.a.Comments.Other, Evidence{Place: r.at, What: "comment", Data: []byte(text)})
}

// stats reads exo's generation statistics. The memory is under in_bytes in comments, under inBytes in /bench bodies.
func (r *reader) stats(v jsontext.Value) {
	fields := members(v)
	memory := members(fields.get("peak_memory_usage"))
	bytes := memory.get("in_bytes")
	if bytes == nil {
		bytes = memory.get("inBytes")
	}
	r.a.Stats = &GenerationStats{
		PromptTPS:        number(fields.get("prompt_tps")),
		GenerationTPS:    number(fields.get("generation_tps")),
		PromptTokens:     r.count(fields.get("prompt_tokens"), "/prompt_tokens"),
		GenerationTokens: r.count(fields.get("generation_tokens"), "/generation_tokens"),
		PeakMemoryBytes:  r.count(bytes, "/peak_memory_usage"),
		PrefixCacheHit:   str(fields.get("prefix_cache_hit")),
		Raw:              v,
		Place:            r.at,
	}
}

// number returns a JSON number; nil for any other value.
func number(v jsontext.Value) *float64 {
	if v.Kind() != '0' {
		return nil
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return nil
	}
	return &f
}
