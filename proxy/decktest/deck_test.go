package decktest_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/exodeck/exodeck/proxy/decktest"
	"github.com/exodeck/exodeck/proxy/tape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tideServer answers every request with the tide. Like the servers it stands for, it ends when its context does.
type tideServer struct{}

func (tideServer) Serve(ctx context.Context, ln net.Listener) error {
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "high at noon") })}
	stopped := context.AfterFunc(ctx, func() { server.Close() })
	defer stopped()
	if err := server.Serve(ln); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// TestDeck records what a server answers, and reads it.
func TestDeck(t *testing.T) {
	base, stop := decktest.Serve(t, tideServer{})
	d := decktest.New(t, filepath.Join(t.TempDir(), "tide.tape"), tape.Session{Name: "harbour"})
	req, err := http.NewRequestWithContext(t.Context(), "POST", base+"/tide", strings.NewReader("when?"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer of-the-harbour-master")
	resp, err := d.Transport(t).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "high at noon" {
		t.Errorf("the client got %q, %v", body, err)
	}
	resp.Body.Close()
	stop()
	stop() // once more does nothing
	if _, err := net.Dial("tcp", strings.TrimPrefix(base, "http://")); err == nil {
		t.Error("the stopped server still listens")
	}

	recorded := d.Rewind(t)
	d.Close(t) // once more does nothing
	x, err := recorded.Exchange(t.Context(), tape.Ref{Session: "harbour", Seq: 1})
	if err != nil {
		t.Fatal(err)
	}
	if x.Request.URL != "/tide" || x.Response.Body.Size != int64(len("high at noon")) || x.Ended != tape.Complete {
		t.Errorf("recorded %+v", x)
	}
	if body := decktest.Body(t, recorded, x.Request.Body); body != "when?" {
		t.Errorf("recorded the question %q", body)
	}
	if secret := x.Request.Header.Get("Authorization"); secret == "" || strings.Contains(secret, "harbour-master") {
		t.Errorf("recorded the credential as %q", secret)
	}
}
