package score

import "github.com/exodeck/exodeck/proxy/tape"

// Status says whether a sample could be judged at all.
type Status string

const (
	// OK: the sample was judged; Passed says how.
	OK Status = "ok"
	// Missing: the recording holds no answer to what the sample asks. That says nothing about the model.
	Missing Status = "missing"
)

// Check is one named yes or no.
type Check struct {
	Name string
	OK   bool
}

// Verdict is the outcome of one phase of a sample.
type Verdict struct {
	// Sample is the name of what was asked, Description a line about it.
	Sample, Description string
	// API is the family asked; Stream says that the answer was asked for as a stream.
	API    tape.API
	Stream bool
	// Repeat counts from 1.
	Repeat int
	Phase  string

	Status Status
	// Passed is true when Status is OK and every check is.
	Passed bool
	// Checks are in the order they were made; none when there was no answer to check.
	Checks []Check
	// Error says why the sample failed, or what is missing. It may be nil although the sample failed, when the checks say it all.
	Error *string
	// LatencyMS is the time from asking to the last byte of the answer, in milliseconds; 0 when the answer could not be used.
	LatencyMS float64
	// Exchanges are the exchanges the verdict rests on.
	Exchanges []tape.Ref
	// Fault says whose fault it is that the sample failed. It is nil when it passed, or when nobody looked.
	Fault *Fault
	// Doubts are errors of a sample that passed: an agent that reads its answers would go wrong, by something the checks do not look
	// at. There are none when nobody looked.
	Doubts []Problem
}

// Tally counts verdicts.
type Tally struct {
	Passed, Total int
}

// Count tallies the judged verdicts that keep returns true for; a nil keep keeps all. Missing ones are in no tally.
func Count(verdicts []Verdict, keep func(Verdict) bool) Tally {
	var t Tally
	for _, v := range verdicts {
		if v.Status != OK || keep != nil && !keep(v) {
			continue
		}
		t.Total++
		if v.Passed {
			t.Passed++
		}
	}
	return t
}

// Exit statuses of a run, as design and README list them.
const (
	ExitPassed  = 0 // everything passed
	ExitFailed  = 1 // something failed a check
	ExitMissing = 3 // nothing was judged, or the recording lacks answers
)

// ExitStatus is the exit status that verdicts call for: missing answers outrank failed checks.
func ExitStatus(verdicts []Verdict) int {
	all := Count(verdicts, nil)
	switch {
	case all.Total < len(verdicts) || all.Total == 0:
		return ExitMissing
	case all.Passed < all.Total:
		return ExitFailed
	default:
		return ExitPassed
	}
}
