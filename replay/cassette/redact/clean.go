package redact

// clean remembers short texts and runs of codes that hold no secret, with all that they encode, as long as no secret becomes known: names of
// members, header values and ids come in every exchange of a recording, and a run of base64 is read in four ways each time. A run
// that says what gzip has packed is never among them: how much of it may be unpacked is a matter of the text around it.
type clean map[cleanText]struct{}

type cleanText struct {
	code  string // "" for a text that is searched as it is
	depth int
	text  string
}

const (
	// maxClean and maxCleanText bound what is remembered to some MiB.
	maxClean     = 16 << 10
	maxCleanText = 128
	// maxRoom bounds the room that is kept for the next text, at each depth.
	maxRoom = 1 << 20
)

func (c clean) has(code string, depth int, text []byte) bool {
	if len(text) > maxCleanText {
		return false
	}
	_, ok := c[cleanText{code, depth, string(text)}]
	return ok
}

func (c *clean) add(code string, depth int, text []byte) {
	if len(text) > maxCleanText {
		return
	}
	if *c == nil {
		*c = clean{}
	} else if len(*c) >= maxClean {
		clear(*c)
	}
	(*c)[cleanText{code, depth, string(text)}] = struct{}{}
}
