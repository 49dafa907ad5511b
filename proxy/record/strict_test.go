package record_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// strictAnswers are responses of every framing. early is what may be read before the exchange is on the tape.
var strictAnswers = []struct {
	name   string
	body   func() io.ReadCloser
	length int64
	all    string
	early  string
}{
	{"known length", func() io.ReadCloser { return &pieces{texts: []string{"low ", "water"}, err: io.EOF} }, 9, "low water", "low wate"},
	{"known length, end beside the last bytes", func() io.ReadCloser {
		return &pieces{texts: []string{"low ", "water"}, err: io.EOF, errWithLast: true}
	}, 9, "low water", "low wate"},
	{"last byte on its own", func() io.ReadCloser { return &pieces{texts: []string{"low wate", "r"}, err: io.EOF} }, 9, "low water", "low wate"},
	{"one byte", func() io.ReadCloser { return &pieces{texts: []string{"w"}, err: io.EOF} }, 1, "w", ""},
	{"stream", func() io.ReadCloser { return &pieces{texts: []string{"low ", "water"}, err: io.EOF} }, -1, "low water", "low water"},
	{"empty stream", func() io.ReadCloser { return &pieces{err: io.EOF} }, -1, "", ""},
	{"no body", func() io.ReadCloser { return http.NoBody }, 0, "", ""},
}

// TestStrict makes sure that whoever has seen the end of a response finds its exchange on the tape.
func TestStrict(t *testing.T) {
	for _, tt := range strictAnswers {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			tr := d.transport(answer(tt.body(), tt.length))
			tr.Strict = true
			resp, err := tr.RoundTrip(newRequest(t, t.Context(), "GET", "http://up/", nil))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			// An empty Read neither ends the exchange nor loses a byte.
			if n, err := resp.Body.Read(nil); n != 0 || err != nil && tt.length != 0 {
				t.Errorf("an empty Read gave %d, %v", n, err)
			}
			data, err := io.ReadAll(resp.Body)
			if string(data) != tt.all || err != nil {
				t.Errorf("got %q, %v", data, err)
			}
			all := d.committed(t)
			if len(all) != 1 || all[0].Ended != tape.Complete || all[0].response != tt.all {
				t.Errorf("at the end of the response the tape has %+v", all)
			}
		})
	}
}

// TestStrictUnrecorded makes sure that a response whose exchange cannot be recorded does not look whole.
func TestStrictUnrecorded(t *testing.T) {
	for _, tt := range strictAnswers {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			d.Recorder.Close()
			tr := d.transport(answer(tt.body(), tt.length))
			tr.Strict = true
			resp, err := tr.RoundTrip(newRequest(t, t.Context(), "GET", "http://up/", nil))
			if tt.length == 0 {
				failure, ok := errors.AsType[*record.Failure](err)
				if !ok || !errors.Is(err, record.ErrUnrecorded) || !errors.Is(err, tape.ErrClosed) || failure.Seq != 1 {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			data, err := io.ReadAll(resp.Body)
			if string(data) != tt.early || !errors.Is(err, record.ErrUnrecorded) || !errors.Is(err, tape.ErrClosed) {
				t.Errorf("got %q, %v", data, err)
			}
			if got := resp.Body.(interface{ Err() error }).Err(); got != err {
				t.Errorf("Err says %v", got)
			}
			if _, again := resp.Body.Read(make([]byte, 1)); again != err {
				t.Errorf("reading on gave %v", again)
			}
		})
	}
}

// TestNotStrictUnrecorded makes sure that a recorder in trouble does not break traffic.
func TestNotStrictUnrecorded(t *testing.T) {
	for _, tt := range strictAnswers {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			d.Recorder.Close()
			resp, err := d.transport(answer(tt.body(), tt.length)).RoundTrip(newRequest(t, t.Context(), "GET", "http://up/", nil))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if data, err := io.ReadAll(resp.Body); string(data) != tt.all || err != nil {
				t.Errorf("got %q, %v", data, err)
			}
			if n := d.Recorder.Stats().Unrecorded; n != 1 {
				t.Errorf("%d exchanges count as unrecorded", n)
			}
		})
	}
}

// TestStrictHeldByte has the upstream fail, or the client leave, while the last byte is held back.
func TestStrictHeldByte(t *testing.T) {
	reset := errors.New("connection reset by peer")
	for _, tt := range []struct {
		name string
		err  error
		read func(*testing.T, io.ReadCloser)
		want tape.Ended
	}{
		{"the upstream fails behind it", reset, func(t *testing.T, body io.ReadCloser) {
			if data, err := io.ReadAll(body); string(data) != "low wate" || err != reset {
				t.Errorf("got %q, %v", data, err)
			}
		}, tape.UpstreamTruncated},
		{"closed", io.EOF, func(t *testing.T, body io.ReadCloser) {
			if n, err := body.Read(make([]byte, 100)); n != 8 || err != nil {
				t.Errorf("got %d bytes, %v", n, err)
			}
		}, tape.Complete},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeck(t)
			tr := d.transport(answer(&pieces{texts: []string{"low water"}, err: tt.err}, 9))
			tr.Strict = true
			resp, err := tr.RoundTrip(newRequest(t, t.Context(), "GET", "http://up/", nil))
			if err != nil {
				t.Fatal(err)
			}
			tt.read(t, resp.Body)
			resp.Body.Close()
			if x := d.only(t); x.Ended != tt.want || x.response != "low water" {
				t.Errorf("recorded %s (%s), %q", x.Ended, x.Cause, x.response)
			}
		})
	}
}
