package decode_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/exodeck/exodeck/simenv/rollout"
)

// tag writes a value in the notation of the vectors.
func tag(v pyvalue.Value) any {
	switch v := v.(type) {
	case pyvalue.None:
		return []any{"n"}
	case pyvalue.Bool:
		return []any{"b", bool(v)}
	case pyvalue.Int:
		if n := v.Big(); len(n.Text(10)) > 4300 {
			return []any{"i", "hex:" + hex(n)}
		}
		return []any{"i", v.String()}
	case pyvalue.Float:
		return []any{"f", pyvalue.Repr(v)}
	case pyvalue.Complex:
		return []any{"c", []any{floatText(real(v)), floatText(imag(v))}}
	case pyvalue.Str:
		if v.Valid() {
			return []any{"s", string(v)}
		}
		points := []any{}
		for s := string(v); s != ""; {
			r, size := pyvalue.DecodeRune(s)
			points = append(points, float64(r))
			s = s[size:]
		}
		return []any{"u", points}
	case pyvalue.Bytes:
		return []any{"y", fmt.Sprintf("%x", string(v))}
	case *pyvalue.List:
		return []any{"l", tags(v.Items)}
	case pyvalue.Tuple:
		return []any{"t", tags(v)}
	case *pyvalue.Set:
		all := tags(slices.Collect(v.All()))
		slices.SortFunc(all, func(a, b any) int { return strings.Compare(encode(a), encode(b)) })
		return []any{"S", all}
	case *pyvalue.Dict:
		pairs := []any{}
		for key, value := range v.All() {
			pairs = append(pairs, []any{tag(key), tag(value)})
		}
		return []any{"d", pairs}
	case pyvalue.Ellipsis:
		return []any{"e"}
	}
	return nil
}

func hex(n *big.Int) string {
	if n.Sign() < 0 {
		return "-0x" + new(big.Int).Neg(n).Text(16)
	}
	return "0x" + n.Text(16)
}

func floatText(f float64) string { return pyvalue.Repr(pyvalue.Float(f)) }

func tags(values []pyvalue.Value) []any {
	all := []any{}
	for _, v := range values {
		all = append(all, tag(v))
	}
	return all
}

func tagCalls(calls []decode.Call) []any {
	all := []any{}
	for _, c := range calls {
		args := []any{}
		for _, a := range c.Args {
			var name any = a.Name
			if a.Name == decode.Unpacked {
				name = nil
			}
			args = append(args, []any{name, tag(a.Value)})
		}
		all = append(all, []any{c.Name, args})
	}
	return all
}

// encode writes a value so that equal ones are equal texts.
func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

type decoded struct {
	Calls  *[]any  `json:"calls"`
	Raises *string `json:"raises"`
}

// compare holds a decoding against a vector. Of what is raised, the type is compared; a format error of ours is what evalscope calls
// CallFormatError, and any exception of the official scorer.
func (want decoded) compare(t *testing.T, id string, r rules.Rules, calls []decode.Call, err error) {
	t.Helper()
	if want.Raises == nil {
		if err != nil {
			t.Errorf("%s %s: error %v, want %.300s", id, r, err, encode(want.Calls))
		} else if got, want := encode(tagCalls(calls)), encode(*want.Calls); got != want {
			t.Errorf("%s %s:\n got %.600s\nwant %.600s", id, r, got, want)
		}
		return
	}
	if err == nil {
		t.Errorf("%s %s: got %.300s, want %s", id, r, encode(tagCalls(calls)), *want.Raises)
		return
	}
	var format *decode.FormatError
	isFormat := errors.As(err, &format)
	name, _, _ := strings.Cut(*want.Raises, ":")
	if name == "CallFormatError" || r == rules.Official {
		if !isFormat {
			t.Errorf("%s %s: error %v (%T), want a FormatError for %s", id, r, err, err, *want.Raises)
		}
		return
	}
	var raised *pyvalue.Exception
	if !errors.As(err, &raised) || raised.Type != name {
		t.Errorf("%s %s: error %v (%T), want %s", id, r, err, err, *want.Raises)
	}
}

// compareTagged holds what is printed of a decoding against a vector. Of an exception the type is compared, under evalscope's rules.
func (want decoded) compareTagged(t *testing.T, id string, r rules.Rules, calls []decode.Call, err error) {
	t.Helper()
	var got decoded
	printed := decode.AppendOutcome(nil, calls, err)
	into := any(&got)
	if err == nil {
		got.Calls = new([]any)
		into = got.Calls
	}
	if err := json.Unmarshal(printed, into); err != nil {
		t.Errorf("%s: %v in %.300s", id, err, printed)
		return
	}
	if (got.Raises == nil) != (want.Raises == nil) || want.Calls != nil && encode(*got.Calls) != encode(*want.Calls) {
		t.Errorf("%s: printed %.600s, want %.600s", id, printed, encode(want))
		return
	}
	if got.Raises == nil || r == rules.Official {
		return
	}
	gotType, _, _ := strings.Cut(*got.Raises, ":")
	if wantType, _, _ := strings.Cut(*want.Raises, ":"); gotType != wantType {
		t.Errorf("%s: printed %.600s, want %s", id, printed, *want.Raises)
	}
}

// compareMessage holds the decoding of an agent's message against a vector.
func (want decoded) compareMessage(t *testing.T, id string, calls []simenv.Call, err error) {
	t.Helper()
	if want.Raises != nil {
		if err == nil {
			t.Errorf("%s: decoded, want %s", id, *want.Raises)
		}
		return
	}
	var all []decode.Call
	for _, c := range calls {
		one := decode.Call{Name: c.Name}
		for name, value := range c.Args.All() {
			one.Args = append(one.Args, decode.Arg{Name: pyvalue.String(name), Value: value})
		}
		all = append(all, one)
	}
	want.compare(t, id, rules.Evalscope, all, err)
}

func TestDecodeVectors(t *testing.T) {
	type row struct {
		ID    string `json:"id"`
		Input struct {
			Raw      json.RawMessage  `json:"raw"`
			Category dataset.Category `json:"category"`
			Source   string           `json:"source"`
		} `json:"input"`
		Evalscope decoded `json:"evalscope"`
		Official  decoded `json:"official"`
	}
	shared.Lines(t, "golden/acebench/decode.jsonl", func(_ int, r row) {
		raw := text(t, r.Input.Raw)
		calls, err := decode.Calls(rules.Evalscope, r.Input.Category.Dialogues(), raw)
		r.Evalscope.compare(t, r.ID, rules.Evalscope, calls, err)
		r.Evalscope.compareTagged(t, r.ID, rules.Evalscope, calls, err)
		calls, err = decode.Calls(rules.Official, r.Input.Category.Dialogues(), raw)
		r.Official.compare(t, r.ID, rules.Official, calls, err)
		r.Official.compareTagged(t, r.ID, rules.Official, calls, err)
	})
}

func TestExecutionVectors(t *testing.T) {
	type row struct {
		ID    string `json:"id"`
		Input struct {
			Message json.RawMessage `json:"message"`
		} `json:"input"`
		Evalscope struct {
			decoded
			LooksLikeCalls bool `json:"looks_like_calls"`
		} `json:"evalscope"`
	}
	shared.Lines(t, "golden/acebench/exec_decode.jsonl", func(_ int, r row) {
		message := text(t, r.Input.Message)
		calls, err := rollout.Decode(message)
		r.Evalscope.compareMessage(t, r.ID, calls, err)
		if got := rollout.LooksLikeCalls(message); got != r.Evalscope.LooksLikeCalls {
			t.Errorf("%s: LooksLikeCalls(%q) = %v", r.ID, message, got)
		}
	})
}

// text reads a JSON string as Python does: encoding/json would replace lone surrogates.
func text(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	v, err := pyjson.DecodeString(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	s, ok := v.(pyvalue.Str)
	if !ok {
		t.Fatalf("%s is not text", raw)
	}
	return string(s)
}
