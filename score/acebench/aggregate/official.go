package aggregate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// An OfficialCategory is the score of one category as the official scorer writes it at the head of a score file.
type OfficialCategory struct {
	Accuracy        float64
	ProcessAccuracy *float64 // dialogues and agents only
	Correct, Total  int      // samples, also where dialogues are counted
}

// A Cell is one column of the official result sheet.
type Cell struct {
	Column string
	Value  float64
}

// A Row is the official result sheet's row, column by column in its order. As JSON it is an object.
type Row []Cell

// MarshalJSON writes the columns in their order.
func (r Row) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, cell := range r {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, cell.Column)
		b = append(b, ':')
		b = strconv.AppendFloat(b, cell.Value, 'f', -1, 64)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads the columns in the order in which they stand.
func (r *Row) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		column, err := d.Token()
		if err != nil {
			return err
		}
		cell := Cell{Column: fmt.Sprint(column)}
		if err := d.Decode(&cell.Value); err != nil {
			return fmt.Errorf("column %s: %w", cell.Column, err)
		}
		*r = append(*r, cell)
	}
	return nil
}

// A Table holds the scores as the official scorer computes them.
type Table struct {
	Categories map[dataset.Category]OfficialCategory
	Row        Row // all columns after the model's name
}

// Official counts samples up as the official scorer does. Dialogues are runs of samples next to each other, so the order of the
// samples is that of the result files. A sample that was dropped is not counted; the official scorer itself would have stopped.
func Official(samples []Sample) Table {
	t := Table{Categories: map[dataset.Category]OfficialCategory{}}
	for c, judged := range byCategory(samples) {
		t.Categories[c] = officialCategory(c, judged)
	}
	t.Row = t.row()
	return t
}

func officialCategory(c dataset.Category, judged []Sample) OfficialCategory {
	right, n := countRight(judged), float64(len(judged))
	got := OfficialCategory{Correct: right, Total: len(judged)}
	switch {
	case c.Dialogues():
		whole, process := means(dialoguesInARow(judged))
		process = pyvalue.Round(process, 3)
		got.Accuracy, got.ProcessAccuracy = pyvalue.Round(whole, 3), &process
	case c.Family() == dataset.Agent:
		process := pyvalue.Round(progress(judged)/n, 3)
		got.Accuracy, got.ProcessAccuracy = pyvalue.Round(float64(right)/n, 3), &process
	case c.Family() == dataset.Special:
		got.Accuracy = float64(right) / n
	default:
		got.Accuracy = pyvalue.Round(float64(right)/n, 3)
	}
	return got
}

// dialoguesInARow joins neighbours that have the same second-to-last part in their ids.
func dialoguesInARow(judged []Sample) []dialogue {
	var all []dialogue
	last := ""
	for i, s := range judged {
		turn := ""
		if parts := strings.Split(s.ID, "_"); len(parts) > 1 {
			turn = parts[len(parts)-2]
		}
		if i == 0 || turn != last {
			all = append(all, dialogue{})
		}
		last = turn
		d := &all[len(all)-1]
		d.steps++
		if s.Right {
			d.right++
		}
	}
	return all
}

// progress adds up the progress of agents: a single list of milestones counts with its unrounded share.
func progress(judged []Sample) float64 {
	sum := 0.0
	for _, s := range judged {
		switch {
		case s.Right:
			sum++
		case s.Total > 0:
			sum += float64(s.Matched) / float64(s.Total)
		default:
			sum += s.Process
		}
	}
	return sum
}

// row computes the result sheet. Deep and short objects stand under each other's names, as they do in the official sheet.
func (t *Table) row() Row {
	one := func(c dataset.Category) float64 { return t.Categories[c].Accuracy }
	process := func(c dataset.Category) float64 {
		if p := t.Categories[c].ProcessAccuracy; p != nil {
			return *p
		}
		return 0
	}
	mean := func(categories ...dataset.Category) float64 {
		sum := 0.0
		for _, c := range categories {
			sum += one(c)
		}
		return pyvalue.Round(sum/float64(len(categories)), 3)
	}
	special := mean(expand("special")...)
	normal := mean(dataset.SingleTurnSingle, dataset.SingleTurnParallel, dataset.MultiTurnSwitch, dataset.MultiTurnAdjust, dataset.SimilarAPI,
		dataset.Preference, dataset.AtomBool, dataset.AtomEnum, dataset.AtomNumber, dataset.AtomList, dataset.AtomObjectDeep, dataset.AtomObjectShort)
	agent := mean(dataset.AgentMultiTurn, dataset.AgentMultiStep)
	return Row{
		{"bool", one(dataset.AtomBool)},
		{"enum", one(dataset.AtomEnum)},
		{"number", one(dataset.AtomNumber)},
		{"list", one(dataset.AtomList)},
		{"object_short", one(dataset.AtomObjectDeep)},
		{"object_deep", one(dataset.AtomObjectShort)},
		{"atom", mean(expand("atom")...)},
		{"single_turn_singal_function", one(dataset.SingleTurnSingle)},
		{"single_turn_parallel_function", one(dataset.SingleTurnParallel)},
		{"single_turn", mean(dataset.SingleTurnSingle, dataset.SingleTurnParallel)},
		{"multiple_turn_switch", one(dataset.MultiTurnSwitch)},
		{"multiple_turn_adjust", one(dataset.MultiTurnAdjust)},
		{"multiple_turn", mean(dataset.MultiTurnSwitch, dataset.MultiTurnAdjust)},
		{"similar_api", one(dataset.SimilarAPI)},
		{"profile", one(dataset.Preference)},
		{"normal_summary", normal},
		{"incomplete", one(dataset.Incomplete)},
		{"error", one(dataset.ErrorParam)},
		{"irrelevant", one(dataset.Irrelevant)},
		{"special_summary", special},
		{"agent_multi_turn", one(dataset.AgentMultiTurn)},
		{"agent_multi_turn_process", process(dataset.AgentMultiTurn)},
		{"agent_multi_step", one(dataset.AgentMultiStep)},
		{"agent_multi_step_process", process(dataset.AgentMultiStep)},
		{"agent_summary", agent},
		{"Summary", pyvalue.Round(special*0.2676+normal*0.578+agent*0.1545, 3)},
	}
}
