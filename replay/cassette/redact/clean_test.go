package redact

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

// TestCleanNoMore: a text in which nothing was found is searched again once a secret is known that it may hold.
func TestCleanNoMore(t *testing.T) {
	const secret = "harbour-light-of-Staithes"
	for _, tt := range []struct {
		name, text string
	}{
		{"as it is", "the word is " + secret},
		{"in a run of base64", "the word is " + base64.StdEncoding.EncodeToString([]byte(secret))},
		{"behind percent signs", "the word is harbour%2Dlight%2Dof%2DStaithes"},
	} {
		tell := func(r *Redactor) { r.Header(http.Header{"Authorization": {"Bearer " + secret}}) }
		t.Run(tt.name+", learned", func(t *testing.T) {
			r := New(Rules{})
			if got := r.String(tt.text); got != tt.text {
				t.Fatalf("%q, and nothing is known yet", got)
			}
			tell(r)
			r.Learned()
			if got := r.String(tt.text); got == tt.text {
				t.Error("the secret is left in")
			}
		})
		t.Run(tt.name+", met later", func(t *testing.T) {
			r := New(Rules{})
			r.Learned()
			r.String(tt.text)
			tell(r)
			if got := r.String(tt.text); got == tt.text {
				t.Error("the secret is left in")
			}
		})
	}
}

// TestCleanBounded: what is remembered is no more than is said, however much there is.
func TestCleanBounded(t *testing.T) {
	var c clean
	long := []byte(strings.Repeat("a", maxCleanText+1))
	c.add("", nesting, long)
	if c.has("", nesting, long) {
		t.Error("a long text is remembered")
	}
	for i := range 3 * maxClean {
		text := []byte{byte(i), byte(i >> 8), byte(i >> 16)}
		if c.add("", nesting, text); !c.has("", nesting, text) {
			t.Fatalf("text %d is not remembered", i)
		}
	}
	if len(c) > maxClean {
		t.Errorf("%d texts are remembered, at most %d should be", len(c), maxClean)
	}
}
