package recorded

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/prompt"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// key identifies a question: the roles and texts of its messages. Blanks at the ends of the system text's lines do not count, since
// evalscope takes them out of its templates and the official runner does not.
type key [sha256.Size]byte

func keyOf(messages []rollout.Message) key {
	h := sha256.New()
	write := func(s string) {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	for i, m := range messages {
		role, text := m.Role, m.Content
		if i == 0 && role == "system" {
			text = trimmed(text)
		}
		if role == "assistant" {
			role = "system" // what the simulated user said: only Claude Messages has another role for it
		}
		write(role)
		write(text)
	}
	return key(h.Sum(nil))
}

// trimmed removes the blanks at the ends of all lines, and those around the text.
func trimmed(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r\f\v")
	}
	return strings.Join(lines, "\n")
}

// messagesOf returns the messages of a recorded request.
func messagesOf(r *wire.Request) []rollout.Message {
	var messages []rollout.Message
	if r.System != "" {
		messages = append(messages, rollout.Message{Role: "system", Content: r.System})
	}
	for i := range r.Messages {
		messages = append(messages, rollout.Message{Role: r.Messages[i].Role, Content: r.Messages[i].Text()})
	}
	return messages
}

// recogniser tells the benchmark's questions from others.
type recogniser struct {
	single  *prompt.Index
	openers map[key][]*dataset.Sample // agents by their first question
	systems map[string]systemText     // of rollouts, trimmed
}

// systemText is a system text of rollouts.
type systemText struct {
	to       rollout.Party
	exact    string // as evalscope sends it
	language string
}

var errProbe = errors.New("only the first questions were wanted")

// newRecogniser prepares the recognition of samples of one language.
func newRecogniser(ctx context.Context, samples []*dataset.Sample, m *ask.Materials) *recogniser {
	r := &recogniser{
		single:  prompt.NewIndex(m.Single, samples),
		openers: map[key][]*dataset.Sample{},
		systems: map[string]systemText{},
	}
	for _, s := range samples {
		if s.Category.Family() != dataset.Agent {
			continue
		}
		for _, first := range r.probe(ctx, s, m) {
			k := keyOf(first.Messages)
			r.openers[k] = append(r.openers[k], s)
		}
	}
	return r
}

// probe returns the first question of a sample, in the sample's language and, since the official runner asks English samples in
// Chinese, in the other, and notes the system texts of both models.
func (r *recogniser) probe(ctx context.Context, s *dataset.Sample, m *ask.Materials) []rollout.Request {
	var firsts []rollout.Request
	for _, language := range []dataset.Language{s.Language, other(s.Language)} {
		play := ask.Play(s)
		play.Language = string(language)
		asked := 0
		model := rollout.ModelFunc(func(_ context.Context, q rollout.Request) (string, error) {
			if asked++; asked == 1 {
				q.Messages = append([]rollout.Message(nil), q.Messages...)
				firsts = append(firsts, q)
			}
			system := q.Messages[0].Content
			if _, known := r.systems[trimmed(system)]; !known {
				r.systems[trimmed(system)] = systemText{q.To, system, string(language)}
			}
			if q.To == rollout.Agent {
				return "", errProbe
			}
			return "", nil
		})
		runner := m.Runner(0)
		runner.Agent, runner.User = model, model
		// An error is either errProbe or that of a sample which cannot be played, and then has nothing to be recognised by.
		_, _ = runner.Run(ctx, play)
	}
	return firsts
}

func other(l dataset.Language) dataset.Language {
	if l == dataset.English {
		return dataset.Chinese
	}
	return dataset.English
}

// call is a recorded question of the benchmark with its answer.
type call struct {
	x        *tape.Exchange
	api      tape.API
	model    string
	messages []rollout.Message

	samples []*dataset.Sample // single questions: those that are asked so
	to      rollout.Party     // questions of rollouts
	// official says that only the official runner asks so.
	official bool

	ask.Said
	err error // why there is no usable answer
}

// recognise reads a recorded exchange; it returns nil when that asks nothing of the benchmark.
func (r *recogniser) recognise(ctx context.Context, t Tape, language dataset.Language, x *tape.Exchange) (*call, error) {
	c := &call{x: x, api: tape.FamilyOf(x.Request.Method, x.Request.URL)}
	if !c.api.Model() {
		return nil, nil
	}
	body, err := reading.Body(ctx, t, x.Request.Body, x.Request.Header)
	if err != nil {
		return nil, err
	}
	request, err := wire.ParseRequest(c.api, body)
	if err != nil {
		return nil, nil // whatever it is, it is no question of the benchmark
	}
	c.model = request.Model
	c.messages = messagesOf(request)
	system, rest := "", c.messages
	if len(rest) > 0 && rest[0].Role == "system" {
		system, rest = rest[0].Content, rest[1:]
	}
	if len(rest) == 1 && rest[0].Role == "user" {
		c.samples = r.single.Find(system, rest[0].Content)
	}
	if known, ok := r.systems[trimmed(system)]; ok && len(c.samples) == 0 {
		c.to = known.to
		c.official = known.to == rollout.Agent && (system != known.exact || known.language != string(language))
	}
	if c.to == "" && len(c.samples) == 0 {
		return nil, nil
	}
	c.Said, c.err = readAnswer(ctx, t, c.api, x)
	return c, nil
}

// Languages counts the questions on a tape that each of the languages asks.
func Languages(ctx context.Context, t Tape, found *Found, samples map[dataset.Language][]*dataset.Sample, m map[dataset.Language]*ask.Materials) (map[dataset.Language]int, error) {
	recognisers := map[dataset.Language]*recogniser{}
	for l, s := range samples {
		recognisers[l] = newRecogniser(ctx, s, m[l])
	}
	count := map[dataset.Language]int{}
	part := &Part{Tape: t, Names: found.Sessions}
	for x, err := range part.Exchanges(ctx, tape.Query{}) {
		if err != nil {
			return nil, err
		}
		for l, r := range recognisers {
			c, err := r.recognise(ctx, t, l, x)
			if err != nil {
				return nil, err
			}
			if c != nil && (len(c.samples) > 0 || len(r.openers[keyOf(c.messages)]) > 0) {
				count[l]++
			}
		}
	}
	return count, nil
}
