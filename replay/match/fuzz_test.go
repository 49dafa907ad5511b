package match

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Whatever is asked, Find gives a hit or a readable miss; and a tape that holds the very request answers it.
func FuzzFind(f *testing.F) {
	f.Add("POST", chatPath, []byte(tideRequest), "sample", "tide")
	f.Add("POST", claudePath, []byte(tideClaude), "", "")
	f.Add("GET", "/state/instances/inst-1?api_key=x&%zz=1", []byte(nil), "suite", "exo")
	f.Add("POST", "/v1/responses", []byte(`{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":{}}]}`), "a", "")
	f.Add("POST", "/ollama/api/chat", []byte(`{"model":"m","messages":[{"role":"user","content":"x","images":["AA=="]}]}`), "", "")
	f.Add("POST", "/api/generate", []byte(`{"model":"m","prompt":"x"`), "", "")
	f.Add("PUT", "http://h?x#y", []byte("\xff\x00\u2028"), "é", "\x00")
	f.Add("POS\nT", chatPath, []byte(tideRequest), "a\nb", "\r\n")
	f.Fuzz(func(t *testing.T, method, url string, body []byte, name, value string) {
		if method == "" {
			method = "GET" // as net/http has it
		}
		r := ask(method, url, string(body), name, value)
		ix := harbourTape().index(t, Options{})
		hit, err := ix.Find(t.Context(), r)
		var miss *Miss
		switch {
		case errors.As(err, &miss):
			if n := strings.Count(miss.Error(), "\n"); n >= 14 {
				t.Errorf("a miss of %d lines:\n%s", n+1, miss.Error())
			}
		case err != nil:
			t.Fatal(err)
		case hit.Exchange.Request.Method != method:
			t.Errorf("%s answered by %s", method, hit.Exchange.Request.Method)
		}

		own := harbourTape()
		q := newQuestion(r, Options{})
		x := own.add(method, url, string(bytes.Clone(body)), func(x *tape.Exchange) { x.Labels = q.labels })
		hit, err = own.index(t, Options{}).Find(t.Context(), r)
		if err != nil {
			t.Fatalf("a tape that holds the request does not answer it: %v", err)
		}
		if len(q.labels) > 0 && hit.Exchange.Ref != x.Ref && hit.Rule != Label {
			t.Errorf("answered by exchange %d with rule %s, want %d", hit.Exchange.Seq, hit.Rule, x.Seq)
		}
	})
}
