package conformance

import (
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/conformance/markup"
	"github.com/exodeck/exodeck/score/conformance/schema"
)

// Judge judges exchanges by rules. It may be used by several goroutines at a time.
type Judge struct {
	rules   Rules
	schemas schema.Cache
}

// New returns a judge. Rules that were not validated judge as if what does not exist were not there.
func New(r Rules) *Judge { return &Judge{rules: r} }

// Exchange judges one exchange by itself. It returns nil when the exchange is no model call, or has not ended.
func (g *Judge) Exchange(x *reading.Exchange) *Report {
	if !x.Facts.API.Model() || x.Ended == tape.InFlight {
		return nil
	}
	j := &trial{
		Exchange: x,
		judge:    g,
		a:        x.Answer,
		q:        askedOf(x.Request),
		report: &Report{
			Session: x.Session, Seq: x.Seq, API: x.Facts.API, Model: x.Facts.Model, Ended: x.Ended,
			ToolCalls: []ToolUse{}, Problems: []Problem{},
		},
	}
	j.prepare()
	for _, c := range checks {
		if !j.over || c.always {
			c.run(j)
		}
	}
	j.finish()
	j.choices()
	return j.report
}

// check is one test of an exchange.
type check struct {
	run func(*trial)
	// always says that it is made although the judgement of the answer is over, choice that it is made of each choice of the answer.
	always, choice bool
}

// checks lists all tests in the order in which they are made. Later ones rely on what earlier ones found: see [trial.over].
var checks = []check{
	// The request.
	{run: (*trial).toolResults, always: true},
	{run: (*trial).toolSchemas, always: true},
	// Whether there is an answer at all.
	{run: (*trial).noRecord},
	{run: (*trial).httpError},
	{run: (*trial).clientGone},
	{run: (*trial).bodyNotJSON},
	{run: (*trial).otherMode},
	// The bytes and the format. Those that were noted before an error count although it ends the judgement.
	{run: (*trial).contentType},
	{run: (*trial).silence},
	{run: (*trial).errorReported},
	{run: (*trial).noted, always: true, choice: true},
	{run: (*trial).malformed},
	{run: (*trial).ending},
	// What the answer says.
	{run: (*trial).toolNames, choice: true},
	{run: (*trial).toolIDs, choice: true},
	{run: (*trial).toolArguments, choice: true},
	{run: (*trial).toolChoice, choice: true},
	{run: (*trial).leakedText, choice: true},
	{run: (*trial).callInText, choice: true},
	{run: (*trial).budget, choice: true},
	{run: (*trial).emptiness, choice: true},
	{run: (*trial).finishReason, choice: true},
	{run: (*trial).usage},
	{run: (*trial).replacements, choice: true},
}

// trial is the judging of one exchange.
type trial struct {
	*reading.Exchange
	judge  *Judge
	a      *wire.Answer // nil when there is no answer to read
	q      *asked       // nil when the request cannot be read
	report *Report

	args []arguments // of each call of the answer
	// choiceAt is where the choice stands in a whole body; "" until needed, see [trial.inBody].
	choiceAt string
	// seen has all problems, also those that the rules leave out.
	seen map[string]*Problem
	// over says that the judgement of the answer has ended: what follows from what was found is not told again.
	over bool
	// unjudged says that neither verdict can be given, noCalls that the calls cannot be judged.
	unjudged, noCalls bool
	// unread is the problem for which no client reads the answer, whatever it says; "" for none.
	unread string

	// text is the answer's text without code; leaked is the markup in it, meant are the calls to offered tools in it.
	text   string
	leaked []markup.Marker
	meant  []markup.Call
	// thought are the calls to offered tools in the reasoning, failed those in the text of an error.
	thought, failed []markup.Call
}

// prepare reads the calls of the answer.
func (j *trial) prepare() {
	j.seen = make(map[string]*Problem)
	if j.a == nil {
		return
	}
	j.report.Stream = j.a.Stream
	j.report.FinishReason = j.a.FinishReason
	for i := range j.a.ToolCalls {
		c := &j.a.ToolCalls[i]
		args := argumentsOf(j.a.API, j.a.Stream, c)
		if t := j.tool(c.Name); t != nil && t.text {
			args = arguments{shape: isText}
		}
		j.args = append(j.args, args)
		use := ToolUse{Name: strings.ToValidUTF8(c.Name, "\ufffd"), Arguments: args.value(c)}
		if c.HasID {
			id := c.ID
			use.ID = &id
		}
		j.report.ToolCalls = append(j.report.ToolCalls, use)
	}
}

// tool returns the tool on offer that a name means; nil for none.
func (j *trial) tool(name string) *offered {
	if j.q == nil {
		return nil
	}
	return j.q.tools[name]
}

// add tells a problem.
func (j *trial) add(code string, where Where, detail string) {
	if p := j.seen[code]; p != nil {
		if p.Count++; len(p.Also) < morePlaces {
			p.Also = append(p.Also, where)
		}
		return
	}
	j.seen[code] = &Problem{Code: code, Where: where, Detail: strings.ToValidUTF8(detail, "\ufffd"), Count: 1}
}

// has reports whether one of the problems was told.
func (j *trial) has(codes ...string) bool {
	return slices.ContainsFunc(codes, func(code string) bool { return j.seen[code] != nil })
}

// finish fills in the report.
func (j *trial) finish() *Report {
	r := j.report
	var all []Problem
	for _, c := range Codes {
		p := j.seen[c.Name]
		if p == nil {
			continue
		}
		p.Severity, p.Group, p.Side = j.judge.rules.SeverityOf(c), c.Group, c.Side
		all = append(all, *p)
		if j.judge.rules.Wants(c) {
			r.Problems = append(r.Problems, *p)
		}
	}
	r.broken = j.has(incomparable...)
	r.Calls, r.Protocol = j.verdicts(r.Problems)
	r.all, _ = j.verdicts(all)
	j.blame()
	r.hide()
	return r
}

// callsCodes are the problems of other groups that make an agent do the wrong thing.
var callsCodes = []string{"finish-reason-mismatch", "missing-finish-reason", "stream-error-event"}

// verdicts gives both verdicts from problems.
func (j *trial) verdicts(problems []Problem) (calls, protocol Verdict) {
	calls, protocol = OK, OK
	if j.noCalls {
		calls = NotJudged
	}
	if j.unjudged {
		return NotJudged, NotJudged
	}
	for _, p := range problems {
		if p.Severity != Error {
			continue
		}
		ofCalls := p.Group == ToolCall || p.Group == Content || slices.Contains(callsCodes, p.Code)
		switch {
		case ofCalls:
			calls = Failed
		case p.Code == "truncated-stream" && !j.finishedCall(), p.Code == j.unread:
			calls, protocol = Failed, Failed
		default:
			protocol = Failed
		}
	}
	return calls, protocol
}

// finishedCall reports whether one of the calls is whole.
func (j *trial) finishedCall() bool {
	return slices.ContainsFunc(j.args, func(a arguments) bool { return a.shape == isObject })
}
