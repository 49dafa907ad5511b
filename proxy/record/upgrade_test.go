package record_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

func switching(conn io.ReadWriteCloser) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			Status: "101 Switching Protocols", StatusCode: 101, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Upgrade": {"websocket"}}, Body: conn, Request: r,
		}, nil
	}
}

func upgradeRequest(t *testing.T, ctx context.Context) *http.Request {
	req := newRequest(t, ctx, "GET", "http://up/ws", nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	return req
}

// TestUpgrade talks over an upgraded connection, which then ends in each way it can.
func TestUpgrade(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(t *testing.T, client, upstream io.ReadWriteCloser, cancel context.CancelCauseFunc)
		want tape.Ended
	}{
		{"the upstream ends it", func(t *testing.T, client, upstream io.ReadWriteCloser, _ context.CancelCauseFunc) {
			upstream.Close()
			if rest, err := io.ReadAll(client); len(rest) > 0 || err != nil {
				t.Errorf("got %q, %v", rest, err)
			}
			client.Close()
		}, tape.Complete},
		{"the client ends it while it waits", func(t *testing.T, client, _ io.ReadWriteCloser, _ context.CancelCauseFunc) {
			read := make(chan error)
			go func() {
				_, err := client.Read(make([]byte, 1))
				read <- err
			}()
			client.Close()
			if err := <-read; err == nil {
				t.Error("a closed connection can be read")
			}
		}, tape.Complete},
		{"the recorder is stopped", func(t *testing.T, client, _ io.ReadWriteCloser, cancel context.CancelCauseFunc) {
			cancel(record.ErrStopped)
			client.Close()
		}, tape.Interrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			near, far := net.Pipe()
			defer far.Close()
			resp, err := d.transport(switching(near)).RoundTrip(upgradeRequest(t, ctx))
			if err != nil {
				t.Fatal(err)
			}
			client, ok := resp.Body.(io.ReadWriteCloser)
			if !ok || resp.StatusCode != 101 {
				t.Fatalf("status %d, body %T", resp.StatusCode, resp.Body)
			}
			if _, ok := record.SourceOf(resp); !ok {
				t.Error("an upgraded connection has no source")
			}
			if x := d.only(t); x.Ended != tape.InFlight || x.request != "" {
				t.Errorf("at first recorded %s, %q", x.Ended, x.request)
			}
			for _, line := range []string{"when?", "where?"} {
				go io.WriteString(client, line)
				buf := make([]byte, len(line))
				if _, err := io.ReadFull(far, buf); err != nil || string(buf) != line {
					t.Fatalf("the upstream got %q, %v", buf, err)
				}
				go io.WriteString(far, "re: "+line)
				buf = make([]byte, 4+len(line))
				if _, err := io.ReadFull(client, buf); err != nil || string(buf) != "re: "+line {
					t.Fatalf("the client got %q, %v", buf, err)
				}
			}
			tt.end(t, client, far, cancel)
			if x := d.only(t); x.Ended != tt.want || x.request != "when?where?" || x.response != "re: when?re: where?" || x.Response.Status != 101 {
				t.Errorf("recorded %s (%s), %q → %q, status %d", x.Ended, x.Cause, x.request, x.response, x.Response.Status)
			}
			if e := d.event(t); e.Ended != tt.want || e.RequestBytes != 11 || e.ResponseBytes != 19 {
				t.Errorf("event %+v", e)
			}
		})
	}
}

// TestUpgradeDeclined makes sure that the exchange is on the tape while an answer in plain HTTP is still coming.
func TestUpgradeDeclined(t *testing.T) {
	d := newDeck(t)
	resp, err := d.transport(answer(io.NopCloser(strings.NewReader("no")), 2)).RoundTrip(upgradeRequest(t, t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if x := d.only(t); x.Ended != tape.InFlight {
		t.Errorf("recorded %s (%s)", x.Ended, x.Cause)
	}
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	if x := d.only(t); x.Ended != tape.Complete || x.response != "no" || x.request != "" {
		t.Errorf("recorded %s (%s), %q", x.Ended, x.Cause, x.response)
	}
}

func TestUpgradeFails(t *testing.T) {
	d := newDeck(t)
	reset := errors.New("connection reset by peer")
	if _, err := d.transport(roundTripper(func(*http.Request) (*http.Response, error) { return nil, reset })).RoundTrip(upgradeRequest(t, t.Context())); !errors.Is(err, reset) {
		t.Errorf("error %v", err)
	}
	if x := d.only(t); x.Ended != tape.UpstreamError || x.Cause != reset.Error() {
		t.Errorf("recorded %s (%s)", x.Ended, x.Cause)
	}
}
