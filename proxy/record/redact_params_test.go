package record_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
)

// TestSaid: the URLs that errors and headers tell of hold no credentials.
func TestSaid(t *testing.T) {
	r := &record.Redactor{Key: []byte("k")}
	mark := func(value string) string { return url.QueryEscape(r.Fingerprint(value)) }
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "dial tcp 127.0.0.1:1: connect: connection refused", "dial tcp 127.0.0.1:1: connect: connection refused"},
		{"a parameter", `Post "http://exo/v1?a=1&api%5Fkey=quay-side-0001": EOF`, `Post "http://exo/v1?a=1&api%5Fkey=` + mark("quay-side-0001") + `": EOF`},
		{"a fragment", "/back#access_token=quay-side-0001&state=harbour-01", "/back#access_token=" + mark("quay-side-0001") + "&state=harbour-01"},
		{"user information", `Get "http://reader:quay-side-0001@exo/": EOF`, `Get "http://exo/": EOF`},
		{"an address", "mail reader@exo.example", "mail reader@exo.example"},
		{"a short one", "/?key=tide", "/?key=tide"},
		{"another parameter", "/?max_tokens=100000000&page_token=abcdefghij", "/?max_tokens=100000000&page_token=abcdefghij"},
		{"a type", "text/html; charset=utf-8;token", "text/html; charset=utf-8;token"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.Said(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	got := r.Header(http.Header{"Location": {"/back?code=quay-side-0001"}, "X-Note": {"/back?code=quay-side-0001"}})
	if diff := cmp.Diff(http.Header{"Location": {"/back?code=" + mark("quay-side-0001")}, "X-Note": {"/back?code=quay-side-0001"}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestStandIns: what stands for a credential already has no fingerprint of its own.
func TestStandIns(t *testing.T) {
	r := &record.Redactor{Key: []byte("k")}
	for _, standIn := range []string{r.Fingerprint("quay-side-0001"), "[redacted:header:12]"} {
		encoded := url.QueryEscape(standIn)
		h := http.Header{"Authorization": {"Bearer " + standIn}, "Cookie": {standIn}, "Location": {"/?code=" + encoded}}
		if diff := cmp.Diff(h, r.Header(h)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		for _, target := range []string{"/v1?api_key=" + encoded, "/v1?api_key=" + standIn} {
			if got := r.URL(target); got != target {
				t.Errorf("%s became %s", target, got)
			}
			labels := map[string]string{"as-sent": encoded, "plain": standIn}
			if diff := cmp.Diff(labels, r.Labels(labels, h, target)); diff != "" {
				t.Errorf("labels (-want +got)\n%s", diff)
			}
		}
		for _, said := range []string{"Get http://reader:" + standIn + "@exo/: EOF", "Get /?key=" + encoded + ": EOF"} {
			if got := r.Said(said); got != said {
				t.Errorf("%s became %s", said, got)
			}
		}
	}
	for _, value := range []string{"[fingerprint:none]", "[redacted:header:1] and more", "x[redacted:header:1]"} {
		if got := r.Header(http.Header{"Cookie": {value}}).Get("Cookie"); got != r.Fingerprint(value) {
			t.Errorf("%s became %s", value, got)
		}
	}
}
