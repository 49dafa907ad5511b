package rollout

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/simenv/miniworld"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func miniBundle(t testing.TB) *bundle { return readBundle(t, miniworld.FS.ReadFile) }

// TestMilestones plays every sample of the mini bundle along every list of its milestones. All of them lead to the right state.
func TestMilestones(t *testing.T) {
	b := miniBundle(t)
	if len(b.samples) != 8 {
		t.Fatalf("%d samples, want 8", len(b.samples))
	}
	for _, id := range slices.Sorted(maps.Keys(b.samples)) {
		milestones := value(b.answers[id], "mile_stone").(*pyvalue.List)
		lists := []pyvalue.Value{milestones}
		if _, nested := milestones.Items[0].(*pyvalue.List); nested {
			lists = milestones.Items
		}
		for i, list := range lists {
			t.Run(fmt.Sprint(id, "/", i), func(t *testing.T) {
				model := &script{user: []string{"Hello.", FinishMarker}}
				for _, line := range list.(*pyvalue.List).Items {
					model.agent = append(model.agent, pyvalue.String(line))
				}
				process := slices.Clone(model.agent)
				model.agent = append(model.agent, FinishMarker)
				runner := &Runner{Worlds: b.worlds, Prompts: b.prompts, Agent: model, User: model, MaxSteps: DefaultMaxSteps}
				got, err := runner.Run(t.Context(), b.samples[id])
				if err != nil {
					t.Fatal(err)
				}
				if got.Finish != FinishMarker {
					t.Errorf("ends with %q", got.Finish)
				}
				if diff := cmp.Diff(process, got.Process); diff != "" {
					t.Errorf("process (-want +got):\n%s", diff)
				}
				if acc, reached := score(t, b.answers[id], got); acc != 1 || reached != 1 {
					t.Errorf("scores %v and %v; the state is %s", acc, reached, got.EndState)
				}
				if got, _ := score(t, b.answers[id], &Result{EndState: startOf(t, b, id)}); got != 0 {
					t.Error("doing nothing scores, too")
				}
			})
		}
	}
}

func startOf(t *testing.T, b *bundle, id string) *pyvalue.List {
	runner := &Runner{Worlds: b.worlds, Prompts: b.prompts, User: &script{user: []string{""}}}
	r, err := runner.Run(t.Context(), b.samples[id])
	if err != nil {
		t.Fatal(err)
	}
	return r.EndState
}

// small is a sample whose prompts are short enough to read.
func small(category, language string) *Sample {
	return &Sample{
		Category: category, Language: language, Question: "Call Ada.",
		Functions: pyvalue.NewList(pyvalue.DictOf("name", pyvalue.Str("f"), "on", pyvalue.Bool(true))),
		Classes:   []string{"BaseApi", "MessageApi"},
	}
}

// told renders a trajectory: a line an entry, with "> " before what came of calls.
func told(r *Result) []string {
	var lines []string
	for _, e := range r.Trajectory {
		mark := ""
		if e.Observations != nil {
			mark = fmt.Sprintf("%d> ", len(e.Calls))
		}
		if e.Unreadable != nil {
			mark = "unreadable> "
		}
		lines = append(lines, fmt.Sprintf("%d %s: %s%s", e.Step, e.From, mark, e.Text))
	}
	return lines
}

const wifiOn = "[{'status': True, 'message': 'Wi-Fi has been turned on'}]"

// room makes room in the inbox; mark then sends the finish marker as a message, without having it in one piece, and looks at it.
const (
	room      = "[turn_on_wifi(), delete_message(message_id=1)]"
	roomMade  = "[{'status': True, 'message': 'Wi-Fi has been turned on'}, {'status': True, 'message': 'Message ID 1 has been successfully deleted.'}]"
	mark      = "[send_message(sender_name='Ada', receiver_name='Ada', message='finish ' 'conversation'), search_messages(user_name='Ada', keyword='finish')]"
	markFound = "[{'status': True, 'message': 'Message successfully sent to Ada.'}, " +
		"{'status': True, 'messages': [{'id': 4, 'sender_id': 'P1', 'receiver_id': 'P1', 'message': 'finish conversation'}]}]"
)

// TestLoops shows what each loop makes of messages that are out of the ordinary.
func TestLoops(t *testing.T) {
	b := miniBundle(t)
	step, turn := "agent_multi_step", "agent_multi_turn"
	for _, tt := range []struct {
		name, category string
		agent, user    []string
		steps          int
		want           []string // the trajectory after its first entry
		process        []string
		finish         string
	}{
		{
			name: "prose is executed and costs a nudge", category: step, steps: 5,
			agent:   []string{"What is her number?", "[turn_on_wifi()]", "Done: finish conversation"},
			want:    []string{"0 agent: What is her number?", "1 executor: unreadable> " + Nudge, "2 agent: [turn_on_wifi()]", "3 executor: 1> " + wifiOn, "4 agent: Done: finish conversation"},
			process: []string{"What is her number?", "[turn_on_wifi()]"},
			finish:  FinishMarker,
		},
		{
			name: "marker in the first message", category: step, steps: 3,
			agent:   []string{FinishMarker, FinishMarker},
			want:    []string{"0 agent: finish conversation", "1 executor: unreadable> " + Nudge, "2 agent: finish conversation"},
			process: []string{FinishMarker},
			finish:  FinishMarker,
		},
		{
			name: "marker in what the executor says", category: step, steps: 9,
			agent:   []string{room, mark},
			want:    []string{"0 agent: " + room, "1 executor: 2> " + roomMade, "2 agent: " + mark, "3 executor: 2> " + markFound},
			process: []string{room, mark},
			finish:  FinishMarker,
		},
		{
			name: "empty message", category: step, steps: 2,
			agent:   []string{""},
			want:    []string{"0 agent: ", "1 executor: unreadable> " + Nudge},
			process: []string{""},
			finish:  Exceeded,
		},
		{
			name: "no calls", category: step, steps: 2,
			agent:   []string{"[Ada]"},
			want:    []string{"0 agent: [Ada]", "1 executor: 0> []"},
			process: []string{"[Ada]"},
			finish:  Exceeded,
		},
		{name: "no budget", category: step, finish: Exceeded},
		{
			name: "budget ends with the agent", category: step, steps: 1,
			agent:  []string{"[turn_on_wifi()]"},
			want:   []string{"0 agent: [turn_on_wifi()]"},
			finish: Exceeded,
		},
		{
			name: "talk and calls", category: turn, steps: 9,
			agent: []string{"agent: user: Whom?", "[turn_on_wifi()]", "Done."},
			user:  []string{"Hi.", "Ada.", "Then finish conversation"},
			want: []string{"0 agent: agent: user: Whom?", "1 user: Ada.", "2 agent: [turn_on_wifi()]", "3 executor: 1> " + wifiOn,
				"4 agent: Done.", "5 user: Then finish conversation"},
			process: []string{"[turn_on_wifi()]"},
			finish:  FinishMarker,
		},
		{
			name: "marker too early", category: turn, steps: 3,
			agent:  []string{FinishMarker, "So?"},
			user:   []string{FinishMarker, FinishMarker},
			want:   []string{"0 agent: finish conversation", "1 user: finish conversation", "2 agent: So?"},
			finish: Exceeded,
		},
		{
			name: "calls need brackets on one line", category: turn, steps: 6,
			agent: []string{"turn_on_wifi()", "[turn_on_wifi(\n)]", "[turn_on_wifi()]\n"},
			user:  []string{"a", "b", "c", "d"},
			want: []string{"0 agent: turn_on_wifi()", "1 user: b", "2 agent: [turn_on_wifi(\n)]", "3 user: c",
				"4 agent: [turn_on_wifi()]\n", "5 user: d"},
			finish: Exceeded,
		},
		{
			name: "a word in brackets is executed", category: turn, steps: 2,
			agent:   []string{"[Hello]"},
			user:    []string{""},
			want:    []string{"0 agent: [Hello]", "1 executor: 0> []"},
			process: []string{"[Hello]"},
			finish:  Exceeded,
		},
		{
			name: "silence goes to the user", category: turn, steps: 2,
			agent:  []string{""},
			user:   []string{"", "?"},
			want:   []string{"0 agent: ", "1 user: ?"},
			finish: Exceeded,
		},
		{
			name: "marker in what the executor says", category: turn, steps: 9,
			agent:   []string{room, mark},
			user:    []string{"a"},
			want:    []string{"0 agent: " + room, "1 executor: 2> " + roomMade, "2 agent: " + mark, "3 executor: 2> " + markFound},
			process: []string{room, mark},
			finish:  FinishMarker,
		},
		{name: "no budget for talk", category: turn, user: []string{"a"}, finish: Exceeded},
	} {
		t.Run(tt.category+"/"+tt.name, func(t *testing.T) {
			model := &script{agent: tt.agent, user: tt.user}
			runner := &Runner{Worlds: b.worlds, Prompts: b.prompts, Agent: model, User: model, MaxSteps: tt.steps}
			got, err := runner.Run(t.Context(), small(tt.category, "en"))
			if err != nil {
				t.Fatal(err)
			}
			opening := "-1 user: Call Ada."
			if tt.category == turn {
				opening = "-1 user: " + tt.user[0]
			}
			if diff := cmp.Diff(append([]string{opening}, tt.want...), told(got)); diff != "" {
				t.Errorf("trajectory (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.process, got.Process); diff != "" {
				t.Errorf("process (-want +got):\n%s", diff)
			}
			if got.Finish != tt.finish || got.Iterations != len(tt.want) {
				t.Errorf("ends with %q after %d, want %q after %d", got.Finish, got.Iterations, tt.finish, len(tt.want))
			}
		})
	}
}

// TestStepRequests reads what the agent is shown, word for word. It never sees its own messages.
func TestStepRequests(t *testing.T) {
	b := miniBundle(t)
	model := &script{agent: []string{"[turn_on_wifi()]", "What now?", "finish conversation"}}
	runner := &Runner{Worlds: b.worlds, Prompts: b.prompts, Agent: model, MaxSteps: DefaultMaxSteps}
	if _, err := runner.Run(t.Context(), small("agent_multi_step", "en")); err != nil {
		t.Fatal(err)
	}
	system := Message{"system", b.prompts["MULTI_STEP_AGENT_SYSTEM_EN"]}
	const head = "Functions: [{'name': 'f', 'on': True}]\nSo far:\nuser:Call Ada.\n"
	want := []Request{
		{Agent, 0, []Message{system, {"user", head + "\n"}}},
		{Agent, 2, []Message{system, {"user", head + "execution result:" + wifiOn + "\n\n"}}},
		{Agent, 4, []Message{system, {"user", head + "execution result:" + wifiOn + "\nexecution result:" + Nudge + "\n\n"}}},
	}
	if diff := cmp.Diff(want, model.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestTurnRequests does the same for a conversation in Chinese, with the requests to the user. The user never sees calls, and its own
// lines are in the system's name.
func TestTurnRequests(t *testing.T) {
	b := miniBundle(t)
	model := &script{agent: []string{"agent:谁？", "[turn_on_wifi()]"}, user: []string{"你好", "Ada"}}
	runner := &Runner{Worlds: b.worlds, Prompts: b.prompts, Agent: model, User: model, MaxSteps: 4}
	sample := small("agent_multi_turn", "zh")
	sample.Classes = []string{"Travel", "BaseApi"}
	if _, err := runner.Run(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	system := Message{"system", b.prompts["MULTI_TURN_AGENT_SYSTEM_ZH"] + b.prompts["TRAVEL_PROMPT_ZH"] + b.prompts["BASE_PROMPT_ZH"]}
	player := Message{"system", strings.ReplaceAll(b.prompts["USER_SIMULATOR_TRAVEL_ZH"], "{instruction}", "Call Ada.")}
	const head = "函数：[{'name': 'f', 'on': True}]\n\n到目前为止的对话：\nuser:你好\n"
	want := []Request{
		{User, Opening, []Message{player, {"user", "今天有什么需要帮助的吗？"}}},
		{Agent, 0, []Message{system, {"user", head}}},
		{User, 1, []Message{player, {"user", "今天有什么需要帮助的吗？"}, {"system", "你好"}, {"user", "谁？"}}},
		{Agent, 2, []Message{system, {"user", head + "agent:agent:谁？\nuser:Ada\n"}}},
	}
	if diff := cmp.Diff(want, model.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestAnswerDropsName takes one name off the front of what the user is told, and no more.
func TestAnswerDropsName(t *testing.T) {
	for said, want := range map[string]string{
		"user:Hi": "Hi", "agent: Hi": " Hi", "user:agent:Hi": "agent:Hi", "agent:user:Hi": "user:Hi", "User:Hi": "User:Hi", " user:Hi": " user:Hi", "": "",
	} {
		model := &script{user: []string{"Yes."}}
		user := &simulatedUser{model: model}
		if _, err := user.answer(t.Context(), 1, said); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Request{{User, 1, []Message{{"user", want}}}}, model.requests); diff != "" {
			t.Errorf("%q (-want +got):\n%s", said, diff)
		}
	}
}

// TestRunFails checks what a rollout says when it cannot go on.
func TestRunFails(t *testing.T) {
	b := miniBundle(t)
	step, turn := small("agent_multi_step", "en"), small("agent_multi_turn", "en")
	unknown, foreign := small("agent_multi_step", "en"), small("agent_multi_step", "fr")
	unknown.Classes = []string{"Weather"}
	without := func(name string) Prompts {
		p := maps.Clone(b.prompts)
		delete(p, name)
		return p
	}
	with := func(name, text string) Prompts {
		p := maps.Clone(b.prompts)
		p[name] = text
		return p
	}
	for _, tt := range []struct {
		name    string
		sample  *Sample
		prompts Prompts
		model   *script
		want    string
	}{
		{"agent silent", step, b.prompts, &script{agent: []string{"[f()]"}}, "asking the agent at step 2: the script has no further line"},
		{"user silent", turn, b.prompts, &script{}, "asking the user for the opening line: the script has no further line"},
		{"user silent later", turn, b.prompts, &script{user: []string{"a"}, agent: []string{"b"}}, "asking the user at step 1: the script has no further line"},
		{"nobody plays the user", turn, b.prompts, nil, ErrNoUser.Error()},
		{"class", unknown, b.prompts, &script{}, "ValueError: Unknown ACEBench scenario class: Weather"},
		{"language", foreign, b.prompts, &script{}, `no world tables for language "fr", only for en and zh`},
		{"step system", step, without("MULTI_STEP_AGENT_SYSTEM_EN"), &script{}, "the prompts lack MULTI_STEP_AGENT_SYSTEM_EN"},
		{"step user", step, without("MULTI_STEP_AGENT_USER_EN"), &script{}, "the prompts lack MULTI_STEP_AGENT_USER_EN"},
		{"turn system", turn, without("MULTI_TURN_AGENT_SYSTEM_EN"), &script{}, "the prompts lack MULTI_TURN_AGENT_SYSTEM_EN"},
		{"rules", turn, without("BASE_PROMPT_EN"), &script{}, "the prompts lack BASE_PROMPT_EN"},
		{"user simulator", turn, without("USER_SIMULATOR_BASE_EN"), &script{}, "the prompts lack USER_SIMULATOR_BASE_EN"},
		{"placeholder", step, with("MULTI_STEP_AGENT_USER_EN", "{functions} {story}"), &script{}, "the prompt MULTI_STEP_AGENT_USER_EN: the field {story} at byte 12 is not one of functions, history"},
		{"brace", turn, with("USER_SIMULATOR_BASE_EN", "say } now"), &script{}, "the prompt USER_SIMULATOR_BASE_EN: a } without its { at byte 4; write it twice where it is meant as text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runner := &Runner{Worlds: b.worlds, Prompts: tt.prompts, MaxSteps: DefaultMaxSteps}
			if tt.model != nil {
				runner.Agent, runner.User = tt.model, tt.model
			}
			got, err := runner.Run(t.Context(), tt.sample)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
			if got == nil || got.EndState != nil || got.Finish != "" {
				t.Errorf("got %+v, want a result without state and ending", got)
			}
		})
	}
}

// TestAskErrorHoldsTheRequest: whoever reports a missing answer needs to know what was asked.
func TestAskErrorHoldsTheRequest(t *testing.T) {
	b := miniBundle(t)
	lost := errors.New("lost")
	runner := &Runner{Worlds: b.worlds, Prompts: b.prompts, MaxSteps: 1, Agent: ModelFunc(func(ctx context.Context, r Request) (string, error) {
		return "", lost
	})}
	got, err := runner.Run(t.Context(), small("agent_multi_step", "en"))
	ask, ok := errors.AsType[*AskError](err)
	if !ok || !errors.Is(err, lost) {
		t.Fatalf("got %v, want an AskError around %v", err, lost)
	}
	if len(ask.Request.Messages) != 2 || !strings.Contains(ask.Request.Messages[1].Content, "user:Call Ada.") {
		t.Errorf("the error holds the request %+v", ask.Request)
	}
	if diff := cmp.Diff([]string{"-1 user: Call Ada."}, told(got)); diff != "" {
		t.Errorf("trajectory (-want +got):\n%s", diff)
	}
}

func TestReadPrompts(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"not JSON", "x", "reading prompts: Expecting value: line 1 column 1 (char 0)"},
		{"list", "[]", "reading prompts: want an object from name to text, have list"},
		{"number", `{"A": 1}`, "reading prompts: A must be a text, is int"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadPrompts([]byte(tt.data))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestNewSample(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"question", `{"question": 1}`, "question must be a text, is int"},
		{"classes", `{"involved_classes": "Travel"}`, "involved_classes must be a list, is str"},
	} {
		_, err := NewSample("agent_multi_step", "en", decodeObject(t, []byte(tt.line)))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got error %v, want %s", tt.name, err, tt.want)
		}
	}
	s, err := NewSample("agent_multi_step", "en", decodeObject(t, []byte(`{"involved_classes": null}`)))
	if err != nil || len(s.Classes) != 0 {
		t.Errorf("got %+v, %v, want a sample without classes", s, err)
	}
}
