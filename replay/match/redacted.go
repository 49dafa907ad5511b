package match

import (
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
)

// redactedRequest is a request of a redacted recording, with all exchanges that hold it: equal are those of one session that are
// equal under the rules before, the numbers of placeholders included. Other sessions may have been redacted apart, so that there a
// number may stand for something else.
type redactedRequest struct {
	template       *template
	model          bool
	method, target string   // which count unless it is a model call
	entries        []*entry // in the order in which they answer
}

// redactedRequests returns the different requests with placeholders of an API family, in the order in which they answer.
func (ix *Index) redactedRequests(api tape.API) []*redactedRequest {
	var all []*redactedRequest
	byKey := map[key]*redactedRequest{}
	for _, e := range ix.order {
		r := ix.readings[e.content()]
		if e.api != api || r.template == nil {
			continue
		}
		request := &redactedRequest{template: r.template, model: r.model}
		if !r.model {
			request.method, request.target = e.x.Request.Method, e.target
		}
		k := newKey("redacted", e.x.Session, request.method, request.target, string(r.template.named[:]))
		if known := byKey[k]; known != nil {
			request = known
		} else {
			byKey[k] = request
			all = append(all, request)
		}
		request.entries = append(request.entries, e)
	}
	return all
}

// guess is what filling in placeholders found out about a question.
type guess struct {
	labelled bool     // those with the labels of the question were looked at alone
	meant    []*entry // the first exchange of each recorded request that can be meant
	loosely  bool     // the only one fits loosely
	gaveUp   bool     // it could not be told which can be meant
}

// fitting looks for the recorded requests that can be meant, and returns the exchanges of the last one. What it finds depends on the
// recording and the question alone. Requests with all labels of the question go before others.
func (ix *Index) fitting(q *question) []*entry {
	ix.mu.Lock()
	all := ix.redacted[q.api]
	ix.mu.Unlock()
	if len(all) == 0 || len(q.request.Body) > maxRead {
		return nil
	}
	text := ix.opts.filledText(q.api, q.plain)
	if q.sent == "" {
		q.sent = text
	}
	f, stages := newFiller(text), []func(*entry) bool{q.mayTake}
	if len(q.labels) > 0 {
		stages = slices.Insert(stages, 0, func(e *entry) bool { return hasLabels(e.labels, q.labels) })
	}
	var last []*entry
	for i, may := range stages {
		q.guess.labelled = i < len(stages)-1
		for _, r := range all {
			if r.model != q.body.model || !r.model && (r.method != q.method || r.target != q.target) || !slices.ContainsFunc(r.entries, may) {
				continue
			}
			well, _ := f.fit(r.template)
			if well == fitsNot {
				continue
			}
			last = slices.DeleteFunc(slices.Clone(r.entries), func(e *entry) bool { return !may(e) })
			q.guess.meant = append(q.guess.meant, last[0])
			q.guess.loosely = well == fitsLoosely
		}
		if q.guess.gaveUp = f.gaveUp(); q.guess.gaveUp || last != nil {
			break
		}
	}
	return last
}

// takeFilled claims an exchange of the only recorded request that can be meant. There is none when the recording holds the very
// request that is asked, used up as it may be: then that one is meant. If some of the exchanges were asked with the options of the
// question, the others are not meant.
func (ix *Index) takeFilled(q *question, entries []*entry) Hit {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if q.guess.gaveUp || q.guess.loosely || len(q.guess.meant) != 1 || ix.holds(q) {
		return Hit{}
	}
	others := func(e *entry) bool { return ix.readings[e.content()].options != q.body.options }
	if same := slices.DeleteFunc(slices.Clone(entries), others); len(same) > 0 {
		entries = same
	}
	otherModel := func(e *entry) bool { return ix.filledRule(e, q) == AnyModel }
	slices.SortStableFunc(entries, func(a, b *entry) int { return compareBool(otherModel(a), otherModel(b)) })
	for _, e := range entries {
		if !e.claimed && !e.filled {
			e.filled = true
			ix.bind(e, q)
			return e.serve(how{ix.filledRule(e, q), true})
		}
	}
	if !ix.opts.Reuse {
		return Hit{}
	}
	last := (&queue{entries: entries}).last(q.mayTake)
	return last.serve(how{ix.filledRule(last, q), true})
}

// filledRule is the rule by which the request of an exchange is equal to the question once its placeholders are filled in.
func (ix *Index) filledRule(e *entry, q *question) Rule {
	switch {
	case q.guess.labelled:
		return Label
	case !q.body.model:
		return Exact
	case q.body.name != ix.readings[e.content()].name:
		return AnyModel
	}
	return Meaning
}

// holds reports whether the recording has the very request that is asked among those that may answer it.
func (ix *Index) holds(q *question) bool {
	keys := []key{q.raw, q.exact(), q.meaning()}
	if ix.opts.AnyModel {
		keys = append(keys, q.anyModel())
	}
	for _, k := range keys {
		if queue := ix.view(nil).queues[place{key: k}]; queue != nil && slices.ContainsFunc(queue.entries, q.mayTake) {
			return true
		}
	}
	return false
}
