package cassette_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/match"
)

// handWritten has a credential in every place that a recorder keeps them out of.
const handWritten = `{"session":"s1","upstream":"http://reader:lock-gate-0002@exo:52415"}` + "\n" +
	`{"session":"s1","upstream":"http://reader:lock-gate-0002@exo:52415","request":{"method":"POST","url":"/v1/chat/completions?api_key=quay-side-0001&when=noon",` +
	`"headers":{"authorization":"Bearer quay-side-0001","Cookie":["theme=dark; session=lock-gate-0002"],"X-Exodeck-Label":["who=quay-side-0001","sample=tide"],"Accept":"*/*"},` +
	`"body":{"model":"m","messages":[{"role":"user","content":"Is it high tide?"}]},"trailers":{"X-Api-Key":"quay-side-0001"}},` +
	`"response":{"status":200,"headers":{"Set-Cookie":"session=lock-gate-0002","location":"http://reader:lock-gate-0002@exo/?token=quay-side-0001"},"body":{"answer":1},` +
	`"trailers":{"X-Auth-Token":"quay-side-0001"}},"ended":"upstream_truncated","cause":"Get \"http://reader:lock-gate-0002@exo/?key=quay-side-0001\": EOF","labels":{"note":"of quay-side-0001"}}` + "\n"

// imported puts a cassette on a new tape and opens that, until the test ends. It returns the path too.
func imported(t testing.TB, c *cassette.Cassette) (src cassette.Source, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "imported.tape")
	if err := cassette.Import(t.Context(), c, path, decktest.Redactor()); err != nil {
		t.Fatalf("importing: %v", err)
	}
	src = open(t, path)
	t.Cleanup(func() { src.Close() })
	return src, path
}

// importText puts a cassette on a new tape and opens it.
func importText(t *testing.T, text string) cassette.Source {
	t.Helper()
	c, err := cassette.Read(strings.NewReader(text), "x.cassette.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	src, path := imported(t, c)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"quay-side-0001", "lock-gate-0002"} {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s is on the tape", secret)
		}
	}
	return src
}

// TestImportCredentials: of a cassette that somebody wrote, a tape holds what a recorder would have kept, and answers who has the key.
func TestImportCredentials(t *testing.T) {
	src := importText(t, handWritten)
	mark := decktest.Redactor().Fingerprint
	inURL := func(value string) string { return url.QueryEscape(mark(value)) }
	for x, err := range src.Exchanges(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		type facts struct {
			Upstream, URL, Cause               string
			Request, Trailer, Response, Behind http.Header
			Labels                             map[string]string
		}
		want := facts{
			Upstream: "http://exo:52415",
			URL:      "/v1/chat/completions?api_key=" + inURL("quay-side-0001") + "&when=noon",
			Cause:    `Get "http://exo/?key=` + inURL("quay-side-0001") + `": EOF`,
			Request: http.Header{
				"Authorization": {"Bearer " + mark("quay-side-0001")}, "Cookie": {mark("theme=dark; session=lock-gate-0002")}, "Accept": {"*/*"},
			},
			Trailer:  http.Header{"X-Api-Key": {mark("quay-side-0001")}},
			Response: http.Header{"Set-Cookie": {mark("session=lock-gate-0002")}, "Location": {"http://exo/?token=" + inURL("quay-side-0001")}},
			Behind:   http.Header{"X-Auth-Token": {mark("quay-side-0001")}},
			Labels:   map[string]string{"who": mark("quay-side-0001"), "sample": "tide", "note": "of " + mark("quay-side-0001")},
		}
		got := facts{x.Upstream, x.Request.URL, x.Cause, x.Request.Header, x.Request.Trailer, x.Response.Header, x.Response.Trailer, x.Labels}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	transport, err := replay.NewTransport(t.Context(), src, match.Default())
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://exo/v1/chat/completions?api_key=quay-side-0001&when=noon",
		strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"Is it high tide?"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer quay-side-0001")
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body) // which breaks off, as it did when it was recorded
	if report := transport.Report(); string(answer) != `{"answer":1}` || report.Answered(match.Exact) != 1 {
		t.Errorf("got %s, %v", answer, report)
	}
}

// TestImportStandIns: what stands for a credential stays as it is, so that exports come back byte for byte.
func TestImportStandIns(t *testing.T) {
	const standIns = `{"session":"s1","started":"2026-01-01T00:00:00Z","request":{"method":"GET","url":"/state?api_key=%5Bredacted%3Aparam%3A1%5D&sig=%5Bfingerprint%3A0123456789abcdef%5D",` +
		`"headers":{"Authorization":["Bearer [redacted:header:1]"],"Cookie":["[redacted:header:2]"],"X-Api-Key":["[fingerprint:0123456789abcdef]"]}},` +
		`"response":{"status":302,"headers":{"Location":["/?code=%5Bredacted%3Aparam%3A1%5D"]}},"ended":"upstream_truncated",` +
		`"cause":"Get \"http://reader:[redacted:password-in-url:1]@exo/?key=%5Bredacted%3Aparam%3A1%5D\": EOF",` +
		`"labels":{"again":"%5Bfingerprint%3A0123456789abcdef%5D","note":"[redacted:header:2] [fingerprint:0123456789abcdef]"}}` + "\n"
	c, err := cassette.Read(strings.NewReader(standIns), "x.cassette.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	first := export(t, c)
	if again := export(t, importText(t, string(first))); !bytes.Equal(first, again) {
		t.Errorf("came back as\n%s\nwas\n%s", again, first)
	}
}
