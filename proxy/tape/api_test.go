package tape

import "testing"

func TestFamilyOf(t *testing.T) {
	for _, tt := range []struct {
		method, target string
		want           API
	}{
		{"POST", "/v1/chat/completions", OpenAI},
		{"POST", "/bench/chat/completions", OpenAI},
		{"POST", "/ollama/v1/chat/completions", OpenAI},
		{"POST", "/chat/completions", OpenAI},
		{"POST", "/v1/messages", Claude},
		{"POST", "/v1/responses", Responses},
		{"POST", "/ollama/api/chat", Ollama},
		{"POST", "/ollama/api/api/chat", Ollama},
		{"POST", "/ollama/api/v1/chat", Ollama},
		{"POST", "/api/chat", Ollama},
		{"POST", "/ollama/api/generate", OllamaGenerate},
		{"POST", "/ollama/api/api/generate", OllamaGenerate},
		{"POST", "/ollama/api/v1/generate", OllamaGenerate},
		{"POST", "/api/generate", OllamaGenerate},

		// The target may have a query, a fragment, a slash at the end, and scheme and host before it.
		{"POST", "/v1/messages?beta=true", Claude},
		{"POST", "/v1/messages?next=/v1/responses", Claude},
		{"POST", "/v1/messages?next=http://h/state", Claude},
		{"POST", "/v1/messages#top", Claude},
		{"POST", "/v1/messages/", Claude},
		{"POST", "/v1/messages/?beta=true", Claude},
		{"POST", "http://localhost:52415/v1/messages", Claude},
		{"POST", "https://u:p@exo/api/chat?a=b", Ollama},

		// Other methods ask no model, and other paths are other endpoints.
		{"GET", "/v1/chat/completions", Other},
		{"OPTIONS", "/v1/messages", Other},
		{"post", "/v1/messages", Other},
		{"POST", "/v1/messages/count_tokens", Other},
		{"POST", "/v1/messages//", Other},
		{"POST", "/V1/messages", Other},
		{"POST", "/v1/chat/completions2", Other},
		{"POST", "/x/v1/chat/completions", Other},
		{"GET", "/v1/responses/resp_1", Other},

		{"GET", "/node_id", Control},
		{"POST", "/instance", Control},
		{"DELETE", "/instance/abc", Control},
		{"GET", "/instance/placement?model_id=m", Control},
		{"POST", "/place_instance", Control},
		{"GET", "/v1/instance-links", Control},
		{"GET", "/v1/feature-flags", Control},
		{"GET", "/models", Control},
		{"GET", "/models/search?query=q", Control},
		{"GET", "/v1/models", Control},
		{"POST", "/v1/cancel/abc", Control},
		{"GET", "/ollama", Control},
		{"GET", "/ollama/api/tags", Control},
		{"GET", "/ollama/api/chat", Control},
		{"GET", "/state", Control},
		{"GET", "/state/instances/abc", Control},
		{"GET", "http://localhost:52415/state", Control},
		{"GET", "/events", Control},
		{"POST", "/download/start", Control},
		{"GET", "/v1/traces/abc", Control},
		{"GET", "/onboarding", Control},

		{"GET", "/", Other},
		{"GET", "", Other},
		{"OPTIONS", "*", Other},
		{"GET", "http://localhost:52415", Other},
		{"GET", "/instances", Other},
		{"GET", "/statement", Other},
		{"GET", "/v1/modelsx", Other},
		{"GET", "/favicon.ico", Other},
		{"POST", "/v1/images/generations", Other},
	} {
		if got := FamilyOf(tt.method, tt.target); got != tt.want {
			t.Errorf("%s %s is of the family %s, want %s", tt.method, tt.target, got, tt.want)
		}
	}
}

func TestModelFamilies(t *testing.T) {
	model := make(map[API]bool)
	for _, a := range APIs {
		model[a] = true
	}
	for _, a := range []API{OpenAI, Claude, Responses, Ollama, OllamaGenerate, Control, Other, "", "grpc"} {
		if a.Model() != model[a] {
			t.Errorf("%q carries model calls: %v, but APIs lists it: %v", a, a.Model(), model[a])
		}
	}
	if len(model) != 5 || len(APIs) != 5 {
		t.Errorf("%d families carry model calls", len(model))
	}
}
