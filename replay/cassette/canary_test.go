package cassette_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// canary is a secret of one kind: a text that holds it, and what of the text must not be seen.
type canary struct{ kind, text, secret string }

var hole = regexp.MustCompile(`\{([aAxd]):([0-9]+)\}`)

// canaries are secrets of all kinds that patterns tell, made by seed.
func canaries(seed uint64) []canary {
	rng := rand.New(rand.NewPCG(seed, 7))
	alphabets := map[string]string{"a": "abcdefghijklmnopqrstuvwxyz0123456789", "x": "0123456789abcdef", "d": "123456789",
		"A": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"}
	var all []canary
	for _, p := range redact.Patterns() {
		if strings.HasPrefix(p.Kind, "ip") {
			continue // there are others in a recording
		}
		text := hole.ReplaceAllStringFunc(p.Sample, func(h string) string {
			m := hole.FindStringSubmatch(h)
			n, _ := strconv.Atoi(m[2])
			b := make([]byte, n)
			for i := range b {
				b[i] = alphabets[m[1]][rng.IntN(len(alphabets[m[1]]))]
			}
			b[n/2] = alphabets[m[1]][len(alphabets[m[1]])-1]
			return string(b)
		})
		re := regexp.MustCompile(p.Regexp)
		m := re.FindStringSubmatch(text)
		secret := m[max(0, re.SubexpIndex("secret"))]
		all = append(all, canary{p.Kind, text, secret})
	}
	return all
}

// few are the secrets that a test plants: some under the race detector, else all.
func few(all []canary) []canary {
	if raceDetector {
		return all[:10]
	}
	return all
}

// forms are ways of writing a text, made without the code under test. The first is the text itself.
func forms(s string) []string {
	var unicode, upper, percent strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&unicode, `\u%04x`, c)
		fmt.Fprintf(&upper, `\u%04X`, c)
		fmt.Fprintf(&percent, "%%%02X", c)
	}
	quoted, _ := json.Marshal(s)
	return []string{s, string(quoted[1 : len(quoted)-1]), unicode.String(), upper.String(), url.QueryEscape(s), percent.String(), strings.ToLower(percent.String()),
		hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s)))}
}

var base64s = []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.RawURLEncoding}

// written are ways of writing a text inside of others, base64 at every alignment included.
func written(s string) []string {
	all := forms(s)
	for _, lead := range []string{"", "x", "xy"} {
		for _, encoding := range base64s {
			all = append(all, encoding.EncodeToString([]byte(lead+s+" y")))
		}
	}
	return all
}

// traces are what every way of writing leaves of a text, whatever stands around it.
func traces(s string) []string {
	all := forms(s)
	for lead := range 3 {
		for _, encoding := range base64s[1:] {
			all = append(all, encoding.EncodeToString([]byte(strings.Repeat("x", lead) + s))[(lead*8+5)/6:(lead+len(s))*8/6])
		}
	}
	return all
}

// TestCanary plants a secret of every kind in every place of a recording, and looks for it in the export, decoded in every way.
func TestCanary(t *testing.T) {
	all := canaries(1)
	if len(all) < 40 {
		t.Fatalf("%d kinds of secrets, want 40", len(all))
	}
	all = few(all)
	var session recordedSession
	session.Session = tape.Session{Name: "s", Upstream: "http://user:" + all[0].secret + "@up", Labels: map[string]string{"note": all[1].text}}
	for i, c := range all {
		session.exchanges = append(session.exchanges, planted(c, i)...)
	}
	path := filepath.Join(t.TempDir(), "canary.tape")
	if err := record(t.Context(), path, []recordedSession{session}); err != nil {
		t.Fatal(err)
	}
	src := open(t, path)
	defer src.Close()
	whole := export(t, src)
	for _, c := range all {
		if !bytes.Contains(whole, []byte(c.secret)) && !bytes.Contains(whole, []byte(forms(c.secret)[1])) {
			t.Errorf("the secret %s was not planted", c.kind)
		}
	}
	var out bytes.Buffer
	done, err := cassette.Export(t.Context(), &out, src, cassette.ExportOptions{Redact: &redact.Rules{PII: true}})
	if err != nil {
		t.Fatal(err)
	}
	if done.Exchanges != len(session.exchanges) {
		t.Errorf("%d exchanges were exported of %d", done.Exchanges, len(session.exchanges))
	}
	texts := map[string]string{"file": out.String(), "decoded": decoded(t, out.Bytes())}
	for _, c := range all {
		for i, form := range traces(c.secret) {
			for j, twice := range traces(form) {
				for name, text := range texts {
					if at := strings.Index(text, twice); at >= 0 {
						t.Errorf("the secret %s is in the %s, form %d of form %d: …%.200q", c.kind, name, j, i, text[max(0, at-60):])
					}
				}
			}
		}
	}
	problems, err := cassette.Verify(t.Context(), bytes.NewReader(out.Bytes()), redact.Rules{})
	if err != nil || len(problems) > 0 {
		t.Errorf("verify: %v, %v", problems, err)
	}
	// And what was not redacted does not pass.
	lines := strings.SplitAfter(string(whole), "\n")[2:]
	for i, c := range all {
		problems, err := cassette.Verify(t.Context(), strings.NewReader(lines[2*i]), redact.Rules{PII: true})
		if err != nil || !slices.ContainsFunc(problems, func(p cassette.Problem) bool { return strings.HasPrefix(p.What, c.kind+" ") }) {
			t.Errorf("verify does not see the %s: %v, %v", c.kind, problems, err)
		}
	}
}

// decoded are all strings in lines of JSON, one after the other.
func decoded(t *testing.T, lines []byte) string {
	t.Helper()
	var b strings.Builder
	for line := range bytes.Lines(lines) {
		var v any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		stringsOf(v, &b)
	}
	return b.String()
}

// stringsOf gathers all strings of a JSON value, decoded, and what the texts in event streams add up to.
func stringsOf(v any, b *strings.Builder) {
	switch v := v.(type) {
	case string:
		b.WriteString(v + "\n")
		if data, err := base64.StdEncoding.DecodeString(v); err == nil {
			b.Write(data)
		}
		for event := range strings.SplitSeq(v, "\n\n") {
			var chunk struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			data, ok := strings.CutPrefix(event, "data: ")
			if ok && json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 {
				b.WriteString(chunk.Choices[0].Delta.Content)
			}
		}
	case []any:
		for _, e := range v {
			stringsOf(e, b)
		}
	case map[string]any:
		for k, e := range v {
			b.WriteString(k + "\n")
			stringsOf(e, b)
		}
	}
}

// planted are exchanges that hold a secret in every place and every way of writing.
func planted(c canary, n int) []recordedExchange {
	quoted := forms(c.text)[1]
	var nested []string
	for i, form := range written(c.text) {
		nested = append(nested, form)
		inner := written(form)
		nested = append(nested, inner[(i+n)%len(inner)], inner[(3*i+n+1)%len(inner)])
	}
	list, _ := json.Marshal(nested)
	x := recordedExchange{
		Start: tape.Start{
			Started: time.Unix(int64(n), 0), Upstream: "http://up", Method: "POST", URL: "/v1/chat/completions?q=" + url.QueryEscape(c.text) + "&api_key=" + url.QueryEscape(c.secret), Host: "h",
			Header: http.Header{"X-Note": {"see " + c.text}, "X-Api-Key": {c.secret}, "Content-Type": {"application/json"}},
			Labels: map[string]string{"note": c.text},
		},
		request: []byte(`{"model":"m","messages":[{"role":"user","content":"use ` + quoted + `"},{"role":"assistant","tool_calls":[{"function":{"arguments":"{\"key\":\"` + forms(quoted)[1] +
			`\"}"}}]}],"all":` + string(list) + `,"` + quoted + `":1}`),
		requestTrailer: http.Header{"X-Trailer": {c.text}},
		status:         200, header: http.Header{"Content-Type": {"text/event-stream"}, "X-Note": {c.text}, "Content-Encoding": {"gzip"}}, responseTrailer: http.Header{"X-Trailer": {c.text}},
		ended: tape.UpstreamTruncated, cause: "said " + c.text,
	}
	var stream strings.Builder
	for rest := "use " + c.text + "."; rest != ""; {
		size := min(len(rest), 7)
		delta, _ := json.Marshal(rest[:size])
		fmt.Fprintf(&stream, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", delta)
		rest = rest[size:]
	}
	coded := gzipped([]byte(stream.String()))
	x.pieces, x.at = [][]byte{coded[:10], coded[10:]}, []time.Duration{time.Millisecond, time.Second}
	x.total = time.Second
	binary := recordedExchange{
		Start:  tape.Start{Started: time.Unix(int64(n), 1), Upstream: "http://up", Method: "GET", URL: "/" + url.PathEscape(c.text)},
		status: 200, header: http.Header{}, pieces: [][]byte{[]byte("\xff\xfe " + c.text + " \x00")}, at: []time.Duration{1}, ended: tape.Complete,
	}
	return []recordedExchange{x, binary}
}

// TestRedactedLaw: a redacted export comes back byte for byte too, and redacting it again changes nothing.
func TestRedactedLaw(t *testing.T) {
	var session recordedSession
	session.Name, session.Upstream = "s", "http://up"
	for i, c := range few(canaries(2)) {
		session.exchanges = append(session.exchanges, planted(c, i)[:1+i%2]...)
	}
	members := planted(canaries(2)[0], 99)[0]
	members.request = []byte(`{"model":"m", "password":"quay-side-0001","metadata":{"client_secret":"ebb \"and\" flow"},"messages":[{"content":"not quay-side-0001"}]}`)
	session.exchanges = append(session.exchanges, members)
	dir := t.TempDir()
	if err := record(t.Context(), filepath.Join(dir, "a.tape"), []recordedSession{session}); err != nil {
		t.Fatal(err)
	}
	options := cassette.ExportOptions{Fallback: "law", Redact: &redact.Rules{PII: true}}
	export := func(src cassette.Source) string {
		t.Helper()
		var b bytes.Buffer
		if _, err := cassette.Export(context.WithoutCancel(t.Context()), &b, src, options); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	src := open(t, filepath.Join(dir, "a.tape"))
	defer src.Close()
	first := export(src)
	for _, secret := range []string{"quay-side-0001", "ebb"} {
		if strings.Contains(first, secret) {
			t.Errorf("%s of a member is in the export", secret)
		}
	}
	c, err := cassette.Read(strings.NewReader(first), "first")
	if err != nil {
		t.Fatal(err)
	}
	again, _ := imported(t, c)
	for name, got := range map[string]string{"from the cassette": export(c), "from the tape": export(again)} {
		if got != first {
			a, b := strings.Split(first, "\n"), strings.Split(got, "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Errorf("%s, line %d:\n%.3000s\n%.3000s", name, i+1, a[i], b[i])
					break
				}
			}
		}
	}
}
