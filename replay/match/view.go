package match

import (
	"slices"
	"strconv"
)

// view looks exchanges up by a key and by the values of some labels. There is one for each set of label names that requests
// carry, mostly one or two; the one without names holds every exchange.
type view struct {
	names  []string
	values map[string]bool // of the labels of the exchanges in it
	queues map[place]*queue
}

type place struct {
	values string
	key    key
}

// joined puts strings in one so that no two lists give the same one.
func joined(list []string) string {
	var b []byte
	for _, s := range list {
		b = strconv.AppendQuote(b, s)
	}
	return string(b)
}

// valuesOf returns the values that labels has for the view's names, in one string. It reports false when one is missing.
func (v *view) valuesOf(labels map[string]string) (string, bool) {
	if len(v.names) == 0 {
		return "", true
	}
	values := make([]string, len(v.names))
	for i, name := range v.names {
		value, ok := labels[name]
		if !ok {
			return "", false
		}
		values[i] = value
	}
	return joined(values), true
}

// add puts an exchange at the end of the queue of a key.
func (v *view) add(e *entry, k key) {
	values, ok := v.valuesOf(e.labels)
	if !ok {
		return
	}
	v.values[values] = true
	at := place{values, k}
	q := v.queues[at]
	if q == nil {
		q = &queue{}
		v.queues[at] = q
	}
	q.entries = append(q.entries, e)
}

// queue holds the exchanges of one key in the order in which they answer.
type queue struct {
	entries []*entry
	head    int // all before it are claimed
}

// next returns the first exchange that is not claimed and may answer, nil when there is none.
func (q *queue) next(may func(*entry) bool) *entry {
	for q.head < len(q.entries) && q.entries[q.head].claimed {
		q.head++
	}
	for _, e := range q.entries[q.head:] {
		if !e.claimed && may(e) {
			return e
		}
	}
	return nil
}

// last returns the exchange that answers once all are claimed: the last complete one that may, else the last that may.
func (q *queue) last(may func(*entry) bool) *entry {
	var last *entry
	for _, e := range slices.Backward(q.entries) {
		if !may(e) {
			continue
		}
		if e.complete() {
			return e
		}
		if last == nil {
			last = e
		}
	}
	return last
}
