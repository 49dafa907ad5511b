package markup_test

import (
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/conformance/markup"
	"github.com/google/go-cmp/cmp"
)

func TestMarkers(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"none", "a < b | c [x] `y` <div>hi</div> <b", nil},
		{"harmony", "<|channel|>final<|message|>Noon.<|end|>", []string{"<|channel|>", "<|message|>", "<|end|>"}},
		{"each once", "<think>a</think><think>b</think>", []string{"<think>", "</think>"}},
		{"the longest", "<|tool_call_begin|> <|tool_call|> <|tool_call>", []string{"<|tool_call_begin|>", "<|tool_call|>", "<|tool_call>"}},
		{"DeepSeek", "<｜DSML｜invoke name=\"f\"> <｜tool▁sep｜>", []string{"｜DSML｜", "<｜tool▁sep｜>"}},
		{"Mistral", "[TOOL_CALLS] [INST]", []string{"[TOOL_CALLS]", "[INST]"}},
		{"glued", " analysisEasy.assistantfinalNoon.", []string{markup.Glued}},
		{"glued to a call", "analysisEasy.assistantcommentary to=functions.f", []string{markup.Glued}},
		{"words", "analysis is sound. My final verdict: good commentary.", nil},
		{"the other order", "assistantfinal analysis", nil},
		{"a usage line", "tide [OPTIONS] [ARGS]", nil},
		{"XML", `<parameter name="x"/>`, nil},
		{"at the end", "Noon.<|im_end|>", []string{"<|im_end|>"}},
		{"cut", "Noon.<|im_en", nil},
		{"a token of no family that is known", "Noon.<|start_of_role|>user <|img2_end|>", []string{"<|start_of_role|>", "<|img2_end|>"}},
		{"numbered tokens", "<|reserved_special_token_12|> <|extra_0|> <｜place▁holder▁no▁2｜> <｜hy_place▁holder▁no▁2｜>", []string{"<|reserved_special_token_12|>", "<|extra_0|>", "<｜hy_place▁holder▁no▁2｜>"}},
		{"a speed, a place to fill in, operators, a quotation", "<|v|> <|customer_name|> f <|x|> y <｜引用｜> ‹｜引用｜> <|user_id|> <|start_date|> <|pad_left|> <|starting_point|> <|2|> <|_|>", nil},
		{"a place to fill in with a colon, a row of an array", "<|customer:name|> <|a:b|> <|:|> [|1; 2|] [|users|] <|/customer|> <|//user|>", nil},
		{"closed and divided tokens", "<|/tool_call|> <|/user|> <|tool_call:begin|>", []string{"<|/tool_call|>", "<|/user|>", "<|tool_call:begin|>"}},
		{"the beginning of a text", "\n<s> Noon.", []string{"<s>"}},
		{"the beginning, and its word", "<s> begins it; Vec<s>, <s", []string{"<s>"}},
		{"its word alone", "Vec<s> and <s>", nil},
		{"the end of a text", "Noon.</s>", []string{"</s>"}},
		{"the end of a text, and more", "Noon.</s>User: Thanks", []string{"</s>"}},
		{"the end behind a blank", "Noon. </s>\n", []string{"</s>"}},
		{"the end of nothing, and more", " </s> Noon", []string{"</s>"}},
		{"the end alone", "</s>", []string{"</s>"}},
		{"the end, and a beginning", "Noon.</s><s>Hi", []string{"</s>"}},
		{"the end that is spoken of", "Close it with </s> or (</s>), \"</s>\" and '</s>'.", nil},
		{"struck out", "<s>Noon.</s> One.", nil},
		{"struck out and lost", "<s>Noon.</s> One.</s>", nil},
		{"no tokens", "f <| x |> g, <||>, <|a b|>, <|a|b>, <|>, <｜>, <｜a|>, <|" + strings.Repeat("x", 64) + "|>, ]~[", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range markup.Markers(tt.text) {
				got = append(got, m.Text)
				if m.Text != markup.Glued && !strings.HasPrefix(tt.text[m.Offset:], m.Text) {
					t.Errorf("%q is not at %d", m.Text, m.Offset)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("markers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFamilyMarkers has the markup of each family. What stands between blanks is found, all of it and as it stands.
func TestFamilyMarkers(t *testing.T) {
	for family, text := range map[string]string{
		"harmony":      "<|start|> <|channel|> <|message|> <|call|> <|end|> <|return|> <|constrain|>",
		"reasoning":    "<think> </think> ◁think▷ ◁/think▷ [THINK] [/THINK] <|START_THINKING|> <|END_THINKING|>",
		"Hermes, Qwen": "<tool_call> </tool_call> <tool_response> </tool_response> <function= <parameter= <|im_start|> <|im_end|> <|endoftext|>",
		"GLM":          "<arg_key> </arg_key> <arg_value> </arg_value> <|user|> <|assistant|> <|system|> <|observation|> [gMASK]",
		"Llama":        "<|python_tag|> <|eot_id|> <|eom_id|> <|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|>",
		"Mistral":      "[TOOL_CALLS] [/TOOL_CALLS] [TOOL_RESULTS] [/TOOL_RESULTS] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [INST] [/INST] [SYSTEM_PROMPT] [/SYSTEM_PROMPT]",
		"Kimi": "<|tool_calls_section_begin|> <|tool_calls_section_end|> <|tool_call_begin|> <|tool_call_end|> <|tool_call_argument_begin|> " +
			"<|im_middle|> <|im_user|> <|im_assistant|> <|im_system|> [EOS]",
		"DeepSeek": "<｜tool▁calls▁begin｜> <｜tool▁calls▁end｜> <｜tool▁call▁begin｜> <｜tool▁call▁end｜> <｜tool▁sep｜> <｜tool▁outputs▁begin｜> " +
			"<｜tool▁outputs▁end｜> <｜User｜> <｜Assistant｜> <｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> ｜DSML｜",
		"MiniMax": "<minimax:tool_call> </minimax:tool_call> <invoke name= </invoke> <function_calls> </function_calls> <tool_calls> </tool_calls> " +
			"<mm:think> </mm:think> ]~!b[ ]~b] [e~[",
		"Seed": "<seed:think> </seed:think> <seed:tool_call> </seed:tool_call> <seed:bos> <seed:eos>",
		"Step": "<｜tool_calls_begin｜> <｜tool_call_begin｜> <｜tool_sep｜> <｜tool_call_end｜> <｜tool_calls_end｜> <steptml:invoke </steptml:invoke> " +
			"<steptml:parameter </steptml:parameter>",
		"Solar": "<|think|> <|content|> <|begin|> <|end|> <|flush|> <|calls|> <|tool_calls|> <|tool_call:begin|> <|tool_call:name|> <|tool_call:args|> " +
			"<|tool_call:end|> <|tool_call:start|> <|tool_arg:start|> <|tool_arg:value|> <|tool_arg:end|>",
		"Kimi K3": "<|open|> <|close|> <|sep|> <|end_of_msg|>",
		"Hunyuan": "<tool_sep> <tool_call: </tool_call: <tool_calls: </tool_calls: <tool_sep: <arg_key: </arg_key: <arg_value: </arg_value: " +
			"<think:opensource> </think:opensource>",
		"MiniCPM, OpenPangu": "<|thought_start|> <|thought_end|> [unused11] [unused12] [unused16] [unused17]",
		"GigaChat, Granite":  "<|role_sep|> <|message_sep|> <|function_call|> ｜GCML｜ <function_call> </function_call>",
		"EXAONE":             "[|system|] [|user|] [|assistant|] [|tool|] [|endofturn|]",
		"Inkling, Muse":      "<|message_model|> <|content_invoke_tool_json|> <|end_message|> <atem:function_calls> </atem:function_calls> <atem:invoke </atem:invoke> <atem:parameter </atem:parameter>",
		"MiniMax-M3":         "]<]minimax[>[",
		"Phi":                "<|/tool_call|> <|/tool|>",
		"Gemma": "<|tool_call> <tool_call|> <|tool_response> <tool_response|> <start_function_call> <end_function_call> <start_function_response> " +
			"<end_function_response> <|\"|> <start_of_turn> <end_of_turn> <|turn> <turn|> <tool_code> </tool_code> <|channel> <channel|> <eos> <bos> <pad>",
		"LongCat": "<longcat_think> </longcat_think> <longcat_tool_call> </longcat_tool_call> <longcat_arg_key> </longcat_arg_key> " +
			"<longcat_arg_value> </longcat_arg_value>",
		"LFM, Granite":        "<|tool_call_start|> <|tool_call_end|> <|tool_list_start|> <|tool_response_end|> <|tool_call|> <|start_of_role|> <|end_of_role|>",
		"Nemotron, InternLM":  "<TOOLCALL> </TOOLCALL> <|action_start|> <|action_end|> <|plugin|>",
		"DeepSeek's code":     "<｜fim▁begin｜> <｜fim▁hole｜> <｜fim▁end｜> <|EOT|>",
		"Qwen's code":         "<|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|fim_pad|> <|repo_name|> <|file_sep|> <|vision_start|> <|image_pad|> <|object_ref_start|> <|box_end|>",
		"Kimi's pictures":     "<|media_start|> <|media_content|> <|media_pad|> <|media_end|>",
		"GLM's":               "<|begin_of_image|> <|end_of_image|> <|begin_of_box|> <|begin_of_transcription|> <|endoftext|>",
		"Command":             "<|START_ACTION|> <|END_ACTION|> <|START_RESPONSE|> <|END_RESPONSE|> <|START_OF_TURN_TOKEN|> <|END_OF_TURN_TOKEN|>",
		"Apertus, Apriel, Hy": "<|tools_prefix|> <|inner_suffix|> <|begin_assistant|> <｜hy_User｜>",
	} {
		want := strings.Fields(strings.ReplaceAll(text, " name", "~name"))
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "~name", " name")
		}
		var got []string
		for _, m := range markup.Markers(text) {
			got = append(got, m.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", family, diff)
		}
	}
}

func TestStrip(t *testing.T) {
	for text, want := range map[string]string{
		"get_tide": "get_tide", "<function=get_tide": "get_tide", "get_<|channel|>tide<|end|>": "get_tide", "a<b": "a<b", "<": "<", "": "",
		"get_tide</s>": "get_tide", "<s>get_tide</s>": "<s>get_tide</s>",
	} {
		if got := markup.Strip(text); got != want {
			t.Errorf("Strip(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestOutsideCode(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no code", "a <b> c", "a <b> c"},
		{"span", "a `<b>` c", "a       c"},
		{"two spans", "`a` b `c`", "    b    "},
		{"double", "``a ` b`` c", "          c"},
		{"unmatched", "a ` b", "a ` b"},
		{"unmatched before a paragraph", "a ` b\n\nc ` d", "a ` b\n\nc ` d"},
		{"span over lines", "a `b\nc` d", "a   \n   d"},
		{"fence", "a\n```xml\n<b>\n```\nc", "a\n      \n   \n   \nc"},
		{"fence of tildes", "~~~\n<b>\n~~~\nc", "   \n   \n   \nc"},
		{"a longer end", "```\na\n`````\nc", "   \n \n     \nc"},
		{"no shorter end", "````\na\n```\nb\n````\nc", "    \n \n   \n \n    \nc"},
		{"unclosed fence", "a\n```\nb", "a\n   \n "},
		{"indented too far", "    ```\n<b>", "    ```\n<b>"},
		{"backticks in the info", "``` a`b\n<b>", "``` a`b\n<b>"},
		{"unmatched before a fence", "a ` b\n```\nc\n```\nd ` e", "a ` b\n   \n \n   \nd ` e"},
		{"blanks at the end", "`a`\n  ", "   \n  "},
		{"three letters", "aaa\n`b` c", "aaa\n    c"},
		{"two backticks on a line", "``\n<b>\n\n`c", "``\n<b>\n\n`c"},
		{"indented by three", "   ```\n<b>\n```\nc", "      \n   \n   \nc"},
		{"a backtick in the info of tildes", "~~~ a`b\n<b>\n~~~", "       \n   \n   "},
		{"words behind a fence do not end it", "```\n<b>\n``` x\n<c>\n```\nd", "   \n   \n     \n   \n   \nd"},
		{"tildes do not end backticks", "```\n<b>\n~~~\n<c>\n```\nd", "   \n   \n   \n   \n   \nd"},
		{"indented", "a\n\n    <b>\n\n    <c>\nd", "a\n\n       \n\n       \nd"},
		{"indented by a tab", "a\n\n\t<b>\n  \t<c>\nd", "a\n\n    \n      \nd"},
		{"indented in a paragraph", "a\n    <b>\n\tc", "a\n    <b>\n\tc"},
		{"indented by three after a line", "a\n\n   <b>", "a\n\n   <b>"},
		{"indented at the beginning", "    <b>", "    <b>"},
		{"text behind indented code", "a\n\n    b\nc\n    <d>", "a\n\n     \nc\n    <d>"},
		{"text of a list", "1. a\n\n    <b>\n\n- c\n\n    <d>", "1. a\n\n    <b>\n\n- c\n\n    <d>"},
		{"code in a list", "1. a\n\n       <b>\n\nc\n\n    <d>", "1. a\n\n          \n\nc\n\n       "},
		{"a rule is no list", "a\n\n---\n\n    <b>\n\n3.14\n\n    <c>", "a\n\n---\n\n       \n\n3.14\n\n       "},
		{"fence in a list", "10. a\n\n    ```\n    <b>\n\n    ```\n    c", "10. a\n\n       \n       \n\n       \n    c"},
		{"span around what looks like a list", "`a\n- b` c", "  \n     c"},
		{"HTML", "a <code>b</code> <PRE class=\"x\">\nc\n</pre> d", "a                               \n \n       d"},
		{"HTML that is not closed", "a <code>b <pre>c", "a <code>b <pre>c"},
		{"HTML in a span", "a `<code>` <b> `</code>`", "a          <b>          "},
		{"other tags", "a <codex>b</codex> <pref>c</pre>", "a <codex>b</codex> <pref>c</pre>"},
		{"span before a fence", "`a`\n```\nb\n```\n`c` d", "   \n   \n \n   \n    d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := markup.OutsideCode(tt.text); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// FuzzOutsideCode: code becomes blanks, byte for byte, and lines stay lines.
func FuzzOutsideCode(f *testing.F) {
	for _, text := range []string{
		"a `b` \n```\nc\n```\n~~~ d", "``a`b`` `c", "a\n\n    b\n\n\tc\nd", "1. a\n\n       b\n\n- c\n\n    d", "10. a\n\n    ```\n    b\n\n    ```\n    c",
		"a <code>b</code> <PRE class=\"x\">\nc\n</pre> `<code>` d", "```a`b\n~~~ c\n~~~",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, masked := range map[string]string{"code": markup.OutsideCode(text), "fences": markup.OutsideFences(text)} {
			if len(masked) != len(text) {
				t.Fatalf("without %s %d bytes became %d", name, len(text), len(masked))
			}
			for i := range len(masked) {
				if masked[i] != text[i] && (masked[i] != ' ' || text[i] == '\n') {
					t.Fatalf("without %s byte %d is %q, was %q", name, i, masked[i], text[i])
				}
			}
		}
		if !strings.ContainsAny(text, "`~\t<") && !strings.Contains(text, "    ") && markup.OutsideCode(text) != text {
			t.Errorf("there is no code in %q", text)
		}
	})
}

// FuzzMarkers: markup stands where it is said to, in order, each kind once, and is gone from the text without it.
func FuzzMarkers(f *testing.F) {
	for _, family := range markup.Families {
		for _, example := range family.Examples {
			f.Add(example)
		}
	}
	for _, text := range []string{
		"<s>a</s> b", " <s>a", "a </s>", "<think>a</think>b", "analysisEasy.assistantcommentary to=functions.f{}", "<|a|> <|/b|> <｜c▁d｜> [|e|]", "]~b]a[e~[", "<tool_call><tool_call",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last, size, seen := -1, 0, map[string]bool{}
		for _, m := range markup.Markers(text) {
			if seen[m.Text] {
				t.Errorf("%q comes twice", m.Text)
			}
			seen[m.Text] = true
			if m.Text == markup.Glued {
				continue
			}
			if m.Offset <= last || !strings.HasPrefix(text[min(m.Offset, len(text)):], m.Text) {
				t.Errorf("%q is not at %d, behind %d", m.Text, m.Offset, last)
			}
			last, size = m.Offset, size+len(m.Text)
		}
		stripped := markup.Strip(text)
		if len(stripped) > len(text)-size || size == 0 && stripped != text {
			t.Errorf("with %v it became %q", markup.Markers(text), stripped)
		}
		if len(markup.WithoutReasoning(text)) > len(text) {
			t.Errorf("without reasoning it is %q", markup.WithoutReasoning(text))
		}
	})
}
