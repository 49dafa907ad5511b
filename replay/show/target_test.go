package show_test

import (
	"testing"

	"github.com/exodeck/exodeck/replay/show"
)

func TestTarget(t *testing.T) {
	for _, tt := range []struct{ name, target, want string }{
		{"a path", "/v1/models", "/v1/models"},
		{"parameters", "/v1/models?limit=2&page_token=x", "/v1/models?limit=2&page_token=x"},
		{"a credential", "/v1/models?api_key=quay-side-0001&limit=2", "/v1/models?api_key=[credential]&limit=2"},
		{"a fingerprint", "/v1?api_key=%5Bfingerprint%3A0123456789abcdef%5D", "/v1?api_key=%5Bfingerprint%3A0123456789abcdef%5D"},
		{"a credential behind a fingerprint", "/v1?api_key=%5Bfingerprint%3A0123456789abcdef%5Dquay-side", "/v1?api_key=[credential]"},
		{"a placeholder", "/v1?api_key=%5Bredacted%3Aparam%3A1%5D", "/v1?api_key=%5Bredacted%3Aparam%3A1%5D"},
		{"a secret by its form", "/hook/ghp_0123456789abcdefghijABCDEFGHIJ012345", "/hook/[redacted:github-token:1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show.Target(tt.target); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
