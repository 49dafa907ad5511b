package conformance

import (
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
)

// budget looks whether the token limit was reached before there was an answer, and whether the answer says so.
func (j *trial) budget() {
	u := j.a.Usage
	spent := j.q.spent(u)
	told := RanOut(j.a)
	if !spent && !told {
		return
	}
	cut := slices.ContainsFunc(j.args, func(a arguments) bool { return a.shape == isTruncated })
	usable := len(j.a.ToolCalls) > 0 || len(j.meant) > 0 || len(j.leaked) == 0 && j.visible()
	if usable && !cut {
		return
	}
	detail := "the token limit was reached before there was an answer"
	if cut {
		detail = "the token limit was reached inside of a call"
	}
	if spent {
		detail += fmt.Sprintf(": %d of %d tokens", *u.Output, *j.q.limit*j.q.choices)
	}
	j.add("budget-exhausted", j.end(), detail)
	if !told && j.a.FinishReason != nil {
		j.add("finish-reason-mismatch", j.reason(), fmt.Sprintf("%q although the token limit was reached", *j.a.FinishReason))
	}
}

// spent reports whether an answer is known to have all the tokens that were asked for, in all of its choices together.
func (a *asked) spent(u *wire.Usage) bool {
	return a != nil && a.limit != nil && u != nil && u.Output != nil && *u.Output/a.choices >= *a.limit // the product may be too great
}

// RanOut reports whether an answer says that there was no room for more of it.
func RanOut(a *wire.Answer) bool {
	return a.Finish == wire.FinishLength || a.FinishReason != nil && *a.FinishReason == "model_context_window_exceeded"
}

// CutShort reports whether an answer says that it ended at the token limit, or at the end of the model's context. Token counts below the
// limit that was asked for say otherwise, unless it was the context.
func CutShort(x *reading.Exchange) bool {
	switch {
	case x.Answer == nil || !RanOut(x.Answer):
		return false
	case x.Answer.Finish != wire.FinishLength:
		return true
	}
	q, u := askedOf(x.Request), x.Answer.Usage
	return q == nil || q.limit == nil || u == nil || u.Output == nil || q.spent(u)
}
