package markup

import (
	"slices"
	"strings"
)

// Marker is a piece of markup that was found.
type Marker struct {
	Text string
	// Offset is where it stands first, in bytes.
	Offset int
}

// Glued is the [Marker] of harmony channels whose tokens were dropped, so that the words around them are joined.
const Glued = "analysis…assistantfinal"

// known lists the markup of all families but their special tokens, for which see [token]. It leaves out what stands in ordinary text,
// too: "[ARGS]" in a usage line, "<parameter name=" in XML.
var known = []string{
	// reasoning
	"<think>", "</think>", "<longcat_think>", "</longcat_think>", "<|channel>", "<channel|>", "<seed:think>", "</seed:think>", "<mm:think>", "</mm:think>",
	"[THINK]", "[/THINK]", "◁think▷", "◁/think▷",
	// Hermes, Qwen, GLM
	"<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<function=", "<parameter=", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
	// Mistral
	"[TOOL_CALLS]", "[/TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
	// Nemotron, Granite, OpenPangu
	"<TOOLCALL>", "</TOOLCALL>", "<function_call>", "</function_call>", "[unused11]", "[unused12]", "[unused16]", "[unused17]",
	// DeepSeek, GigaChat
	"｜DSML｜", "｜GCML｜",
	// Step, Muse
	"<steptml:invoke", "</steptml:invoke>", "<steptml:parameter", "</steptml:parameter>",
	"<atem:function_calls>", "</atem:function_calls>", "<atem:invoke", "</atem:invoke>", "<atem:parameter", "</atem:parameter>",
	// Kimi K3
	`<|open|>call tool="`,
	// Hunyuan
	"<tool_sep>", "<tool_sep:", "<tool_call:", "</tool_call:", "<tool_calls:", "</tool_calls:", "<arg_key:", "</arg_key:", "<arg_value:", "</arg_value:",
	"<think:opensource>", "</think:opensource>",
	// MiniMax, Seed
	"<minimax:tool_call>", "</minimax:tool_call>", "<invoke name=", "</invoke>", "<function_calls>", "</function_calls>", "<tool_calls>", "</tool_calls>",
	"]~!b[", "]~b]", "[e~[", minimaxTag, "<seed:tool_call>", "</seed:tool_call>", "<seed:bos>", "<seed:eos>",
	// Gemma
	"<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", "<start_function_call>", "<end_function_call>", "<start_function_response>", "<end_function_response>",
	`<|"|>`, "<start_of_turn>", "<end_of_turn>", "<|turn>", "<turn|>", "<tool_code>", "</tool_code>",
	// LongCat
	"<longcat_tool_call>", "</longcat_tool_call>", "<longcat_arg_key>", "</longcat_arg_key>", "<longcat_arg_value>", "</longcat_arg_value>",
	// beginnings and ends
	"[gMASK]", "[EOS]", "<eos>", "<bos>", "<pad>", "<unk>", "[|system|]", "[|user|]", "[|assistant|]", "[|tool|]", "[|endofturn|]",
}

// byHead has the markers by their first two bytes. None of them begins with another.
var byHead = index(known)

func index(markers []string) map[[2]byte][]string {
	m := make(map[[2]byte][]string)
	for _, text := range markers {
		head := [2]byte{text[0], text[1]}
		m[head] = append(m[head], text)
	}
	return m
}

// heads reports for each byte whether a marker begins with it.
var heads = func() (set [256]bool) {
	for _, text := range known {
		set[text[0]] = true
	}
	return set
}()

// finder finds the markup of a text.
type finder struct {
	text string
	// start is where the text begins behind blanks.
	start int
	// struck says that the text strikes something out as HTML does: <s> and, behind it, </s>.
	struck bool
}

func newFinder(text string) finder {
	from := strings.Index(text, "<s>")
	return finder{text, len(text) - len(skipBlanks(text)), from >= 0 && from < strings.LastIndex(text, "</s>")}
}

// next returns the first markup from a place of the text on, and where it stands; "" and the end of the text for none.
func (f finder) next(from int) (marker string, at int) {
	for i := from; i+1 < len(f.text); i++ {
		if heads[f.text[i]] {
			if marker := f.at(i); marker != "" {
				return marker, i
			}
		}
	}
	return "", len(f.text)
}

// at returns the markup that stands at a place of the text; "" for none.
func (f finder) at(i int) string {
	for _, marker := range byHead[[2]byte{f.text[i], f.text[i+1]}] {
		if strings.HasPrefix(f.text[i:], marker) {
			return marker
		}
	}
	if sentence := f.sentence(i); sentence != "" {
		return sentence
	}
	return token(f.text[i:])
}

// sentence returns <s> where it begins the text, and </s> where it ends it or what is said in it, as they do in Llama 2, Mistral and others.
// Where they strike something out, or are spoken of, they are none.
func (f finder) sentence(i int) string {
	rest := f.text[i:]
	switch {
	case f.struck:
	case strings.HasPrefix(rest, "<s>"):
		if i == f.start {
			return "<s>"
		}
	case strings.HasPrefix(rest, "</s>"):
		if i == f.start || strings.IndexByte(" \t\r\n([{\"'`", f.text[i-1]) < 0 || skipBlanks(rest[len("</s>"):]) == "" {
			return "</s>"
		}
	}
	return ""
}

// Markers returns the markup in a text in the order in which it stands, each kind once.
func Markers(text string) []Marker {
	var found []Marker
	if glued(text) {
		found = append(found, Marker{Text: Glued})
	}
	f := newFinder(text)
	for marker, at := f.next(0); marker != ""; marker, at = f.next(at + len(marker)) {
		if !slices.ContainsFunc(found, func(m Marker) bool { return m.Text == marker }) {
			found = append(found, Marker{marker, at})
		}
	}
	return found
}

// Strip returns a text without its markers. What stands between them stays.
func Strip(text string) string {
	var b strings.Builder
	f := newFinder(text)
	for from := 0; ; {
		marker, at := f.next(from)
		b.WriteString(text[from:at])
		if marker == "" {
			return b.String()
		}
		from = at + len(marker)
	}
}

// glued reports whether a text has the shape of harmony channels without their tokens: the name of the first channel, its text, then role
// and name of the next.
func glued(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "analysis")
	return ok && (strings.Contains(rest, "assistantfinal") || strings.Contains(rest, "assistantcommentary"))
}
