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

// TestCleanPacked: whether a packed file may be unpacked depends on the text it stands in, whatever was searched before.
func TestCleanPacked(t *testing.T) {
	small := base64.StdEncoding.EncodeToString([]byte(gzipped(t, "low water")))
	if len(small) > maxCleanText {
		t.Fatalf("%d bytes are not remembered", len(small))
	}
	text := base64.StdEncoding.EncodeToString([]byte(gzipped(t, strings.Repeat(" ", 2*maxUnspent)))) + " " + small
	fresh, used := New(Rules{}), New(Rules{})
	used.String(small)
	if got, want := used.String(text), fresh.String(text); got != want {
		t.Errorf("after it was seen alone the file became %q, else %q", got, want)
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
