package markup

import "strings"

// thoughts are the marks between which models write their reasoning, those of chat templates that are published with the models.
var thoughts = [][2]string{
	{"<think>", "</think>"}, {"<think:opensource>", "</think:opensource>"}, {"<longcat_think>", "</longcat_think>"},
	{"<seed:think>", "</seed:think>"}, {"<mm:think>", "</mm:think>"}, {"[THINK]", "[/THINK]"}, {"◁think▷", "◁/think▷"},
	{"<|channel>", "<channel|>"}, {"<|START_THINKING|>", "<|END_THINKING|>"}, {"<|thought_start|>", "<|thought_end|>"},
	{"[unused16]", "[unused17]"}, {"<|open|>think<|sep|>", "<|close|>think<|sep|>"},
}

// finals are the marks behind which harmony's last channel stands, with its tokens and without them.
var finals = []string{"<|channel|>final<|message|>", "assistantfinal"}

// WithoutReasoning returns a text without the reasoning in it: without what stands between its marks, and without all before a closing mark
// that no opening one belongs to, as of models whose prompt ends with that one. Of harmony's channels the last one stays. Reasoning that does
// not end stays, too: where it would have ended cannot be told.
func WithoutReasoning(text string) string {
	if i := strings.LastIndex(text, finals[0]); i >= 0 {
		text = text[i+len(finals[0]):]
	} else if glued(text) {
		if i := strings.LastIndex(text, finals[1]); i >= 0 {
			text = text[i+len(finals[1]):]
		}
	}
	for _, marks := range thoughts {
		text = withoutBlocks(text, marks[0], marks[1])
	}
	return text
}

// withoutBlocks takes out what stands between two marks. A block ends at the first closing mark behind it.
func withoutBlocks(text, opening, closing string) string {
	var kept strings.Builder
	for {
		before, behind, ok := strings.Cut(text, closing)
		if !ok {
			kept.WriteString(text)
			return kept.String()
		}
		if i := strings.Index(before, opening); i >= 0 {
			kept.WriteString(before[:i])
		} else {
			kept.Reset() // all until here was thought
		}
		text = behind
	}
}
