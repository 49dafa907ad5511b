package explain

import (
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// A Normal takes an answer apart that is a list of calls.
type Normal struct {
	Readings     []Reading     `json:"readings"`     // how the rule sets read the text
	Alternatives []Alternative `json:"alternatives"` // the ground truth beside what was given
}

// A Reading is what one or several rule sets make of the text.
type Reading struct {
	Rules []string `json:"rules"`
	Calls []string `json:"calls"`
	Error string   `json:"error,omitempty"` // why the text could not be read
}

// An Alternative is one alternative of the ground truth with the calls that were given for it.
type Alternative struct {
	Calls []Pair   `json:"calls"`
	Extra []string `json:"extra,omitempty"` // given calls that nothing expects
}

// A Pair is an expected call and the given call that comes closest to it, of the same name if there is one.
type Pair struct {
	Expected  string     `json:"expected"`        // name of the function
	Given     string     `json:"given,omitempty"` // name of the given call; "" when none is left
	Arguments []Argument `json:"arguments"`
	// Verdicts says what each rule set that could read the call makes of the whole of it, were it of the expected name. Seldom that is
	// another verdict than those on the arguments add up to, as on a call without any.
	Verdicts map[string]string `json:"verdicts"`
	// Elsewhere holds, by rule set, another given call that meets the expected one. The reference rules do not match calls one to one.
	Elsewhere map[string]string `json:"elsewhere,omitempty"`
}

// An Argument is one argument, expected, given or both. Values are as Python prints them, "" for none.
type Argument struct {
	Name     string `json:"name"`
	Expected string `json:"expected"`
	Given    string `json:"given"`
	// Verdicts says what each rule set that could read the call makes of this argument: "ok" or an error type.
	Verdicts map[string]string `json:"verdicts"`
	// Read tells what a rule set reads, where that is not what is given: white space may be removed first.
	Read map[string]string `json:"read,omitempty"`
	// Why says why a rule set passes the argument although another does not.
	Why string `json:"why,omitempty"`
}

// Differs tells whether some rule set finds the argument wrong.
func (a *Argument) Differs() bool {
	for _, verdict := range a.Verdicts {
		if verdict != passed {
			return true
		}
	}
	return false
}

// passed is the verdict on a part that a rule set finds nothing wrong with.
const passed = "ok"

// callText writes a decoded call as it would stand in an answer.
func callText(c decode.Call) string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = a.Name + "=" + pyvalue.Repr(a.Value)
	}
	return c.Name + "(" + strings.Join(args, ", ") + ")"
}

func newNormal(s *dataset.Sample, a *acebench.Answer) *Normal {
	n := &Normal{}
	read := map[rules.Rules][]decode.Call{}
	var lead []decode.Call // what the first rule set reads that can read the text at all
	for _, r := range rules.All() {
		calls, err := decode.Calls(r, s.Category.Dialogues(), a.Said(r))
		n.reading(r, calls, err)
		if err == nil {
			read[r] = calls
			if lead == nil {
				lead = calls
			}
		}
	}
	for _, truth := range dataset.Alternatives(s.GroundTruth) {
		c := comparison{sample: s, lead: lead, read: read}
		n.Alternatives = append(n.Alternatives, c.compare(s.Expected(truth)))
	}
	return n
}

// reading adds what a rule set reads, to those that read the same.
func (n *Normal) reading(r rules.Rules, calls []decode.Call, err error) {
	got := Reading{Rules: []string{r.String()}, Calls: make([]string, len(calls))}
	for i, c := range calls {
		got.Calls[i] = callText(c)
	}
	if err != nil {
		got.Error = err.Error()
	}
	for i := range n.Readings {
		if old := &n.Readings[i]; old.Error == got.Error && strings.Join(old.Calls, "\n") == strings.Join(got.Calls, "\n") {
			old.Rules = append(old.Rules, r.String())
			return
		}
	}
	n.Readings = append(n.Readings, got)
}

// A comparison puts given calls beside expected ones.
type comparison struct {
	sample *dataset.Sample
	lead   []decode.Call
	read   map[rules.Rules][]decode.Call
	used   []bool // by call of lead
}

func (c *comparison) compare(expected []dataset.Expected) Alternative {
	given := c.assign(expected)
	var a Alternative
	for i, w := range expected {
		if given[i] < 0 { // nothing of the name: the first call that nothing else expects stands beside it
			given[i] = c.left(expected)
		}
		p := c.pair(w, given[i])
		c.elsewhere(&p, w)
		a.Calls = append(a.Calls, p)
	}
	for i, call := range c.lead {
		if !c.used[i] {
			a.Extra = append(a.Extra, callText(call))
		}
	}
	return a
}

// assign finds for each expected call the given one of the same name that comes closest to it, -1 where none is left. Of all pairs the
// one with the fewest wrong arguments is taken first.
func (c *comparison) assign(expected []dataset.Expected) []int {
	c.used = make([]bool, len(c.lead))
	type candidate struct{ expected, given, wrong int }
	var candidates []candidate
	for i, w := range expected {
		for j, call := range c.lead {
			if call.Name == w.Name {
				p := c.pair(w, j)
				candidates = append(candidates, candidate{i, j, p.wrong()})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return a.wrong - b.wrong })
	given := make([]int, len(expected))
	for i := range given {
		given[i] = -1
	}
	for _, x := range candidates {
		if given[x.expected] < 0 && !c.used[x.given] {
			given[x.expected] = x.given
			c.used[x.given] = true
		}
	}
	return given
}

// elsewhere looks for other given calls that meet an expected call whose own is wrong.
func (c *comparison) elsewhere(p *Pair, w dataset.Expected) {
	for _, r := range []rules.Rules{rules.Evalscope, rules.Official} {
		if verdict, judged := p.Verdicts[r.String()]; !judged || verdict == passed {
			continue
		}
		for i := range c.lead {
			call, ok := c.sameCall(r, i)
			if !ok || call.Name != w.Name || judge(r, c.sample.Category, w.Function, w.Args, call.Args) != passed {
				continue
			}
			if p.Elsewhere == nil {
				p.Elsewhere = map[string]string{}
			}
			p.Elsewhere[r.String()] = callText(call)
			break
		}
	}
}

// wrong counts the verdicts against arguments.
func (p *Pair) wrong() int {
	n := 0
	for i := range p.Arguments {
		for _, verdict := range p.Arguments[i].Verdicts {
			if verdict != passed {
				n++
			}
		}
	}
	return n
}

// left finds an unused call of a name that is not expected at all, -1 when there is none.
func (c *comparison) left(expected []dataset.Expected) int {
	for i, call := range c.lead {
		known := false
		for _, w := range expected {
			known = known || w.Name == call.Name
		}
		if !c.used[i] && !known {
			c.used[i] = true
			return i
		}
	}
	return -1
}

// pair compares an expected call with the i-th given one, or with none.
func (c *comparison) pair(w dataset.Expected, i int) Pair {
	p := Pair{Expected: w.Name, Verdicts: map[string]string{}}
	var arguments []string
	for name := range w.Args.All() {
		arguments = append(arguments, pyvalue.String(name))
	}
	if i >= 0 {
		p.Given = c.lead[i].Name
		for _, r := range rules.All() {
			call, ok := c.sameCall(r, i)
			if !ok {
				continue
			}
			p.Verdicts[r.String()] = judge(r, c.sample.Category, w.Function, w.Args, call.Args)
			for _, a := range call.Args {
				if !slices.Contains(arguments, a.Name) {
					arguments = append(arguments, a.Name)
				}
			}
		}
	}
	for _, name := range arguments {
		p.Arguments = append(p.Arguments, c.argument(w, name, i))
	}
	return p
}

// sameCall returns what a rule set reads where the leading one reads the i-th call. A rule set that reads other calls has none: what
// it read is shown apart, and its verdict is on that.
func (c *comparison) sameCall(r rules.Rules, i int) (decode.Call, bool) {
	calls := c.read[r]
	if len(calls) != len(c.lead) || calls[i].Name != c.lead[i].Name {
		return decode.Call{}, false
	}
	return calls[i], true
}

// Odd tells whether a rule set's verdict on the whole call is another than its verdicts on the arguments add up to.
func (p *Pair) Odd(r rules.Rules) bool {
	right := true
	for i := range p.Arguments {
		right = right && p.Arguments[i].Verdicts[r.String()] == passed
	}
	whole, judged := p.Verdicts[r.String()]
	return judged && right != (whole == passed)
}

func (c *comparison) argument(w dataset.Expected, name string, i int) Argument {
	a := Argument{Name: name, Verdicts: map[string]string{}}
	want, _ := w.Args.GetStr(name)
	a.Expected = printed(want)
	if i < 0 {
		return a
	}
	given := find(c.lead[i], name)
	a.Given = printed(given)
	var lenient []rules.Rules
	for _, r := range rules.All() {
		call, ok := c.sameCall(r, i)
		if !ok {
			continue
		}
		got := find(call, name)
		verdict := judgeArgument(r, c.sample.Category, w, name, want, got)
		a.Verdicts[r.String()] = verdict
		if read := printed(got); read != a.Given {
			if a.Read == nil {
				a.Read = map[string]string{}
			}
			a.Read[r.String()] = read
		}
		if verdict == passed {
			lenient = append(lenient, r)
		}
	}
	if why := leniency(w, name, want, given, lenient); a.Differs() && why != "" {
		a.Why = names(lenient) + ": " + why
	}
	return a
}

// find returns the value of an argument, nil when it is not given.
func find(c decode.Call, name string) pyvalue.Value {
	for _, a := range c.Args {
		if a.Name == name {
			return a.Value
		}
	}
	return nil
}

func printed(v pyvalue.Value) string {
	if v == nil {
		return ""
	}
	return pyvalue.Repr(v)
}

// carrier is the name of the function when the checker is asked about a single call: a name without a number at its end, whatever the
// data calls the function.
const carrier = "f"

// filler is the name of an argument that is always right, so that a call with it is never empty. The data has no such name.
const filler = " "

// judge asks the checker of a rule set about the arguments of one call, as the only call of a sample.
func judge(r rules.Rules, category dataset.Category, function, expected *pyvalue.Dict, given []decode.Arg) string {
	f := function.Copy()
	f.SetStr("name", pyvalue.Str(carrier))
	v, err := check.NewKey(r, category, pyvalue.NewList(f), pyvalue.DictOf(carrier, expected)).Check([]decode.Call{{Name: carrier, Args: given}})
	switch {
	case err != nil:
		return err.Error()
	case v.Valid:
		return passed
	}
	return v.Type
}

// judgeArgument asks about one argument, beside one that is right. A nil want is not expected, a nil got is not given.
func judgeArgument(r rules.Rules, category dataset.Category, w dataset.Expected, name string, want, got pyvalue.Value) string {
	right := pyvalue.Bool(true)
	properties := pyvalue.DictOf(filler, pyvalue.DictOf("type", pyvalue.Str("boolean")))
	if property, ok := dataset.Properties(w.Function).GetStr(name); ok {
		properties.SetStr(name, property)
	}
	required := pyvalue.NewList()
	if slices.Contains(dataset.Required(w.Function), name) {
		required.Append(pyvalue.Str(name))
	}
	expected := pyvalue.DictOf(filler, right)
	if want != nil {
		expected.SetStr(name, want)
	}
	given := []decode.Arg{{Name: filler, Value: right}}
	if got != nil {
		given = append(given, decode.Arg{Name: name, Value: got})
	}
	return judge(r, category, pyvalue.DictOf("parameters", pyvalue.DictOf("properties", properties, "required", required)), expected, given)
}

// names joins the names of rule sets.
func names(all []rules.Rules) string {
	var words []string
	for _, r := range all {
		words = append(words, r.String())
	}
	return strings.Join(words, " and ")
}

// leniency says why some rule sets pass an argument that another does not, "" where that is not a question of rules but of what they
// read.
func leniency(w dataset.Expected, name string, want, got pyvalue.Value, lenient []rules.Rules) string {
	if len(lenient) == 0 {
		return ""
	}
	if slices.Contains(lenient, rules.Strict) {
		if want == nil && len(lenient) == 1 {
			return "the value is the schema's default"
		}
		return ""
	}
	if got == nil {
		return "an argument that the schema does not require may be left out"
	}
	declared, _ := object(dataset.Properties(w.Function), name).GetStr("type")
	switch name, _ := declared.(pyvalue.Str); name {
	case "integer", "number", "float", "boolean":
		return "values of a declared " + string(name) + " are not compared"
	case "string":
		return "the expected text need only be contained in the given one"
	case "object", "array":
		return "inside objects a printed expected value need only be contained in the given one"
	}
	return ""
}
