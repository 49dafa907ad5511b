package rollout_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/miniworld"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// A model is anything that answers; this one has its lines by heart.
func Example() {
	if err := play(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// user: I am Chloé. Send Ada the message 'Keep me a tomato'. If there is no room, delete the oldest message; of several from one day, the one that stands first.
	// agent: [login_device(), delete_message(message_id=1)]
	// executor: [{'status': True, 'message': 'Device has been logged in'}, {'status': True, 'message': 'Message ID 1 has been successfully deleted.'}]
	// agent: finish conversation
	// 1 message went to the executor, then: finish conversation
}

func play() error {
	worlds, err := simenv.LoadWorlds(miniworld.FS)
	if err != nil {
		return err
	}
	templates, err := miniworld.FS.ReadFile("prompts.json")
	if err != nil {
		return err
	}
	prompts, err := rollout.ReadPrompts(templates)
	if err != nil {
		return err
	}
	questions, err := miniworld.FS.ReadFile("data_all/data_en/data_agent_multi_step.json")
	if err != nil {
		return err
	}
	question, err := pyjson.Decode(bytes.Split(questions, []byte("\n"))[1])
	if err != nil {
		return err
	}
	sample, err := rollout.NewSample("agent_multi_step", "en", question.(*pyvalue.Dict))
	if err != nil {
		return err
	}

	lines := []string{"[login_device(), delete_message(message_id=1)]", "finish conversation"}
	agent := rollout.ModelFunc(func(_ context.Context, r rollout.Request) (string, error) {
		return lines[r.Step/2], nil
	})
	runner := &rollout.Runner{Worlds: worlds, Prompts: prompts, Agent: agent, MaxSteps: rollout.DefaultMaxSteps}
	result, err := runner.Run(context.Background(), sample)
	if err != nil {
		return err
	}
	for _, entry := range result.Trajectory {
		fmt.Printf("%s: %s\n", entry.From, entry.Text)
	}
	fmt.Printf("%d message went to the executor, then: %s\n", len(result.Process), result.Finish)
	return nil
}
