package redact

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"strings"
	"testing"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGzip: what gzip has packed is searched too, as a body and inside base64; it loses what it holds, and a scan finds it.
func TestGzip(t *testing.T) {
	key := sampleOf("sk-proj-{A:48}", 3)
	file := gzipped(t, `{"note":"the key is `+key+`"}`)
	harmless := gzipped(t, strings.Repeat(`data: {"choices":[{"index":0,"delta":{"content":"tide"}}]}`+"\n\n", 2000))
	b64 := base64.StdEncoding.EncodeToString
	for _, tt := range []struct{ name, body, want string }{
		{"a body", file, "[redacted:gzip:1]"},
		{"behind something", "PK" + harmless + file + "tail", "PK" + harmless + "[redacted:gzip:1]tail"},
		{"broken off", file[:len(file)-9], "[redacted:gzip:1]"},
		{"a data URL", `{"url":"data:application/gzip;base64,` + b64([]byte(file)) + `"}`, `{"url":"data:application/gzip;base64,` + b64([]byte("[redacted:gzip:1]")) + `"}`},
		{"in base64 twice", b64([]byte("x " + b64([]byte(file)))), b64([]byte("x " + b64([]byte("[redacted:gzip:1]"))))},
		{"nothing secret", harmless, harmless},
		{"no gzip", "\x1f\x8b\x08 and nothing more", "\x1f\x8b\x08 and nothing more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			scanner := NewScanner(Rules{})
			if found := scanner.ScanBody([]byte(tt.body), ""); (len(found) > 0) != (tt.body != tt.want) {
				t.Errorf("found %v", found)
			}
			got := redacted(New(Rules{}), tt.body)[0]
			if got != tt.want {
				t.Errorf("redacted as %q, want %q", got, tt.want)
			}
			if found := scanner.ScanBody([]byte(got), ""); len(found) > 0 {
				t.Errorf("still there: %v", found)
			}
		})
	}
	// What is packed in one place is a secret in all others.
	if got := redacted(New(Rules{}), file, "it was "+key)[1]; got != "it was [redacted:openai-key:1]" {
		t.Errorf("elsewhere: %s", got)
	}
}

// TestGzipBomb: a file that unpacks to too much counts as a secret, and many files are not unpacked without end.
func TestGzipBomb(t *testing.T) {
	size := maxUnpacked + 1
	if raceDetector {
		size = maxUnspent * 3 / 2 // which is more than the text of the bomb allows, too
	}
	bomb := gzipped(t, strings.Repeat(" ", size))
	found := NewScanner(Rules{}).Scan([]byte(bomb), 1)
	if len(found) != 1 || found[0].Kind != "gzip" || found[0].Offset != 0 || found[0].Via[0] != "too large to search" {
		t.Errorf("found %v", found)
	}
	r := New(Rules{})
	if got := redacted(r, bomb)[0]; got != "[redacted:gzip:1]" {
		t.Errorf("redacted as %.40q", got)
	}
	if r.Secrets() != 0 || r.Files() != 1 {
		t.Errorf("%d secrets, %d files, want no secret and one file", r.Secrets(), r.Files())
	}
	small := gzipped(t, strings.Repeat("0", 1<<20))
	r = New(Rules{})
	r.mode, r.unspent = scanning, 10<<20
	if edits := r.packed([]byte(strings.Repeat(small, 10)), 0); len(edits) != 0 {
		t.Errorf("what may be unpacked was not: %v", edits)
	}
	if edits := r.packed([]byte(small), 0); len(edits) != 1 {
		t.Error("more was unpacked than there was to spend")
	}
	if r.allow([]byte(small)); r.unspent != maxUnspent+ratio*len(small) {
		t.Errorf("%d bytes may be unpacked", r.unspent)
	}
}

// TestGzipEach: how much a file unpacks to is held against the text it stands in, not against those that were searched before.
func TestGzipEach(t *testing.T) {
	file := gzipped(t, strings.Repeat(" ", 12<<20))
	bodies := make([]string, 9)
	if raceDetector {
		bodies = bodies[:2] // more than may be unpacked of one text
	}
	for i := range bodies {
		bodies[i] = file
	}
	scanner := NewScanner(Rules{})
	for i, got := range redacted(New(Rules{}), bodies...) {
		if got != file {
			t.Errorf("file %d, which holds no secret, became %.40q", i+1, got)
		}
		if found := scanner.Scan([]byte(file), 1); len(found) > 0 {
			t.Errorf("file %d: found %v", i+1, found)
		}
	}
}

// TestGzipCount: a file counts apart from the secrets that are in it.
func TestGzipCount(t *testing.T) {
	key := sampleOf("sk-proj-{A:48}", 3)
	one := gzipped(t, "the key is "+key)
	both := gzipped(t, "the keys are "+key+" and "+sampleOf("sk-proj-{A:48}", 4))
	for _, tt := range []struct {
		name           string
		bodies         []string
		secrets, files int
	}{
		{"a file with one secret", []string{one}, 1, 1},
		{"twice the same file", []string{one, one}, 1, 1},
		{"the secret elsewhere too", []string{one, key}, 1, 1},
		{"two files, one secret in both", []string{one, both}, 2, 2},
		{"in base64", []string{base64.StdEncoding.EncodeToString([]byte(one))}, 1, 1},
		{"no file", []string{key}, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New(Rules{})
			redacted(r, tt.bodies...)
			if r.Secrets() != tt.secrets || r.Files() != tt.files {
				t.Errorf("%d secrets and %d files, want %d and %d", r.Secrets(), r.Files(), tt.secrets, tt.files)
			}
		})
	}
}
