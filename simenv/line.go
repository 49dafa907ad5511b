package simenv

import (
	"errors"
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// RunLine runs one line of the JSON Lines format of `exodeck simenv call` and returns the line that answers it, without a newline.
//
// In: {"id", "language", "involved_classes", "initial_config", "calls": [{"name", "args"}], "batches": [sizes]}. The batches cut the calls
// into agent messages; without them each call is a message of its own. Other keys are ignored.
//
// Out: {"id", "observations", "rendered", "states_after"}: an observation for each call, the text of each message's observations as a
// transcript shows it, and the graded state at the end. When no environment can be made of the line: {"id", "load_error"}. When the state
// cannot be written as JSON, which fails the rollout, there is "state_error" instead of "states_after".
//
// The error says what is wrong with a line that is not of this form.
func (ws Worlds) RunLine(line []byte) ([]byte, error) {
	in, err := readLine(line)
	if err != nil {
		return nil, err
	}
	world, err := ws.For(in.language)
	if err != nil {
		return nil, err
	}
	out := pyvalue.DictOf("id", in.id)
	if err := in.run(world, out); err != nil {
		out.SetStr("load_error", pyvalue.Str(err.Error()))
	}
	data, err := pyjson.Encode(out, pyjson.Options{AllowNaN: true})
	if err != nil {
		return nil, fmt.Errorf("writing the answer: %w", err)
	}
	return data, nil
}

// run fills in the answer. Its error means that no environment can be made.
func (in *callLine) run(world *World, out *pyvalue.Dict) error {
	env, err := world.NewEnv(in.classes, in.config)
	if err != nil {
		return err
	}
	observations, rendered := pyvalue.NewList(), pyvalue.NewList()
	for _, message := range in.messages {
		told := env.Execute(message)
		observations.Items = append(observations.Items, told.Items...)
		rendered.Append(pyvalue.Str(pyvalue.String(told)))
	}
	out.SetStr("observations", observations)
	out.SetStr("rendered", rendered)
	states, err := env.Snapshot()
	if err != nil {
		out.SetStr("state_error", pyvalue.Str(err.Error()))
		return nil
	}
	out.SetStr("states_after", states)
	return nil
}

// callLine is a line that was read and found in order.
type callLine struct {
	id       pyvalue.Value
	language string
	classes  []string
	config   pyvalue.Value
	messages [][]Call
}

func readLine(line []byte) (*callLine, error) {
	v, err := pyjson.Decode(line)
	if err != nil {
		return nil, err
	}
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil, mustBe("an object", v)
	}
	in := &callLine{id: getOr(d, "id", pyvalue.None{}), config: getOr(d, "initial_config", pyvalue.None{})}
	language, ok := getOr(d, "language", pyvalue.None{}).(pyvalue.Str)
	if !ok {
		return nil, errors.New(`language is missing: give "en" or "zh"`)
	}
	in.language = string(language)
	for _, name := range items(getOr(d, "involved_classes", pyvalue.None{})) {
		in.classes = append(in.classes, pyvalue.String(name))
	}
	var calls []Call
	for i, c := range items(getOr(d, "calls", pyvalue.None{})) {
		call, err := readCall(c)
		if err != nil {
			return nil, fmt.Errorf("calls: %d: %w", i, err)
		}
		calls = append(calls, call)
	}
	in.messages, err = cut(calls, getOr(d, "batches", pyvalue.None{}))
	return in, err
}

func readCall(v pyvalue.Value) (Call, error) {
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return Call{}, mustBe("an object", v)
	}
	name, ok := getOr(d, "name", pyvalue.None{}).(pyvalue.Str)
	if !ok {
		return Call{}, errors.New("name is missing, or no text")
	}
	given := getOr(d, "args", pyvalue.NewDict())
	keywords, ok := given.(*pyvalue.Dict)
	if !ok {
		return Call{}, fmt.Errorf("args: %w", mustBe("an object", given))
	}
	return Call{Name: string(name), Args: keywords}, nil
}

// cut parts calls into messages of the given sizes.
func cut(calls []Call, sizes pyvalue.Value) ([][]Call, error) {
	var messages [][]Call
	list, ok := sizes.(*pyvalue.List)
	if !ok {
		for i := range calls {
			messages = append(messages, calls[i:i+1])
		}
		return messages, nil
	}
	rest := calls
	for _, size := range list.Items {
		n, ok := size.(pyvalue.Int)
		count, fits := n.Int64()
		if !ok || !fits || count < 0 || count > int64(len(rest)) {
			return nil, fmt.Errorf("batches: %s does not cut %d calls into messages", pyvalue.Repr(list), len(calls))
		}
		messages = append(messages, rest[:count])
		rest = rest[count:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("batches: %s does not cut %d calls into messages", pyvalue.Repr(list), len(calls))
	}
	return messages, nil
}
