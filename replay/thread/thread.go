package thread

import (
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Thread is one conversation: its turns in the order in which they were recorded.
type Thread struct {
	Turns []*Turn
	// Opening is the first text that the user said; "" when there is none.
	Opening string
}

// Link says how a turn belongs to its conversation.
type Link string

const (
	// Opens: the first turn.
	Opens Link = "opens"
	// Continues: its history ends with the answer of the turn it follows, and more.
	Continues Link = "continues"
	// Edited: it follows a turn, but its history holds another answer than the one recorded: the client changed it, or it was cut off.
	Edited Link = "edited"
	// Retries: it asks again what a turn asked that failed.
	Retries Link = "retries"
)

// Turn is one exchange of a conversation.
type Turn struct {
	tape.Ref
	Started time.Time
	Total   time.Duration
	Model   string
	Link    Link
	// After is the number of the turn it follows in [Thread.Turns]; of a retry, that of the turn it repeats; -1 for the first.
	After int
	// Branch says that another turn followed that one before.
	Branch bool
	// Told is how many messages of its request were said before: the rest is what the client adds.
	Told int
	// Calls is the number of tools the answer calls.
	Calls int
	// Failed says that there was no answer, or not all of one.
	Failed bool

	thread *Thread
	number int // in its thread
	next   bool
}

// Branches counts the turns that begin a branch.
func (t *Thread) Branches() int {
	n := 0
	for _, turn := range t.Turns {
		if turn.Branch {
			n++
		}
	}
	return n
}

// Calls counts the tools that all answers call.
func (t *Thread) Calls() int {
	n := 0
	for _, turn := range t.Turns {
		n += turn.Calls
	}
	return n
}

// Models lists the models of its turns, each once.
func (t *Thread) Models() []string {
	var models []string
	seen := make(map[string]bool)
	for _, turn := range t.Turns {
		if !seen[turn.Model] {
			seen[turn.Model] = true
			models = append(models, turn.Model)
		}
	}
	return models
}

// Duration is the time from the start of the first turn to the end of the last to end.
func (t *Thread) Duration() time.Duration {
	first, last := t.Turns[0].Started, time.Time{}
	for _, turn := range t.Turns {
		if turn.Started.Before(first) {
			first = turn.Started
		}
		if end := turn.Started.Add(turn.Total); end.After(last) {
			last = end
		}
	}
	return last.Sub(first)
}

// Holds reports whether an exchange is one of the turns.
func (t *Thread) Holds(ref tape.Ref) bool {
	for _, turn := range t.Turns {
		if turn.Ref == ref {
			return true
		}
	}
	return false
}
