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

func TestStrip(t *testing.T) {
	for text, want := range map[string]string{
		"get_tide": "get_tide", "<function=get_tide": "get_tide", "get_<|channel|>tide<|end|>": "get_tide", "a<b": "a<b", "<": "<",
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
		{"span before a fence", "`a`\n```\nb\n```\n`c` d", "   \n   \n \n   \n    d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := markup.OutsideCode(tt.text); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func FuzzOutsideCode(f *testing.F) {
	f.Add("a `b` \n```\nc\n```\n~~~ d")
	f.Fuzz(func(t *testing.T, text string) {
		masked := markup.OutsideCode(text)
		if len(masked) != len(text) {
			t.Fatalf("%d bytes became %d", len(text), len(masked))
		}
		for i := range masked {
			if masked[i] != text[i] && masked[i] != ' ' {
				t.Fatalf("byte %d is %q, was %q", i, masked[i], text[i])
			}
		}
		for _, m := range markup.Markers(text) {
			if m.Offset > len(text) {
				t.Fatalf("%+v is outside", m)
			}
		}
	})
}
