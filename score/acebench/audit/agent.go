package audit

import (
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func (a *auditor) agent() {
	if v, ok := a.expectedState(); !ok {
		a.found(Impossible, "the expected state, under the names of the simulated classes, fails with %s", describe(v))
	}
	a.unchecked()
	if a.world != nil {
		a.idle()
	}
}

// expectedState judges the expected state as it would be recorded: with the classes that the sample involves. Misspelt names of
// classes become the names of the involved classes that nothing else expects, in their order.
func (a *auditor) expectedState() (check.Verdict, bool) {
	expected := dataset.Alternatives(a.sample.GroundTruth)
	free := a.unexpectedClasses()
	recorded := pyvalue.NewList()
	for _, e := range expected {
		entry, ok := e.(*pyvalue.Dict)
		if !ok || entry.Len() != 1 {
			recorded.Append(e)
			continue
		}
		key, attributes := entry.At(0)
		name := pyvalue.String(key)
		if !slices.Contains(a.sample.InvolvedClasses, name) && len(free) > 0 {
			name, free = free[0], free[1:]
		}
		recorded.Append(pyvalue.DictOf(name, attributes))
	}
	if n := len(a.sample.InvolvedClasses); n != len(expected) {
		return check.Wrong(check.WrongClassCount, "the sample involves "+strings.Join(a.sample.InvolvedClasses, ", ")), false
	}
	v, err := check.EndState(a.rules, recorded, a.sample.GroundTruth)
	if err != nil {
		return check.Wrong("scorer_error", err.Error()), false
	}
	return v, v.Valid
}

// unexpectedClasses lists the involved classes that the ground truth does not name.
func (a *auditor) unexpectedClasses() []string {
	var free []string
	named := a.expectedClasses()
	for _, class := range a.sample.InvolvedClasses {
		if !slices.Contains(named, class) {
			free = append(free, class)
		}
	}
	return free
}

func (a *auditor) expectedClasses() []string {
	var names []string
	for _, e := range dataset.Alternatives(a.sample.GroundTruth) {
		if entry, ok := e.(*pyvalue.Dict); ok {
			for key := range entry.All() {
				names = append(names, pyvalue.String(key))
			}
		}
	}
	return names
}

// unchecked looks for classes of the ground truth that no recorded state has. The reference rules then keep the verdict on the class
// before.
func (a *auditor) unchecked() {
	if a.rules == rules.Strict {
		return
	}
	for _, name := range a.expectedClasses() {
		if !slices.Contains(a.sample.InvolvedClasses, name) {
			a.found(Unchecked, "the class %s of the ground truth is never compared: the sample involves %s", name, strings.Join(a.sample.InvolvedClasses, ", "))
		}
	}
}

// idle judges an agent that does nothing. The official runner records no state then.
func (a *auditor) idle() {
	env, err := a.world.NewEnv(a.sample.InvolvedClasses, a.sample.InitialConfig)
	if err != nil {
		a.found(Impossible, "the simulated world cannot be set up: %v", err)
		return
	}
	state, err := env.Snapshot()
	if err != nil {
		a.found(Impossible, "the simulated world has no state: %v", err)
		return
	}
	if a.rules == rules.Official {
		state = pyvalue.NewList()
	}
	if v, err := check.EndState(a.rules, state, a.sample.GroundTruth); err == nil && v.Valid {
		a.found(Empty, "an agent that does nothing passes: the state it starts from is the expected one")
	}
}
