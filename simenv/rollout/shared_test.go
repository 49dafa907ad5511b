package rollout

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// bundle is a data bundle, as far as rollouts go.
type bundle struct {
	worlds  simenv.Worlds
	prompts Prompts
	samples map[string]*Sample       // by language and id
	answers map[string]*pyvalue.Dict // the lines with ground_truth and mile_stone
}

// readBundle reads the agent categories of the bundle in fsys.
func readBundle(t testing.TB, read func(name string) ([]byte, error)) *bundle {
	t.Helper()
	file := func(name string) []byte {
		t.Helper()
		data, err := read(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	b := &bundle{worlds: simenv.Worlds{}, samples: map[string]*Sample{}, answers: map[string]*pyvalue.Dict{}}
	var err error
	if b.prompts, err = ReadPrompts(file("prompts.json")); err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "zh"} {
		if b.worlds[language], err = simenv.ReadWorld(language, file("world-"+language+".json")); err != nil {
			t.Fatal(err)
		}
		for _, category := range []string{"agent_multi_step", "agent_multi_turn"} {
			folder := "data_all/data_" + language + "/"
			for line := range bytes.Lines(file(folder + "data_" + category + ".json")) {
				question := decodeObject(t, line)
				id := language + "/" + pyvalue.String(value(question, "id"))
				if b.samples[id], err = NewSample(category, language, question); err != nil {
					t.Fatal(err)
				}
			}
			for line := range bytes.Lines(file(folder + "possible_answer/data_" + category + ".json")) {
				answer := decodeObject(t, line)
				b.answers[language+"/"+pyvalue.String(value(answer, "id"))] = answer
			}
		}
	}
	return b
}

func referenceBundle(t testing.TB) *bundle {
	t.Helper()
	root := os.DirFS(shared.Dir(t, "data", "acebench"))
	return readBundle(t, func(name string) ([]byte, error) {
		f, err := root.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		var b bytes.Buffer
		_, err = b.ReadFrom(f)
		return b.Bytes(), err
	})
}

func decodeObject(t testing.TB, data []byte) *pyvalue.Dict {
	t.Helper()
	v, err := pyjson.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*pyvalue.Dict)
}

// value returns a field of an object, None when it has none.
func value(d pyvalue.Value, name string) pyvalue.Value {
	if v, found := d.(*pyvalue.Dict).GetStr(name); found {
		return v
	}
	return pyvalue.None{}
}

// script answers requests in order and keeps what it was asked.
type script struct {
	agent, user []string
	requests    []Request
}

var errScriptEnds = errors.New("the script has no further line")

func (s *script) Ask(_ context.Context, r Request) (string, error) {
	r.Messages = append([]Message(nil), r.Messages...)
	s.requests = append(s.requests, r)
	lines := &s.agent
	if r.To == User {
		lines = &s.user
	}
	if len(*lines) == 0 {
		return "", errScriptEnds
	}
	line := (*lines)[0]
	*lines = (*lines)[1:]
	return line, nil
}

// referenceRollout is a line of golden/simenv/rollouts.jsonl.
type referenceRollout struct {
	ID              string          `json:"id"`
	Sample          string          `json:"sample"`
	Language        string          `json:"language"`
	Category        string          `json:"test_category"`
	MaxSteps        int             `json:"max_steps"`
	InvolvedClasses []string        `json:"involved_classes"`
	InitialConfig   json.RawMessage `json:"initial_config"`
	Script          struct{ Agent, User []string }
	Requests        []struct {
		To       Party  `json:"to"`
		SHA256   string `json:"sha256"`
		NewFrom  int    `json:"new_from"`
		Messages []struct {
			Role string `json:"role"`
			Len  int    `json:"len"`
			Tail string `json:"tail"`
		} `json:"messages"`
	} `json:"requests"`
	RequestsFull []json.RawMessage `json:"requests_full"`
	Executions   []struct {
		Rendered string `json:"rendered"`
		Decoded  bool   `json:"decoded"`
	} `json:"executions"`
	Process    []string        `json:"process"`
	EndState   json.RawMessage `json:"end_state"`
	Error      *string         `json:"error"`
	Finish     *string         `json:"finish"`
	Iterations int             `json:"iterations"`
	Score      struct {
		Acc        float64 `json:"acc"`
		ProcessAcc float64 `json:"process_acc"`
	} `json:"score"`
}

// TestReferenceRollouts plays every scripted rollout of the reference and compares each request, what the executor said, the process, the
// state, the ending and the score.
func TestReferenceRollouts(t *testing.T) {
	b := referenceBundle(t)
	lines, asked, passed := 0, 0, map[string]int{}
	shared.Lines(t, "golden/simenv/rollouts.jsonl", func(_ int, want referenceRollout) {
		lines++
		asked += len(want.Requests)
		t.Run(want.ID, func(t *testing.T) {
			sample := *b.samples[want.Language+"/"+want.Sample]
			sample.Classes, sample.Config = want.InvolvedClasses, decodeObject(t, want.InitialConfig)
			acc := compareRollout(t, b, &sample, want)
			if strings.HasPrefix(want.ID, "follow/") {
				passed[want.Language+"/"+want.Category+"/sequences"]++
				passed[want.Language+"/"+want.Category+"/passed"] += int(acc)
			}
		})
	})
	if lines != 348 {
		t.Errorf("compared %d rollouts, want 348", lines)
	}
	t.Logf("%d requests compared", asked)
	table := map[string]int{
		"en/agent_multi_step/sequences": 26, "en/agent_multi_step/passed": 16,
		"en/agent_multi_turn/sequences": 30, "en/agent_multi_turn/passed": 29,
		"zh/agent_multi_step/sequences": 26, "zh/agent_multi_step/passed": 18,
		"zh/agent_multi_turn/sequences": 30, "zh/agent_multi_turn/passed": 29,
	}
	if diff := cmp.Diff(table, passed); diff != "" {
		t.Errorf("rollouts that follow the milestones (-want +got):\n%s", diff)
	}
}

func compareRollout(t *testing.T, b *bundle, sample *Sample, want referenceRollout) (acc float64) {
	model := &script{agent: want.Script.Agent, user: want.Script.User}
	runner := &Runner{Worlds: b.worlds, Prompts: b.prompts, Agent: model, User: model, MaxSteps: want.MaxSteps}
	if strings.HasPrefix(want.ID, "nouser/") {
		runner.User = nil
	}
	got, err := runner.Run(t.Context(), sample)
	if want.Error != nil {
		if err == nil || err.Error() != *want.Error {
			t.Fatalf("got error %v, want %s", err, *want.Error)
		}
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}

	if len(model.requests) != len(want.Requests) {
		t.Fatalf("%d requests, want %d", len(model.requests), len(want.Requests))
	}
	for i, r := range model.requests {
		if r.To != want.Requests[i].To {
			t.Fatalf("request %d goes to the %s, want the %s", i, r.To, want.Requests[i].To)
		}
		if digest(t, r.Messages) != want.Requests[i].SHA256 {
			for j, m := range want.Requests[i].Messages {
				g := r.Messages[want.Requests[i].NewFrom+j]
				if !strings.HasSuffix(g.Content, m.Tail) || pyvalue.RuneLen(g.Content) != m.Len || g.Role != m.Role {
					t.Errorf("message %d: got %s of %d: …%q\nwant %s of %d: …%q", j, g.Role, len(g.Content), g.Content[max(0, len(g.Content)-400):], m.Role, m.Len, m.Tail)
				}
			}
			t.Fatalf("request %d differs", i)
		}
	}
	if len(model.agent)+len(model.user) > 0 {
		t.Errorf("the script was not asked for %q, %q", model.agent, model.user)
	}
	if diff := cmp.Diff(want.Process, append([]string{}, got.Process...)); diff != "" {
		t.Errorf("process (-want +got):\n%s", diff)
	}
	executions := 0
	for _, e := range got.Trajectory {
		if e.From != Executor {
			continue
		}
		if w := want.Executions[executions]; w.Rendered != e.Text || w.Decoded != (e.Observations != nil) {
			t.Errorf("execution %d: got %s, want %s", executions, e.Text, w.Rendered)
		}
		executions++
	}
	if executions != len(want.Executions) {
		t.Errorf("%d executions, want %d", executions, len(want.Executions))
	}
	state, err := pyjson.Decode(want.EndState)
	if err != nil {
		t.Fatal(err)
	}
	if g, w := pyvalue.Repr(got.EndState), pyvalue.Repr(state); g != w {
		t.Errorf("end state:\n got %s\nwant %s", g, w)
	}
	if got.Finish != *want.Finish || got.Iterations != want.Iterations {
		t.Errorf("ends with %q after %d, want %q after %d", got.Finish, got.Iterations, *want.Finish, want.Iterations)
	}
	acc, process := score(t, b.answers[want.Language+"/"+want.Sample], got)
	if acc != want.Score.Acc || process != want.Score.ProcessAcc {
		t.Errorf("scores %v and %v, want %v and %v", acc, process, want.Score.Acc, want.Score.ProcessAcc)
	}
	return acc
}

// digest is the hash of a request's roles and contents as the vectors have it.
func digest(t *testing.T, messages []Message) string {
	t.Helper()
	list := pyvalue.NewList()
	for _, m := range messages {
		list.Append(pyvalue.NewList(pyvalue.Str(m.Role), pyvalue.Str(m.Content)))
	}
	data, err := pyjson.Encode(list, pyjson.Options{ItemSep: ",", KeySep: ":"})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// score grades a rollout as the benchmark does: whether the state is right, and how many milestones were reached in order.
func score(t testing.TB, answer *pyvalue.Dict, r *Result) (acc, process float64) {
	t.Helper()
	if rightState(value(answer, "ground_truth").(*pyvalue.List), r.EndState) {
		return 1, 1
	}
	milestones := value(answer, "mile_stone").(*pyvalue.List)
	candidates := []pyvalue.Value{milestones}
	if _, nested := milestones.Items[0].(*pyvalue.List); nested {
		candidates = milestones.Items
	}
	for _, candidate := range candidates {
		process = max(process, reached(candidate.(*pyvalue.List), r.Process))
	}
	return 0, process
}

func rightState(want, got *pyvalue.List) bool {
	if want.Len() != got.Len() {
		return false
	}
	right := true // a class that is not found repeats the verdict before it
	for _, expected := range want.Items {
		name, attributes := expected.(*pyvalue.Dict).At(0)
		for _, recorded := range got.Items {
			if key, found := recorded.(*pyvalue.Dict).At(0); pyvalue.Equal(key, name) {
				right = rightClass(attributes.(*pyvalue.Dict), found.(*pyvalue.Dict))
				break
			}
		}
		if !right {
			return false
		}
	}
	return right
}

func rightClass(want, got *pyvalue.Dict) bool {
	for name, recorded := range got.All() {
		expected, found, err := want.Get(name)
		if err != nil || !found {
			return false
		}
		object, ok := expected.(*pyvalue.Dict)
		if !ok {
			if !pyvalue.Equal(expected, recorded) {
				return false
			}
			continue
		}
		for key, e := range object.All() {
			if r, found, err := recorded.(*pyvalue.Dict).Get(key); err != nil || !found || !pyvalue.Equal(e, r) {
				return false
			}
		}
	}
	return true
}

// reached walks the process once, looking for one milestone after the other. One that is missed uses the process up.
func reached(milestones *pyvalue.List, process []string) float64 {
	hit, i := 0, 0
	for _, m := range milestones.Items {
		for i < len(process) && pyvalue.Strip(process[i]) != pyvalue.Strip(pyvalue.String(m)) {
			i++
		}
		if i < len(process) {
			hit++
			i++
		}
	}
	return pyvalue.Round(float64(hit)/float64(milestones.Len()), 3)
}
