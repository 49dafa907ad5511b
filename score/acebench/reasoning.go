package acebench

import (
	"regexp"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

var thinkBlock = regexp.MustCompile(`(?s)<think(?:\s+signature="[^"]*")?(?:\s+redacted="true")?\s*>.*?</think>`)

// WithoutReasoning returns what evalscope takes for the answer when the model's text holds its reasoning: the text without the
// first block between think tags, and without the blanks around what is left. A text without such a block stays as it is.
//
// evalscope does this when it receives a message, before any scorer sees the text. So a live answer that it would score goes
// through here, and the result files of the official runner do not.
func WithoutReasoning(text string) string {
	block := thinkBlock.FindStringIndex(text)
	if block == nil {
		return text
	}
	return pyvalue.Strip(text[:block[0]] + text[block[1]:])
}
