package tape

import "testing"

func TestFamilyOf(t *testing.T) {
	for _, test := range []struct {
		method, target string
		want           API
	}{
		{"POST", "/v1/chat/completions", OpenAI},
		{"POST", "/v1/chat/completions/", OpenAI},
		{"POST", "/v1/chat/completions?beta=true#x", OpenAI},
		{"POST", "http://localhost:52415/v1/chat/completions", OpenAI},
		{"POST", "/bench/chat/completions", OpenAI},
		{"POST", "/ollama/v1/chat/completions", OpenAI},
		{"GET", "/v1/chat/completions", Other},
		{"POST", "/v1/messages", Claude},
		{"POST", "/v1/messages/count_tokens", Other},
		{"POST", "/v1/responses", Responses},
		{"POST", "/ollama/api/chat", Ollama},
		{"POST", "/api/chat", Ollama},
		{"POST", "/ollama/api/generate", OllamaGenerate},
		{"GET", "/ollama/api/tags", Control},
		{"GET", "/v1/models", Control},
		{"GET", "/models", Control},
		{"GET", "/modelsx", Other},
		{"GET", "/state", Control},
		{"DELETE", "/instance/7", Control},
		{"GET", "http://localhost", Other},
		{"GET", "/", Other},
		{"OPTIONS", "*", Other},
		{"GET", "", Other},
	} {
		if got := FamilyOf(test.method, test.target); got != test.want {
			t.Errorf("%s %s is %q, want %q", test.method, test.target, got, test.want)
		}
	}
	for _, a := range APIs {
		if !a.Model() {
			t.Errorf("%s carries no model calls", a)
		}
	}
	if Control.Model() || Other.Model() {
		t.Error("control calls count as model calls")
	}
}
