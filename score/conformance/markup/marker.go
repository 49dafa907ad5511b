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

// known lists the markup of all families. It leaves out what stands in ordinary text, too: "[ARGS]" in a usage line, "<parameter name=" in XML.
var known = []string{
	// harmony (gpt-oss)
	"<|start|>", "<|channel|>", "<|message|>", "<|call|>", "<|end|>", "<|return|>", "<|constrain|>",
	// reasoning
	"<think>", "</think>", "<longcat_think>", "</longcat_think>", "<|channel>", "<channel|>", "<seed:think>", "</seed:think>",
	"[THINK]", "[/THINK]", "<|START_THINKING|>", "<|END_THINKING|>", "◁think▷", "◁/think▷",
	// Hermes, Qwen, GLM
	"<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<function=", "<parameter=", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
	// Mistral
	"[TOOL_CALLS]", "[/TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[INST]", "[/INST]",
	// Kimi K2
	"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_call_argument_begin|>",
	"<|im_middle|>", "<|im_user|>", "<|im_assistant|>", "<|im_system|>",
	// LFM, Granite, Nemotron, InternLM, Command
	"<|tool_call_start|>", "<|tool_list_start|>", "<|tool_list_end|>", "<|tool_response_start|>", "<|tool_response_end|>", "<|tool_call|>", "<TOOLCALL>", "</TOOLCALL>",
	"<|action_start|>", "<|action_end|>", "<|plugin|>", "<|START_ACTION|>", "<|END_ACTION|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>",
	// DeepSeek
	"｜DSML｜", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>",
	"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜User｜>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>",
	// MiniMax, Seed
	"<minimax:tool_call>", "</minimax:tool_call>", "<invoke name=", "</invoke>", "<function_calls>", "</function_calls>", "<tool_calls>", "</tool_calls>",
	"<seed:tool_call>", "</seed:tool_call>",
	// Gemma
	"<|tool_call>", "<tool_call|>", "<start_function_call>", "<end_function_call>", "<start_function_response>", "<end_function_response>", `<|"|>`,
	"<start_of_turn>", "<end_of_turn>", "<|turn>", "<turn|>",
	// LongCat
	"<longcat_tool_call>", "</longcat_tool_call>", "<longcat_arg_key>", "</longcat_arg_key>", "<longcat_arg_value>", "</longcat_arg_value>",
	// turns and ends
	"<|python_tag|>", "<|user|>", "<|assistant|>", "<|system|>", "<|observation|>", "<|eot_id|>", "<|eom_id|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>",
	"<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|end_of_sentence|>", "[gMASK]", "[EOS]", "<eos>", "<bos>", "<pad>",
}

// byHead has the markers by their first two bytes, longest first.
var byHead = index(known)

func index(markers []string) map[[2]byte][]string {
	m := make(map[[2]byte][]string)
	for _, text := range markers {
		head := [2]byte{text[0], text[1]}
		m[head] = append(m[head], text)
	}
	for _, list := range m {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
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

// Markers returns the markup in a text in the order in which it stands, each kind once.
func Markers(text string) []Marker {
	var found []Marker
	if glued(text) {
		found = append(found, Marker{Text: Glued})
	}
	for i := 0; i+1 < len(text); i++ {
		if !heads[text[i]] {
			continue
		}
		for _, marker := range byHead[[2]byte{text[i], text[i+1]}] {
			if strings.HasPrefix(text[i:], marker) {
				if !slices.ContainsFunc(found, func(m Marker) bool { return m.Text == marker }) {
					found = append(found, Marker{marker, i})
				}
				i += len(marker) - 1
				break
			}
		}
	}
	return found
}

// Strip returns a text without its markers. What stands between them stays.
func Strip(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		marker := ""
		if i+1 < len(text) && heads[text[i]] {
			for _, m := range byHead[[2]byte{text[i], text[i+1]}] {
				if strings.HasPrefix(text[i:], m) {
					marker = m
					break
				}
			}
		}
		if marker == "" {
			b.WriteByte(text[i])
			i++
			continue
		}
		i += len(marker)
	}
	return b.String()
}

// glued reports whether a text has the shape of harmony channels without their tokens: the name of the first channel, its text, then role
// and name of the next.
func glued(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "analysis")
	return ok && (strings.Contains(rest, "assistantfinal") || strings.Contains(rest, "assistantcommentary"))
}
