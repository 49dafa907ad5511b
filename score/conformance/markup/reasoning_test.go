package markup_test

import (
	"testing"

	"github.com/exodeck/exodeck/score/conformance/markup"
)

func TestWithoutReasoning(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"none", "At noon.", "At noon."},
		{"nothing", "", ""},
		{"a block", "<think>Noon?</think>[f(a=1)]", "[f(a=1)]"},
		{"several", "a <think>b</think> c <think>d</think>e", "a  c e"},
		{"no beginning", "I look at f [1].\n</think>\n\n[f(a=1)]", "\n\n[f(a=1)]"},
		{"no beginning, behind a block", "a <think>b</think> c </think>d", "d"},
		{"no end", "<think>Noon [f(a=1)]", "<think>Noon [f(a=1)]"},
		{"twice begun", "<think>a<think>b</think>c", "c"},
		{"Hunyuan", "<think:opensource>b</think:opensource>c", "c"},
		{"LongCat", "<longcat_think>b</longcat_think>c", "c"},
		{"Seed", "<seed:think>b</seed:think>c", "c"},
		{"MiniMax", "<mm:think>b</mm:think>c", "c"},
		{"Mistral", "[THINK]b[/THINK]c", "c"},
		{"Kimi", "◁think▷b◁/think▷c", "c"},
		{"Kimi K3", "<|open|>think<|sep|>b<|close|>think<|sep|>c", "c"},
		{"Gemma", "<|channel>thought\nb<channel|>c", "c"},
		{"Command", "<|START_THINKING|>b<|END_THINKING|>c", "c"},
		{"MiniCPM", "<|thought_start|>b<|thought_end|>c", "c"},
		{"OpenPangu", "[unused16]b[unused17]c", "c"},
		{"harmony", "<|channel|>analysis<|message|>b<|end|><|start|>assistant<|channel|>final<|message|>c", "c"},
		{"harmony's last channel", "<|channel|>final<|message|>b<|end|><|channel|>final<|message|>c", "c"},
		{"harmony without an answer", "<|channel|>analysis<|message|>b<|end|>", "<|channel|>analysis<|message|>b<|end|>"},
		{"harmony without tokens", "analysisEasy.assistantfinalc", "c"},
		{"a call of harmony without tokens", "analysisEasy.assistantcommentary to=functions.f{}", "analysisEasy.assistantcommentary to=functions.f{}"},
		{"a word", "The word assistantfinal is glued.", "The word assistantfinal is glued."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := markup.WithoutReasoning(tt.text); got != tt.want {
				t.Errorf("%q is without reasoning %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}
