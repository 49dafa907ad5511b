package wire_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/google/go-cmp/cmp"
)

// vector is one file of golden/exo/wire: a body made by exo's own adapters with its right reading.
type vector struct {
	Name       string
	API        string         `json:"api"`
	Stream     bool           `json:"stream"`
	Endpoint   string         `json:"endpoint"`
	Raw        string         `json:"raw"`
	Raises     *string        `json:"raises"`
	Normalized map[string]any `json:"normalized"`
}

func (v *vector) api() tape.API {
	if strings.Contains(v.Endpoint, "generate") {
		return tape.OllamaGenerate
	}
	return tape.API(v.API)
}

// vectors returns all files of golden/exo/wire.
func vectors(t testing.TB) []vector {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "golden", "exo", "wire"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v := vector{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, v)
	}
	return all
}

// parse reads a body and returns the answer with its normal form decoded.
func parse(t testing.TB, api tape.API, stream bool, body string) (*wire.Answer, map[string]any) {
	t.Helper()
	a, err := wire.ParseResponse(api, stream, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return a, normalized(t, a)
}

func normalized(t testing.TB, a *wire.Answer) map[string]any {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(a.Normalized(), &got); err != nil {
		t.Fatalf("the normal form is not JSON: %v\n%s", err, a.Normalized())
	}
	return got
}

func TestVectors(t *testing.T) {
	all := vectors(t)
	if len(all) != 632 {
		t.Errorf("%d vectors, want 632", len(all))
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			a, got := parse(t, v.api(), v.Stream, v.Raw)
			if v.Raises != nil {
				// What the server raised is not on the wire: what came is a body of no bytes.
				wantKind := "exception"
				if v.Stream {
					wantKind = ""
				}
				kind := ""
				if e, ok := got["error"].(map[string]any); ok {
					kind = e["kind"].(string)
				}
				if v.Raw != "" || kind != wantKind {
					t.Errorf("error kind %q of a body of %d bytes, want %q of none", kind, len(v.Raw), wantKind)
				}
				got["error"] = v.Normalized["error"]
			}
			if diff := cmp.Diff(v.Normalized, got); diff != "" {
				t.Errorf("normal form (-want +got):\n%s", diff)
			}
			if len(a.Unknown) > 0 || len(a.Malformed) > 0 {
				t.Errorf("unknown %+v, malformed %+v", a.Unknown, a.Malformed)
			}
			if a.Size != int64(len(v.Raw)) {
				t.Errorf("size %d of %d bytes", a.Size, len(v.Raw))
			}
			if streamed := wire.Streamed(v.api(), contentType(&v), []byte(v.Raw)); streamed != v.Stream {
				t.Errorf("Streamed is %v", streamed)
			}
		})
	}
}

func contentType(v *vector) string {
	switch {
	case !v.Stream:
		return "application/json"
	case v.API == "ollama":
		return "application/x-ndjson"
	}
	return "text/event-stream; charset=utf-8"
}

// TestVectorsAnySplit is the law that a verdict does not move when the same bytes arrive cut differently.
func TestVectorsAnySplit(t *testing.T) {
	n := 0
	for _, v := range vectors(t) {
		if v.Stream {
			n++
			checkSplits(t, v.Name, v.api(), []byte(v.Raw))
		}
	}
	if n != 316 {
		t.Errorf("%d streams, want 316", n)
	}
}

// checkSplits reads a stream cut in random pieces, and in all ways in two if it is small, and compares the whole answers.
func checkSplits(t *testing.T, name string, api tape.API, body []byte) {
	t.Helper()
	want, err := wire.ParseResponse(api, true, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	check := func(how string, pieces ...[]byte) bool {
		got, err := wire.ParseResponse(api, true, &pieceReader{pieces: pieces})
		if err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(want, got) {
			return true
		}
		t.Errorf("%s %s (-whole +pieces):\n%s", name, how, cmp.Diff(want, got))
		return false
	}
	if len(body) <= 700 {
		for i := range body {
			if !check("cut in two", body[:i], body[i:]) {
				return
			}
		}
	}
	rng := rand.New(rand.NewPCG(uint64(len(body)), 7))
	for _, longest := range []int{1, 7, 400} {
		var pieces [][]byte
		for rest := body; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(longest))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		if !check("cut at random", pieces...) {
			return
		}
	}
}

// pieceReader returns one piece a read.
type pieceReader struct{ pieces [][]byte }

func (r *pieceReader) Read(p []byte) (int, error) {
	for len(r.pieces) > 0 {
		if len(r.pieces[0]) == 0 {
			r.pieces = r.pieces[1:]
			continue
		}
		n := copy(p, r.pieces[0])
		r.pieces[0] = r.pieces[0][n:]
		return n, nil
	}
	return 0, io.EOF
}
