package explain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/explain"
	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/exodeck/exodeck/simenv/rollout"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func miniSample(t *testing.T, l dataset.Language, id string) *dataset.Sample {
	t.Helper()
	set, err := dataset.Mini().Load(l, dataset.CategoryOf(id, ""))
	if err != nil {
		t.Fatal(err)
	}
	s := set.Sample(id)
	if s == nil {
		t.Fatalf("the mini data set has no sample %s", id)
	}
	return s
}

func miniWorld(t *testing.T, l dataset.Language) *simenv.World {
	t.Helper()
	tables, err := dataset.Mini().World(l)
	if err != nil {
		t.Fatal(err)
	}
	world, err := simenv.ReadWorld(string(l), tables)
	if err != nil {
		t.Fatal(err)
	}
	return world
}

// TestFault: whose fault it was is told when somebody looked.
func TestFault(t *testing.T) {
	sample := miniSample(t, dataset.English, "special_irrelevant_1")
	c := explain.Case{
		Sample: sample, Answer: &acebench.Answer{ID: sample.ID, Text: "<think>no"}, Exchanges: []tape.Ref{{Session: "s", Seq: 3}},
		Fault: &score.Fault{Blame: "server", Exchange: 1, Evidence: []string{"the reasoning was not taken out"}},
	}
	var got bytes.Buffer
	if err := explain.Explain(c).WriteText(&got); err != nil {
		t.Fatal(err)
	}
	if want := "\nWhose fault\n  blame server in s/3\n  because the reasoning was not taken out\n"; !strings.HasSuffix(got.String(), want) {
		t.Errorf("%q does not end in %q", got.String(), want)
	}
	data, err := json.Marshal(explain.Explain(c))
	if err != nil {
		t.Fatal(err)
	}
	if want := `"fault":{"blame":"server","exchange":1,"evidence":["the reasoning was not taken out"]}`; !strings.Contains(string(data), want) {
		t.Errorf("%s has no %s", data, want)
	}
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		name     string
		language dataset.Language
		id       string
		answer   string
	}{
		{"right", dataset.English, "normal_atom_list_1", "[Garden_waterBeds(beds=['herbs', 'lettuce', 'beans'], minutes=3)]"},
		{"number_not_compared", dataset.English, "normal_atom_bool_0", "[Library_bookRoom(date='2024-06-01', seats=5, quiet=False)]"},
		{"contained", dataset.English, "normal_atom_enum_0", "[Lamp_set(room='the bedroom upstairs', colour='warm')]"},
		{"left_out", dataset.English, "normal_atom_list_1", "[Garden_waterBeds(beds=['herbs', 'lettuce', 'beans'])]"},
		{"prose", dataset.English, "normal_atom_number_0", "Here you are:\n[Harbor_reserveBerth(boat='Gull', metres=9.5)]\nFair winds!"},
		{"not_calls", dataset.English, "normal_atom_number_1", "I rented the bike."},
		{"wrong_function", dataset.English, "normal_similar_api_0", "[Trail_checkSnow(trail='Mill Path')]"},
		{"parallel", dataset.English, "normal_single_turn_parallel_function_0", "[Trail_checkSnow(trail='Mill Path'), Trail_checkSnow(trail='Oak Loop'), Trail_checkMud(trail='Fir Loop')]"},
		{"not_one_to_one", dataset.English, "normal_single_turn_parallel_function_2", "[Lamp_set(room='kitchen or study', colour='warm or cold'), Lamp_set(room='attic', colour='neutral')]"},
		{"objects", dataset.English, "normal_atom_object_deep_0", "[Choir_planConcert(concert={'place': {'town': 'Vela', 'hall': 'New Hall'}, 'date': '2024-09-14', 'singers': 24}, dress='black')]"},
		{"chinese", dataset.Chinese, "normal_atom_bool_0", "[图书馆(日期='2024-06-01')]"},
		{"empty", dataset.English, "normal_preference_0", ""},
		{"escapes", dataset.English, "normal_preference_0", "\x1b[31m[Harbor_getTide(port='Ve\\x1b[0mla')]"},
		{"incomplete", dataset.English, "special_incomplete_1", "Missing necessary parameters (date) for the api (Library_bookRoom)"},
		{"error_param", dataset.English, "special_error_param_0", "There is incorrect value (minus-two-hundred) for the parameters (degrees) in the conversation history."},
		{"irrelevant", dataset.Chinese, "special_irrelevant_0", "我不能"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := miniSample(t, tt.language, tt.id)
			e := explain.Explain(explain.Case{Sample: s, Answer: &acebench.Answer{ID: tt.id, Text: tt.answer, Place: "answers.jsonl:7"}})
			var text bytes.Buffer
			if err := e.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, *update, "testdata/answer_"+tt.name+".txt", text.Bytes())
			if _, err := json.Marshal(e); err != nil {
				t.Errorf("as JSON: %v", err)
			}
		})
	}
}

// TestPartsAreFoundInWhatIsJudged: the official runner sees the reasoning too, so its rules find what stands only there.
func TestPartsAreFoundInWhatIsJudged(t *testing.T) {
	s := miniSample(t, dataset.English, "special_irrelevant_1")
	e := explain.Explain(explain.Case{Sample: s, Answer: &acebench.Answer{ID: s.ID, Text: "No.", Sent: "<think>It is the limitations of the function.</think>No."}})
	want := []explain.Part{{What: "sentence", Text: "the limitations of the function", Found: map[string]bool{"evalscope": false, "official": true, "strict": false}}}
	if diff := cmp.Diff(want, e.Special.Parts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, v := range e.Verdicts {
		if v.Valid != want[0].Found[v.Rules] {
			t.Errorf("%s: valid %t", v.Rules, v.Valid)
		}
	}
}

// play runs a rollout whose models have their lines by heart.
func play(t *testing.T, s *dataset.Sample, agent, user []string) *rollout.Result {
	t.Helper()
	templates, err := dataset.Mini().Templates()
	if err != nil {
		t.Fatal(err)
	}
	runner := &rollout.Runner{
		Worlds:   simenv.Worlds{string(s.Language): miniWorld(t, s.Language)},
		Prompts:  rollout.Prompts(templates),
		Agent:    lines(agent),
		User:     lines(user),
		MaxSteps: rollout.DefaultMaxSteps,
	}
	result, err := runner.Run(context.Background(), &rollout.Sample{
		Category: string(s.Category), Language: string(s.Language), Question: s.Question,
		Functions: s.Function, Config: s.InitialConfig, Classes: s.InvolvedClasses,
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func lines(all []string) rollout.Model {
	return rollout.ModelFunc(func(context.Context, rollout.Request) (string, error) {
		if len(all) == 0 {
			return rollout.FinishMarker, nil
		}
		line := all[0]
		all = all[1:]
		return line, nil
	})
}

func traceOf(process []string) pyvalue.Value {
	list := pyvalue.NewList()
	for _, message := range process {
		list.Append(pyvalue.Str(message))
	}
	return list
}

func TestAgents(t *testing.T) {
	tests := []struct {
		name        string
		language    dataset.Language
		id          string
		agent, user []string
		results     bool // only what a result file keeps
	}{
		{name: "right", language: dataset.English, id: "agent_multi_step_0", agent: []string{
			"[turn_on_wifi()]", "[get_earliest_message_id()]", "[delete_message(message_id=1)]",
			"[send_message(sender_name='Ada', receiver_name='Chloé', message='Soup at six')]",
		}},
		{name: "wrong_order", language: dataset.English, id: "agent_multi_step_0", agent: []string{
			"[get_earliest_message_id(), turn_on_wifi()]", "Which one shall I delete?", "[delete_message(message_id=1)]", "[get_earliest_message_id()]",
			"[send_message(sender_name='Ada', receiver_name='Chloé', message='Soup at 6')]",
		}},
		{name: "results", language: dataset.English, id: "agent_multi_step_0", results: true, agent: []string{
			"[delete_message(message_id=3), turn_on_wifi()]", "[send_message(sender_name='Ada', receiver_name='Bruno', message='Soup at six')]",
		}},
		{name: "alternatives", language: dataset.English, id: "agent_multi_step_1", agent: []string{"[turn_on_wifi()]"}},
		{name: "dialogue", language: dataset.English, id: "agent_multi_turn_0",
			agent: []string{"What shall I remind you of?", "[add_reminder(title='Glaze', description='Fire the kiln', time='2024-07-21 10:00')]", "Done."},
			user:  []string{"A reminder, please.", "Glaze: fire the kiln, 2024-07-21 10:00.", rollout.FinishMarker},
		},
		{name: "chinese", language: dataset.Chinese, id: "agent_multi_step_0", agent: []string{"[turn_on_wifi()]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := miniSample(t, tt.language, tt.id)
			played := play(t, s, tt.agent, tt.user)
			c := explain.Case{
				Sample:     s,
				Answer:     &acebench.Answer{ID: tt.id, State: played.EndState, Trace: traceOf(played.Process)},
				Trajectory: played.Trajectory,
				World:      miniWorld(t, tt.language),
			}
			if tt.results {
				c.Trajectory = nil
			}
			var text bytes.Buffer
			if err := explain.Explain(c).WriteText(&text); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, *update, "testdata/agent_"+tt.name+".txt", text.Bytes())
		})
	}
}

// TestNotJudged: what cannot be judged says why, and shows what there is.
func TestNotJudged(t *testing.T) {
	s := miniSample(t, dataset.English, "normal_atom_bool_1")
	tests := []struct {
		name   string
		answer *acebench.Answer
	}{
		{"missing", nil},
		{"ambiguous", &acebench.Answer{Text: "[Harbor_getTide(port='Vela')]", Status: acebench.Ambiguous, Note: "two samples ask the same and got different answers"}},
		{"broken_off", &acebench.Answer{Status: acebench.Missing, Note: "the stream broke off"}},
		{"not_text", &acebench.Answer{NotText: true, Place: "data_normal_atom_bool_result.json:2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var text bytes.Buffer
			if err := explain.Explain(explain.Case{Sample: s, Answer: tt.answer}).WriteText(&text); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, *update, "testdata/answer_"+tt.name+".txt", text.Bytes())
		})
	}
}

// TestRolloutBrokenOff: of a rollout that got no answer at some step, what came before is shown.
func TestRolloutBrokenOff(t *testing.T) {
	s := miniSample(t, dataset.English, "agent_multi_step_1")
	played := play(t, s, []string{"[turn_on_wifi()]"}, nil)
	answer := &acebench.Answer{Status: acebench.Missing, Note: "asking the agent at step 2: connection reset", Trace: traceOf(played.Process)}
	var text bytes.Buffer
	if err := explain.Explain(explain.Case{Sample: s, Answer: answer, Trajectory: played.Trajectory[:3]}).WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, *update, "testdata/agent_broken_off.txt", text.Bytes())
}

// TestWorldMissing: without a world the messages are shown alone.
func TestWorldMissing(t *testing.T) {
	s := miniSample(t, dataset.English, "agent_multi_step_0")
	answer := &acebench.Answer{Trace: traceOf([]string{"[turn_on_wifi()]"})}
	got := explain.Explain(explain.Case{Sample: s, Answer: answer}).Agent
	want := []explain.Line{
		{Step: -1, From: rollout.User, Text: s.Question},
		{Step: -1, Message: 1, From: rollout.Agent, Text: "[turn_on_wifi()]"},
	}
	if diff := cmp.Diff(want, got.Dialogue); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !got.NoState || !got.Rebuilt {
		t.Errorf("NoState %v, Rebuilt %v, want both true", got.NoState, got.Rebuilt)
	}
}

// TestMisspeltClass: a class that the ground truth misspells is shown beside the recorded one.
func TestMisspeltClass(t *testing.T) {
	s := *miniSample(t, dataset.English, "agent_multi_turn_0")
	truth := s.GroundTruth.(*pyvalue.List)
	_, attributes := truth.Items[1].(*pyvalue.Dict).At(0)
	s.GroundTruth = pyvalue.NewList(truth.Items[0], pyvalue.DictOf("ReminderAPI", attributes))
	state := pyvalue.NewList(truth.Items[0], pyvalue.DictOf("ReminderApi", pyvalue.DictOf("reminder_list", pyvalue.NewDict())))
	e := explain.Explain(explain.Case{Sample: &s, Answer: &acebench.Answer{State: state}})
	var text bytes.Buffer
	if err := e.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, *update, "testdata/agent_misspelt.txt", text.Bytes())
	if !e.Disagree {
		t.Error("the rule sets agree, although only strict rules compare a misspelt class")
	}
}
