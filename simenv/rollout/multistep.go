package rollout

import "context"

// multiStep lets the agent and the executor take turns. Every message of the agent goes to the executor, prose too.
func (p *play) multiStep(ctx context.Context) error {
	var err error
	if p.prompt, err = p.Prompts.agentPrompt("MULTI_STEP", p.sample); err != nil {
		return err
	}
	p.add(Entry{Step: Opening, From: User, Text: p.sample.Question})
	return p.loop(func(step int) (Entry, error) {
		last := p.last()
		switch last.From {
		case User:
			p.write("user", last.Text)
			return p.askAgent(ctx, step)
		case Executor:
			p.write("execution result", last.Text)
			return p.askAgent(ctx, step)
		}
		entry, err := p.execute(step, last.Text)
		if err != nil {
			return Entry{Step: step, From: Executor, Text: Nudge, Unreadable: err}, nil
		}
		return entry, nil
	})
}
