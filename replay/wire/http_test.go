package wire_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/google/go-cmp/cmp"
)

// httpVector is one file of golden/exo/http: an exchange with the real app.
type httpVector struct {
	Request struct {
		Method string
		Path   string
		Body   json.RawMessage
	}
	Status  int
	Headers [][2]string
	Body    string
}

func (v *httpVector) header(name string) string {
	for _, h := range v.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// TestHTTPVectors checks that bodies of the real app read as those of golden/exo/wire do, and that every failure is an error.
func TestHTTPVectors(t *testing.T) {
	wanted := make(map[string]vector)
	for _, v := range vectors(t) {
		wanted[v.Name] = v
	}
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "golden", "exo", "http"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	answers, failures, requests := 0, 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v httpVector
		if err := json.Unmarshal(data, &v); err != nil || v.Status == 0 {
			continue // a list of connections, not an exchange
		}
		api := tape.FamilyOf(v.Request.Method, v.Request.Path)
		if !api.Model() {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			stream := wire.Streamed(api, v.header("content-type"), []byte(v.Body))
			a, got := parse(t, api, stream, v.Body)
			if len(v.Request.Body) > 0 && v.Request.Body[0] == '{' {
				requests++
				if _, err := wire.ParseRequest(api, v.Request.Body); err != nil {
					t.Error(err)
				}
			}
			if v.Status >= 400 {
				failures++
				if a.Error == nil || a.Error.Message == nil || *a.Error.Message == "" || a.Text != "" {
					t.Errorf("status %d: %s", v.Status, a.Normalized())
				}
				return
			}
			key := strings.NewReplacer("chat_bench", "openai", "chat_ollama_generate", "ollama_generate", "chat_", "").Replace(name)
			want, ok := wanted[key]
			if !ok {
				if a.Error != nil || a.FinishReason == nil {
					t.Errorf("an answer of another kind: %s", a.Normalized())
				}
				return
			}
			answers++
			if strings.HasPrefix(name, "chat_bench__nonstream") && a.Error == nil {
				// It tells no usage, and makes up the ids of calls.
				if a.Power == nil || (a.Stats != nil) != strings.HasSuffix(name, "generation_stats_text") {
					t.Errorf("power usage %s, generation statistics %+v", a.Power, a.Stats)
				}
				got["usage"] = want.Normalized["usage"]
				for i, call := range want.Normalized["tool_calls"].([]any) {
					got["tool_calls"].([]any)[i].(map[string]any)["id"] = call.(map[string]any)["id"]
				}
			}
			if want.Raises != nil {
				got["error"] = want.Normalized["error"]
			}
			if diff := cmp.Diff(want.Normalized, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", v.Body, diff)
			}
		})
	}
	if answers != 85 || failures != 38 || requests != 132 {
		t.Errorf("%d answers, %d failures and %d requests, want 85, 38 and 132", answers, failures, requests)
	}
}
