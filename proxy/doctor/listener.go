package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// label is the label of requests that are only sent to see whether they get on the tape.
const label = "doctor"

// listener checks what is on the address of the proxy, and whether what passes there gets on the tape.
func (d *doctor) listener(ctx context.Context) {
	const name = "proxy"
	root := &url.URL{Scheme: "http", Host: dialable(d.Listen)}
	mark := rand.Text()
	began := time.Now()
	a, err := d.client.get(ctx, root.String()+"/models", http.Header{record.LabelHeader: {label + "=" + mark}})
	took := time.Since(began)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		d.add(name, Warning, fmt.Sprintf("nothing listens on %s: nothing is being recorded there", d.Listen), d.Start)
		return
	case err != nil:
		d.add(name, Problem, fmt.Sprintf("what is on %s gives no answer: %v", d.Listen, err),
			"see what it is, or choose another port: exodeck record --listen 127.0.0.1:0")
		return
	}
	x, err := d.onTape(ctx, mark, began)
	switch {
	case err != nil:
		d.add(name, Problem, fmt.Sprintf("whether a request through %s gets on %s cannot be seen: %v", d.Listen, d.Tape, err), "see below about the tape")
	case x == nil && !d.refuses(ctx, root):
		d.add(name, Problem, fmt.Sprintf("what listens on %s is no exodeck%s: nothing is recorded there", d.Listen, software(a)),
			"stop it, or choose another port: exodeck record --listen 127.0.0.1:0")
	case x == nil && a.status != http.StatusOK:
		d.add(name, Warning, fmt.Sprintf("an exodeck listens on %s, but answers GET /models with status %d: %s", d.Listen, a.status, said(a)),
			"do what it says, or name the tape that it records on with --tape")
	case x == nil:
		d.add(name, Problem, fmt.Sprintf("an exodeck listens on %s, but does not record on %s", d.Listen, d.Tape), "name the tape that it records on with --tape")
	default:
		d.passed(name, x, a, took)
	}
}

// passed judges a request that passed through exodeck.
func (d *doctor) passed(name string, x *tape.Exchange, a *answer, took time.Duration) {
	seen := fmt.Sprintf("GET /models through %s is exchange %s/%d of %s", d.Listen, x.Session, x.Seq, d.Tape)
	upstream, err := url.Parse(x.Upstream)
	switch {
	case err != nil || upstream.Host != d.Upstream.Host && !proxy.SameAddress(upstream.Host, d.Upstream.Host):
		d.add(name, Warning, fmt.Sprintf("%s, but went to %s, not to %s", seen, x.Upstream, shownURL(d.Upstream)), "name with --upstream what is meant")
	case a.status != http.StatusOK:
		d.add(name, Problem, fmt.Sprintf("%s, but has status %d: %s", seen, a.status, said(a)), "see above about the upstream")
	case d.models != nil && !sameModels(d.models, a.body):
		d.add(name, Warning, seen+", but its answer lists other models than the upstream does", "try again: models may have been added meanwhile")
	default:
		d.ok(name, fmt.Sprintf("%s (%.1f ms)", seen, float64(took.Microseconds())/1000))
	}
}

// sameModels reports whether two answers list the same models. exo dates each list anew, so bytes may differ.
func sameModels(a, b []byte) bool {
	return bytes.Equal(a, b) || strings.Join(modelsOf(a), "\n") == strings.Join(modelsOf(b), "\n")
}

// said is what an answer says is wrong.
func said(a *answer) string {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(a.body, &body) == nil && body.Error.Message != "" {
		return body.Error.Message
	}
	return http.StatusText(a.status)
}

// onTape looks for the exchange with the label's value, for as long as the recorder may take to write it. It is nil when there is none.
func (d *doctor) onTape(ctx context.Context, mark string, began time.Time) (*tape.Exchange, error) {
	if !exists(d.Tape) {
		return nil, nil
	}
	t, err := tape.Open(ctx, d.Tape)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	q := tape.Query{From: began.Add(-time.Second), API: tape.Control}
	for deadline := time.Now().Add(2 * time.Second); ; {
		for x, err := range t.Exchanges(ctx, q) {
			if err != nil {
				return nil, err
			}
			if x.Labels[label] == mark && x.Ended != tape.InFlight {
				return x, nil
			}
		}
		if time.Now().After(deadline) {
			return nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// refuses reports whether the listener refuses to be a proxy for a host that cannot exist in the words of exodeck. Nothing is forwarded by
// exodeck; another proxy would fail to find the host.
func (d *doctor) refuses(ctx context.Context, root *url.URL) bool {
	a, err := client(d.Timeout, root).get(ctx, "http://exodeck.invalid/", nil)
	return err == nil && a.status == http.StatusForbidden && strings.HasPrefix(said(a), "exodeck ")
}

// dialable is an address to listen on as one to connect to.
func dialable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return address
}
