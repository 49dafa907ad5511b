package proxy

import (
	"net/url"
	"testing"
)

// TestLeadsTo asks for what would have a proxy stand in front of itself: one request became ten thousand.
func TestLeadsTo(t *testing.T) {
	for _, tt := range []struct {
		listen, upstream string
		want             bool
	}{
		{"127.0.0.1:52416", "http://127.0.0.1:52416", true},
		{"127.0.0.1:52416", "http://localhost:52416", true},
		{"localhost:52416", "http://LOCALHOST:52416/base", true},
		{"localhost:52416", "http://[::1]:52416", true},
		{"0.0.0.0:52416", "http://localhost:52416", true},
		{":52416", "http://127.0.0.1:52416", true},
		{"exo.local:80", "http://exo.local", true},
		{"127.0.0.1:443", "https://localhost", true},
		{"127.0.0.1:52416", "http://localhost:52415", false},
		{"127.0.0.1:80", "https://localhost", false},
		{"127.0.0.1:52416", "http://exo.local:52416", false},
		{"0.0.0.0:52416", "http://exo.local:52416", false},
		{"192.0.2.1:52416", "http://localhost:52416", false},
	} {
		u, err := url.Parse(tt.upstream)
		if err != nil {
			t.Fatal(err)
		}
		if got := LeadsTo(u, tt.listen); got != tt.want {
			t.Errorf("%s leads to %s: %v", tt.upstream, tt.listen, got)
		}
	}
}
