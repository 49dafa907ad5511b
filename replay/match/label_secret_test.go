package match

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
)

// TestLabelWithCredential: a label that held the credential of its request is found by one that does, and by no other.
func TestLabelWithCredential(t *testing.T) {
	f := newFakeTape()
	tide := chat("m", "tide", "")
	f.add("POST", chatPath, tide, labels("sample", "of "+(&record.Redactor{Key: []byte("k")}).Fingerprint("quay-side-0001")))
	f.add("POST", chatPath, tide, labels("sample", "of [redacted:header:1]"))
	with := func(credential, label string) Request {
		r := ask("POST", chatPath, tide, "sample", label)
		r.Header.Set("Authorization", "Bearer "+credential)
		return r
	}
	redactLabel := func(r Request) Request {
		r.Header = r.Header.Clone()
		for i, v := range r.Header[record.LabelHeader] {
			r.Header[record.LabelHeader][i] = placeholderForm.ReplaceAllString(v, redacted)
		}
		return r
	}
	for _, tt := range []struct {
		name string
		opts Options
		want []string
	}{
		{"a tape", Options{}, []string{"miss", "1 label", "miss"}},
		{"a redacted recording", Options{Canonical: redactLabel}, []string{"miss", "1 label", "2 label"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := answers(t, f.index(t, tt.opts), with("quay-side-0001", "of nobody"), with("quay-side-0001", "of quay-side-0001"), with("lock-gate-0002", "of lock-gate-0002"))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestMissHides: a miss shows no secret of the request or of the tape, wherever it stands, and still says that they differ.
func TestMissHides(t *testing.T) {
	const key, other = "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefGHIJ01", "sk-proj-ZzCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefGHIJ02"
	for _, tt := range []struct {
		name            string
		recorded, asked string
		path            string
		label           string
		want            string
	}{
		{"in a message", chat("m", "Use "+key+".", ""), chat("m", "Use "+other+".", ""), chatPath, "", "-  text | Use [redacted:openai-key:2].\n  +  text | Use [redacted:openai-key:1]."},
		{"in a member", chat("m", "tide", `,"api_key":"quay-side-0001"`), chat("m", "gale", `,"api_key":"lock-gate-0002"`), chatPath, "", "+  text | gale"},
		{"in another body", `{"password":"quay-side-0001"}`, `{"password":"lock-gate-0002"}`, "/login", "", `+  "password": "[redacted:member:2]"`},
		{"in the path", "", "", "/files/" + key, "", "/files/[redacted:openai-key:1]"},
		{"in the query", "", "", "/files?q=" + key, "", "/files?q=[redacted:openai-key:1]"},
		{"in a label", chat("m", "tide", ""), chat("m", "gale", ""), chatPath, "of " + key, "[sample=of [redacted:openai-key:1]]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeTape()
			recordedPath := tt.path
			if tt.recorded == "" {
				recordedPath += "/" + other
			}
			f.add("POST", recordedPath, tt.recorded, labels("sample", "of "+other, "phase", tt.label))
			question := ask("POST", tt.path, tt.asked)
			if tt.label != "" {
				question = ask("POST", tt.path, tt.asked, "sample", tt.label)
			}
			ix := f.index(t, Options{})
			_, err := ix.Find(t.Context(), question)
			var miss *Miss
			if !errors.As(err, &miss) {
				t.Fatal(err)
			}
			text := miss.Error() + miss.URL + miss.Diff + miss.Reason + labelText(miss.Labels)
			for _, secret := range []string{key, other, "quay-side-0001", "lock-gate-0002"} {
				if strings.Contains(text, secret) {
					t.Errorf("it shows %s:\n%s", secret, text)
				}
			}
			if !strings.Contains(text, tt.want) {
				t.Errorf("it does not say %q:\n%s", tt.want, text)
			}
		})
	}
}
