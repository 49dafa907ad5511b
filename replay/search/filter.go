package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/replay/reading"
)

// Filter restricts to exchanges of some kind, beside what a query to the tape can ask. Zero values do not restrict.
type Filter struct {
	// Statuses are the statuses that pass, any of them.
	Statuses []Status
	// Labels must all be there.
	Labels map[string]string
	// Tools are names; the answer calls one of them.
	Tools []string
}

// Head reports whether an exchange may pass, without a look at its bodies.
func (f *Filter) Head(status int, labels map[string]string) bool {
	if len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, func(s Status) bool { return s.is(status) }) {
		return false
	}
	for k, v := range f.Labels {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// Passes reports whether an exchange passes.
func (f *Filter) Passes(x *reading.Exchange) bool {
	if !f.Head(x.Response.Status, x.Labels) {
		return false
	}
	if len(f.Tools) == 0 {
		return true
	}
	if x.Answer == nil {
		return false
	}
	for _, c := range x.Answer.ToolCalls {
		if slices.Contains(f.Tools, c.Name) {
			return true
		}
	}
	return false
}

// Status is a status, or with "x" a class of them: 500, 5xx. "none" is no response at all.
type Status string

// ParseStatus reads a status.
func ParseStatus(s string) (Status, error) {
	s = strings.ToLower(s)
	digits, class := strings.CutSuffix(s, "xx")
	ok := s == "none" || len(digits) == 3 && !class || len(digits) == 1 && class
	if s != "none" && strings.Trim(digits, "0123456789") != "" || !ok || s[0] == '0' {
		return "", fmt.Errorf("%q is no status; write 500, 5xx or none", s)
	}
	return Status(s), nil
}

func (s Status) is(status int) bool {
	if status == 0 {
		return s == "none"
	}
	class, ok := strings.CutSuffix(string(s), "xx")
	text := fmt.Sprint(status)
	return text == string(s) || ok && len(text) == 3 && text[:1] == class
}
