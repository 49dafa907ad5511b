package tape

import "strings"

// API is the family an endpoint belongs to, told from method and path alone.
type API string

const (
	OpenAI         API = "openai"          // Chat Completions, also under /bench and /ollama/v1
	Claude         API = "claude"          // Claude Messages
	Responses      API = "responses"       // OpenAI Responses
	Ollama         API = "ollama"          // Ollama chat
	OllamaGenerate API = "ollama-generate" // Ollama generate
	Control        API = "control"         // exo's own endpoints: models, instances, state, downloads …
	Other          API = "other"           // anything else
)

// APIs lists the families that carry model calls, in the order reports use.
var APIs = []API{OpenAI, Claude, Responses, Ollama, OllamaGenerate}

// Model reports whether the family carries model calls.
func (a API) Model() bool {
	switch a {
	case OpenAI, Claude, Responses, Ollama, OllamaGenerate:
		return true
	}
	return false
}

// FamilyOf tells the API family of a request from its method and path (or whole request target). Model
// calls are POSTs; the Ollama routes exist under several prefixes (exo's API table).
func FamilyOf(method, target string) API {
	path := target
	if i := strings.Index(path, "://"); i >= 0 && path[0] != '/' {
		path = path[i+3:]
		if j := strings.IndexByte(path, '/'); j >= 0 {
			path = path[j:]
		} else {
			path = "/"
		}
	}
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	if method == "POST" {
		switch path {
		case "/v1/chat/completions", "/bench/chat/completions", "/ollama/v1/chat/completions", "/chat/completions":
			return OpenAI
		case "/v1/messages":
			return Claude
		case "/v1/responses":
			return Responses
		case "/ollama/api/chat", "/ollama/api/api/chat", "/ollama/api/v1/chat", "/api/chat":
			return Ollama
		case "/ollama/api/generate", "/ollama/api/api/generate", "/ollama/api/v1/generate", "/api/generate":
			return OllamaGenerate
		}
	}
	for _, p := range controlPrefixes {
		if path == p || strings.HasPrefix(path, p+"/") {
			return Control
		}
	}
	return Other
}

var controlPrefixes = []string{
	"/node_id", "/instance", "/place_instance", "/v1/instance-links", "/v1/feature-flags", "/models", "/v1/models",
	"/v1/cancel", "/ollama", "/state", "/events", "/download", "/v1/traces", "/onboarding",
}
