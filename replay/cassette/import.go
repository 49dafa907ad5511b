package cassette

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// Import puts the exchanges of c on the tape at path, which is made when there is none. A session whose name the tape has already
// gets a new one, with a number behind it. When a tape that was made for it cannot be filled, it is removed.
//
// What people and other programs have written holds credentials as they were sent. The redactor takes them out of all but bodies, as it
// does where a recorder writes; the placeholders and fingerprints of other cassettes stay as they are. Labels in headers become labels.
func Import(ctx context.Context, c *Cassette, path string, redactor *record.Redactor) (err error) {
	names, err := sessionNames(ctx, path)
	if err != nil {
		return err
	}
	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{MaxWait: time.Hour})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, recorder.Close())
		if err != nil && names == nil {
			err = errors.Join(err, remove(path))
		}
	}()
	for n := range c.sessions {
		if err := c.importSession(ctx, recorder, redactor, n, names); err != nil {
			return fmt.Errorf("importing %s: %w", c.path, err)
		}
	}
	return recorder.Sync(ctx)
}

// sessionNames returns the names that the tape has, nil when there is no tape.
func sessionNames(ctx context.Context, path string) (names map[string]bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	t, err := tape.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	sessions, err := t.Sessions(ctx)
	names = map[string]bool{}
	for _, s := range sessions {
		names[s.Name] = true
	}
	return names, err
}

func remove(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// importSession copies one session. names are those that are taken.
func (c *Cassette) importSession(ctx context.Context, recorder *tape.Recorder, redactor *record.Redactor, n int, names map[string]bool) error {
	s := c.sessions[n].Session
	q := tape.Query{Session: s.Name}
	k := kept{name: c.head.Name, head: c.head.unknown, session: c.sessions[n].unknown, exchanges: map[int64]keptExchange{}}
	var seq int64
	for x, err := range c.Entries(ctx, q) {
		if err != nil {
			return err
		}
		seq++
		if e := keptOf(x); !e.empty() {
			k.exchanges[seq] = e
		}
	}
	labels := maps.Clone(s.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[keptLabel] = k.label(slices.Sorted(maps.Keys(k.exchanges)))
	name := s.Name
	for i := 2; names[name]; i++ {
		name = fmt.Sprintf("%s-%d", s.Name, i)
	}
	into, err := recorder.StartSession(ctx, tape.Session{Name: name, Started: s.Started, Upstream: redactor.URL(s.Upstream), Labels: labels})
	if err != nil {
		return err
	}
	for x, err := range c.Entries(ctx, q) {
		if err != nil {
			return err
		}
		mask(x, redactor)
		importExchange(into, x)
	}
	return nil
}

// mask takes out of an exchange what a recorder keeps off a tape.
func mask(x *Entry, redactor *record.Redactor) {
	q, p := &x.Request, &x.Response
	x.Labels = redactor.Labels(record.LabelsOf(q.Header, x.Labels), q.Header, q.URL)
	x.Upstream, q.URL = redactor.URL(x.Upstream), redactor.URL(q.URL)
	p.Reason, x.Cause = redactor.Said(p.Reason), redactor.Said(x.Cause)
	for _, h := range []*http.Header{&q.Header, &q.Trailer, &p.Header, &p.Trailer} {
		*h = redactor.Header(*h)
	}
}

// importExchange records an exchange as if it took place.
func importExchange(into *tape.SessionRecorder, x *Entry) {
	r := into.Begin(tape.Start{
		Started: x.Started, Upstream: x.Upstream, Method: x.Request.Method, URL: x.Request.URL, Host: x.Request.Host, Proto: x.Request.Proto,
		Header: x.Request.Header, Labels: x.Labels,
	})
	r.RequestBody(x.RequestBody)
	r.RequestEnd(x.Request.Trailer)
	if x.Response.Status != 0 {
		r.ResponseHead(x.Response.Status, x.Response.Reason, x.Response.NoReason, x.Response.Proto, x.Response.Header, x.TTFB)
	}
	for i, p := range x.Pieces {
		end := int64(len(x.ResponseBody))
		if i+1 < len(x.Pieces) {
			end = x.Pieces[i+1].Offset
		}
		r.ResponseBody(x.ResponseBody[p.Offset:end], p.At)
	}
	r.End(x.Ended, x.Cause, x.Response.Trailer, x.Total)
}
