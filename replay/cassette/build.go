package cassette

import (
	"bytes"
	"errors"
	"iter"
)

// Build makes a cassette in memory, of exchanges that come from somewhere else. Those without a session are in one called "s1".
func Build(name string, entries iter.Seq2[*Entry, error]) (c *Cassette, err error) {
	w, err := NewWriter(Head{Name: name})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for x, err := range entries {
		if err != nil {
			return nil, err
		}
		if err := w.Exchange(x); err != nil {
			return nil, err
		}
	}
	if len(w.places) == 0 {
		return nil, errors.New("there is no exchange in it")
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return nil, err
	}
	return Read(&b, name)
}
