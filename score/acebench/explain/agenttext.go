package explain

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

func (p *printer) agent(a *Agent) {
	p.heading("Dialogue")
	if a.Rebuilt {
		p.line("  Only the executed messages were recorded; what the agent was told is what the simulator answers them now.")
	}
	if len(a.Dialogue) == 0 {
		p.line("  No message of the agent was executed.")
	}
	for i := range a.Dialogue {
		p.dialogueLine(&a.Dialogue[i])
	}
	for i := range a.Milestones {
		t := &a.Milestones[i]
		p.heading("%s: %d of %d reached", numbered("Milestones", i, len(a.Milestones)), t.Reached, len(t.Milestones))
		for _, m := range t.Milestones {
			p.milestone(m)
		}
	}
	p.heading("End state")
	if a.NoState {
		p.line("  No end state was recorded: the rollout did not come to an end.")
	}
	unpaired := false
	for i := range a.State {
		p.class(&a.State[i])
		unpaired = unpaired || a.State[i].Expected != a.State[i].Recorded
	}
	if unpaired {
		p.line("  The reference rules compare the number of classes, and then only classes of the same name.")
	}
}

func (p *printer) dialogueLine(l *Line) {
	where := "      "
	switch {
	case l.Step >= 0:
		where = fmt.Sprintf("  %3d ", l.Step)
	case l.Message > 0:
		where = fmt.Sprintf("  m%-3d", l.Message)
	}
	first := where + fmt.Sprintf("%-9s ", l.From)
	rest := strings.Repeat(" ", len(first))
	switch len(l.Told) {
	case 0:
		p.indented(first, rest, l.Text)
	case 1:
		p.indented(first, rest, l.Told[0].Observation)
	default:
		for i, told := range l.Told {
			if i > 0 {
				first = rest
			}
			p.indented(first, rest, told.Call)
			p.indented(rest+"  ", rest+"  ", told.Observation)
		}
	}
}

func (p *printer) milestone(m Milestone) {
	if m.Message > 0 {
		at := fmt.Sprintf("message %d", m.Message)
		if m.Step >= 0 {
			at += fmt.Sprintf(", step %d", m.Step)
		}
		p.indented("  ✓ ", "    ", m.Text)
		p.line("    reached at %s", at)
		return
	}
	p.indented("≠   ", "    ", m.Text)
	switch {
	case m.Late > 0:
		p.line("    missed: message %d is equal to it, but the milestone before it had used up that message", m.Late)
	case m.Nearest != "":
		p.indented("    missed; nearest is ", "      ", m.Nearest)
	default:
		p.line("    missed: no message that was executed is like it")
	}
}

func (p *printer) class(c *Class) {
	switch {
	case c.Recorded == "":
		p.indented("≠ ", "  ", c.Expected+" was not recorded")
		return
	case c.Expected == "":
		p.indented("≠ ", "  ", c.Recorded+" was recorded, but nothing expects it")
		return
	case c.Recorded != c.Expected:
		p.indented("≠ ", "  ", c.Expected+" was expected, "+c.Recorded+" was recorded")
	case len(c.Attributes) == 0:
		p.indented("  ", "  ", fmt.Sprintf("%s: as expected (%d equal)", c.Recorded, c.Equal))
		return
	default:
		p.indented("  ", "  ", fmt.Sprintf("%s: %d equal, and these differ", c.Recorded, c.Equal))
	}
	if len(c.Attributes) == 0 {
		return
	}
	header, rows := table.Row{"", "attribute", "expected", "recorded"}, []table.Row{}
	for _, r := range rules.All() {
		header = append(header, r.String())
	}
	for i := range c.Attributes {
		a := &c.Attributes[i]
		row := table.Row{"≠", show.Printable(a.Path), orNothing(a.Expected), orNothing(a.Recorded)}
		if len(a.Inside) > 0 {
			row[2], row[3] = "(below)", ""
		}
		rows = append(rows, append(row, verdictCells(a.Verdicts)...))
		for _, d := range a.Inside {
			rows = append(rows, table.Row{"", "  " + show.Printable(d.Path), orNothing(d.Expected), orNothing(d.Recorded)})
		}
	}
	p.table("    ", header, rows, 3, 4)
}
