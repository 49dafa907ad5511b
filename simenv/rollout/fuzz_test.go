package rollout

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// FuzzRun lets a model say anything, the lines parted by NUL, again and again. The rollout must end within its budget, and
// only what the agent said may have gone to the executor.
func FuzzRun(f *testing.F) {
	for _, lines := range []string{
		"", "[turn_on_wifi()]", room + "\x00" + mark, "agent: user: Whom?\x00[Hello]\x00[f(\n)]", "[f(x=[1, {'a': (2,)}])]\x00finish conversation",
		"[send_message(sender_name='Ada', receiver_name='Ada', message={1: 2, (3,): {4}})]", "[turn_on_wifi(**{})]\n", "\xed\xa0\x80", "[f(a='\\ud800')]",
	} {
		f.Add(lines, true)
		f.Add(lines, false)
	}
	b := miniBundle(f)
	f.Fuzz(func(t *testing.T, lines string, turn bool) {
		said, i := strings.Split(lines, "\x00"), 0
		model := ModelFunc(func(context.Context, Request) (string, error) {
			i++
			return said[(i-1)%len(said)], nil
		})
		sample := small("agent_multi_step", "en")
		if turn {
			sample = small("agent_multi_turn", "zh")
		}
		runner := &Runner{Worlds: b.worlds, Prompts: b.prompts, Agent: model, User: model, MaxSteps: 8}
		r, err := runner.Run(t.Context(), sample)
		if err != nil {
			t.Logf("ends with an error: %v", err)
		} else if r.EndState == nil || r.Finish == "" {
			t.Errorf("no state or no ending: %+v", r)
		}
		if r.Iterations > runner.MaxSteps || len(r.Trajectory) > runner.MaxSteps+1 {
			t.Errorf("%d iterations, %d entries; the budget is %d", r.Iterations, len(r.Trajectory), runner.MaxSteps)
		}
		for _, message := range r.Process {
			if !slices.Contains(said, message) {
				t.Errorf("%q went to the executor; nobody said it", message)
			}
		}
	})
}
