package wire

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
