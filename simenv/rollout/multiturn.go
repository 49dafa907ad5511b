package rollout

import (
	"context"
	"slices"
	"strings"
)

// openers are the lines to which the user answers with its first line.
var openers = map[string]string{
	"en": "Is there anything you need help with today?",
	"zh": "今天有什么需要帮助的吗？",
}

// multiTurn lets user, agent and executor speak. A message of the agent goes to the executor when it looks like calls, else to the user.
func (p *play) multiTurn(ctx context.Context) error {
	if p.User == nil {
		return ErrNoUser
	}
	if err := p.turnPrompt(); err != nil {
		return err
	}
	user, err := p.newSimulatedUser()
	if err != nil {
		return err
	}
	opening, err := user.speak(ctx, Opening)
	if err != nil {
		return err
	}
	p.add(Entry{Step: Opening, From: User, Text: opening})
	next := Agent
	return p.loop(func(step int) (Entry, error) {
		last := p.last()
		p.write(label(last.From), last.Text)
		switch next {
		case User:
			next = Agent
			text, err := user.answer(ctx, step, last.Text)
			return Entry{Step: step, From: User, Text: text}, err
		case Executor:
			next = Agent
			return p.execute(step, last.Text)
		}
		entry, err := p.askAgent(ctx, step)
		next = User
		if LooksLikeCalls(entry.Text) {
			next = Executor
		}
		return entry, err
	})
}

// label is how the transcript of agent_multi_turn names a party.
func label(p Party) string {
	if p == Executor {
		return "execution"
	}
	return string(p)
}

// turnPrompt picks the agent's prompt. The rules of the APIs in play follow it without a separator.
func (p *play) turnPrompt() error {
	var err error
	if p.prompt, err = p.Prompts.agentPrompt("MULTI_TURN", p.sample); err != nil {
		return err
	}
	for _, rules := range []struct{ class, name string }{{"Travel", "TRAVEL_PROMPT"}, {"BaseApi", "BASE_PROMPT"}} {
		if !slices.Contains(p.sample.Classes, rules.class) {
			continue
		}
		text, err := p.Prompts.text(rules.name, p.sample.Language)
		if err != nil {
			return err
		}
		p.prompt.system += text
	}
	return nil
}

// simulatedUser is the second model, in the conversation that it alone sees.
type simulatedUser struct {
	model    Model
	messages []Message
}

func (p *play) newSimulatedUser() (*simulatedUser, error) {
	name := "USER_SIMULATOR_BASE"
	if slices.Contains(p.sample.Classes, "Travel") {
		name = "USER_SIMULATOR_TRAVEL"
	}
	template, err := p.Prompts.template(name, p.sample.Language, "instruction")
	if err != nil {
		return nil, err
	}
	system := template.Fill(map[string]string{"instruction": p.sample.Question})
	return &simulatedUser{model: p.User, messages: []Message{{"system", system}, {"user", openers[p.sample.Language]}}}, nil
}

// answer makes the user answer the agent. A name that the agent put before its message is taken off.
func (u *simulatedUser) answer(ctx context.Context, step int, message string) (string, error) {
	text, found := strings.CutPrefix(message, "user:")
	if !found {
		text = strings.TrimPrefix(message, "agent:")
	}
	u.messages = append(u.messages, Message{"user", text})
	return u.speak(ctx, step)
}

// speak asks the model. Its own lines are kept with the role "system", as the reference keeps them.
func (u *simulatedUser) speak(ctx context.Context, step int) (string, error) {
	text, err := ask(ctx, u.model, Request{To: User, Step: step, Messages: u.messages})
	if err != nil {
		return "", err
	}
	u.messages = append(u.messages, Message{"system", text})
	return text, nil
}
