package recorded_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// twins is a deck of the first sample of a category and so many others that are asked the same.
func twins(t *testing.T, category dataset.Category, n int) *deck {
	t.Helper()
	d := newDeck(t, dataset.Mini(), dataset.English, category)
	samples := d.set.Samples[:1:1]
	for i := range n {
		twin := *samples[0]
		twin.ID = fmt.Sprintf("%s_%d", category, 90+i)
		samples = append(samples, &twin)
	}
	return newDeckOf(t, &dataset.Set{Language: d.set.Language, Samples: samples}, d.materials)
}

// notes are the notes of all outcomes with a status, each once.
func notes(outcomes []ask.Outcome, status acebench.Status) (n int, said []string) {
	for _, o := range outcomes {
		if o.Answer.Status == status {
			n++
			said = append(said, o.Answer.Note)
		}
	}
	slices.Sort(said)
	return n, slices.Compact(said)
}

// TestOneRolloutOfTwins: a rollout that may be either of two samples makes both ambiguous, in whatever order the data has them.
func TestOneRolloutOfTwins(t *testing.T) {
	for _, swapped := range []bool{false, true} {
		d := twins(t, dataset.AgentMultiStep, 1)
		twin := d.set.Samples[1]
		// It is to leave everything as it was.
		twin.GroundTruth = pyvalue.NewList(pyvalue.DictOf("BaseApi", pyvalue.DictOf("wifi", pyvalue.Bool(false), "logged_in", pyvalue.Bool(true))), pyvalue.DictOf("MessageApi", pyvalue.NewDict()))
		d.record(t, true, func(s *ask.Suite) { s.Samples = s.Samples[:1] })
		if swapped {
			slices.Reverse(d.set.Samples)
		}
		played := d.play(t, nil)
		for _, o := range played.Outcomes {
			other := d.set.Samples[1-o.Index].ID
			want := "the recording fits this sample in several ways, which give different verdicts; it opens like " + other
			if o.Answer.Status != acebench.Ambiguous || o.Answer.Note != want {
				t.Errorf("swapped %t: %s: %s: %s", swapped, o.Sample.ID, o.Answer.Status, o.Answer.Note)
			}
		}
		if len(played.Outcomes) != 2 {
			t.Errorf("%d outcomes", len(played.Outcomes))
		}
	}
}

// TestAnswersOfTwins: which of two answers to one question is whose can be told of a client that asks one question after the other.
func TestAnswersOfTwins(t *testing.T) {
	for _, tt := range []struct {
		name      string
		texts     []string // of the two answers, "" for the right one
		same      bool     // both samples take the same answers for right
		atOnce    bool
		ambiguous int
	}{
		{"one after the other", []string{"", "no"}, true, false, 0},
		{"at once", []string{"", "no"}, true, true, 2},
		{"at once, both wrong", []string{"no", "nor this"}, true, true, 0},
		{"at once, both right", []string{"", ""}, true, true, 0},
		{"at once, both right, wrong for the other", []string{"", ""}, false, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := twins(t, dataset.AtomBool, 1)
			if !tt.same {
				d.set.Samples[1].GroundTruth = pyvalue.DictOf("other", pyvalue.NewDict())
			}
			both := new(barrier)
			var mu sync.Mutex
			n := 0
			d.model.Change = func(_ *dataset.Sample, _ standin.Ask, r standin.Reply) standin.Reply {
				if tt.atOnce {
					both.wait(2)
				}
				mu.Lock()
				defer mu.Unlock()
				if n++; tt.texts[n-1] != "" {
					return standin.Say(tt.texts[n-1])
				}
				return r
			}
			d.record(t, true, func(s *ask.Suite) {
				if !tt.atOnce {
					s.Concurrency = 1
				}
			})
			if n, said := notes(d.play(t, nil).Outcomes, acebench.Ambiguous); n != tt.ambiguous || n > 0 && !strings.Contains(said[0], "which answer is whose cannot be told") {
				t.Errorf("%d are ambiguous, want %d: %q", n, tt.ambiguous, said)
			}
		})
	}
}

// barrier lets nobody pass before enough have come.
type barrier struct {
	mu   sync.Mutex
	n    int
	full chan struct{}
}

func (b *barrier) wait(enough int) {
	b.mu.Lock()
	if b.full == nil {
		b.full = make(chan struct{})
	}
	if b.n++; b.n == enough {
		close(b.full)
	}
	b.mu.Unlock()
	<-b.full
}

const tooMany = "the recording fits the samples that open like this one in too many ways to try them all"

// TestSearchIsGivenUp: no verdict comes from a search that was not finished, although all ways that were tried give the same one.
func TestSearchIsGivenUp(t *testing.T) {
	d := twins(t, dataset.AgentMultiStep, 8)
	for i, s := range d.set.Samples {
		// There are 9! ways to deal these endings out.
		d.model.Lines[s.ID] = []string{"[turn_on_wifi()]", fmt.Sprintf("finish conversation %d", i)}
	}
	d.record(t, true, nil)
	if n, said := notes(d.play(t, nil).Outcomes, acebench.Ambiguous); n != 9 || len(said) != 1 || said[0] != tooMany {
		t.Errorf("%d of 9 are ambiguous: %q", n, said)
	}
}

// TestPathsAreCapped: no verdict comes from a part of the ways in which a sample fits, although all that were looked at give the same one.
func TestPathsAreCapped(t *testing.T) {
	const most = 1024
	for _, tt := range []struct {
		name    string
		endings int
		status  acebench.Status
		notes   []string
	}{
		{"as many as are tried", most, acebench.OK, []string{""}},
		{"one more", most + 1, acebench.Ambiguous, []string{tooMany}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := twins(t, dataset.AgentMultiStep, 0)
			d.model.Lines[d.set.Samples[0].ID] = []string{"[turn_on_wifi()]", "finish conversation"}
			n, mu := 0, sync.Mutex{}
			both := new(barrier)
			d.model.Change = func(_ *dataset.Sample, a standin.Ask, r standin.Reply) standin.Reply {
				if !strings.Contains(a.LastUser, "execution result:") {
					return r
				}
				mu.Lock()
				n++
				i := n
				mu.Unlock()
				if i <= 2 {
					both.wait(2) // so that the client does not ask one question after the other
				}
				return standin.Say(fmt.Sprintf("finish conversation %d", i))
			}
			d.record(t, true, func(s *ask.Suite) { s.Client = &insistent{s.Client, tt.endings} })
			if n, said := notes(d.play(t, nil).Outcomes, tt.status); n != 1 || !slices.Equal(said, tt.notes) {
				t.Errorf("%d are %s: %q", n, tt.status, said)
			}
		})
	}
}

// insistent asks the question after the first so many times, the first two of them at once.
type insistent struct {
	http.RoundTripper
	times int
}

func (c *insistent) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	send := func() (*http.Response, error) {
		again := req.Clone(req.Context())
		again.Body = io.NopCloser(bytes.NewReader(body))
		return c.RoundTripper.RoundTrip(again)
	}
	if !bytes.Contains(body, []byte("execution result:")) {
		return send()
	}
	read := func() error {
		resp, err := send()
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	var beside sync.WaitGroup
	var failed error
	beside.Go(func() { failed = read() })
	if err := read(); err != nil {
		return nil, err
	}
	if beside.Wait(); failed != nil {
		return nil, failed
	}
	for range c.times - 3 {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return send()
}
