package redact

import "testing"

// TestSaid: of a text that tells of a URL, the value of a parameter is taken out and nothing behind it; a placeholder stays.
func TestSaid(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"GET /v1?api_key=quay-side-01: EOF", "GET /v1?api_key=%5Bredacted%3Aparam%3A1%5D: EOF"},
		{"(see /v1?api_key=quay-side-01).", "(see /v1?api_key=%5Bredacted%3Aparam%3A1%5D)."},
		{"GET /v1?api_key=%5Bfingerprint%3A0123456789abcdef%5D: EOF", "GET /v1?api_key=%5Bredacted%3Aparam%3A1%5D: EOF"},
		{"GET /v1?api_key=%5Bredacted%3Aparam%3A7%5D: EOF", "GET /v1?api_key=%5Bredacted%3Aparam%3A7%5D: EOF"},
		{"is it /v1?api_key=... that fails?", "is it /v1?api_key=... that fails?"},
	} {
		r := New(Rules{})
		r.Said(tt.text)
		r.Learned()
		if got := r.Said(tt.text); got != tt.want {
			t.Errorf("%q became %q, want %q", tt.text, got, tt.want)
		}
	}
}
