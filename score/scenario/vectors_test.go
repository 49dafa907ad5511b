package scenario_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/google/go-cmp/cmp"
)

// vectorModel is the model in all reference requests.
const vectorModel = "mlx-community/Qwen3-0.6B-4bit"

// exoScenarios is exo's own scenario file.
func exoScenarios(t testing.TB) *scenario.File {
	t.Helper()
	file, err := scenario.Load(shared.Dir(t, "data", "exo", "scenarios.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func byName(t testing.TB, file *scenario.File, name string) scenario.Scenario {
	t.Helper()
	selected, unknown := file.Select([]string{name})
	if len(selected) != 1 || len(unknown) != 0 {
		t.Fatalf("%d scenarios are called %q", len(selected), name)
	}
	return selected[0]
}

func TestVectorRequests(t *testing.T) {
	exo := exoScenarios(t)
	if got := len(exo.Scenarios); got != 13 {
		t.Errorf("exo's file has %d scenarios, want 13", got)
	}
	type row struct {
		Scenario, API, Phase, Path, Kind, Label, Text, TOML, Raises string
		Synthetic                                                   bool
		Call                                                        *struct{ ID, Name, Arguments json.RawMessage } `json:"parsed_tool_call"`
		ToolResult                                                  json.RawMessage                                `json:"tool_result"`
		Body                                                        json.RawMessage                                `json:"body_wire"`
		Dataclass                                                   json.RawMessage
	}
	var rows []row
	var synthetic *scenario.File
	shared.Lines(t, "golden/exo/eval_golden/requests.jsonl", func(line int, r row) {
		rows = append(rows, r)
		if r.Kind == "synthetic_toml" {
			file, err := scenario.Parse("synthetic.toml", []byte(r.Text))
			if err != nil {
				t.Fatal(err)
			}
			synthetic = file
		}
	})
	bodies, loads, classes := 0, 0, 0
	for i, r := range rows {
		line := i + 1
		switch {
		case r.Kind == "synthetic_toml":
		case r.Kind == "load":
			loads++
			_, err := scenario.Parse("x.toml", []byte(r.TOML))
			if (err != nil) != (r.Raises != "") {
				t.Errorf("line %d (%s): error %v, the reference raises %q", line, r.Label, err, r.Raises)
			}
		case r.Kind == "loaded_scenario":
			classes++
			if diff := cmp.Diff(compact(t, r.Dataclass), dataclass(t, byName(t, synthetic, r.Scenario))); diff != "" {
				t.Errorf("line %d: scenario %s (-want +got):\n%s", line, r.Scenario, diff)
			}
		default:
			bodies++
			file := exo
			if r.Synthetic {
				file = synthetic
			}
			s := byName(t, file, r.Scenario)
			var req *scenario.Request
			var err error
			if r.Phase == scenario.PhaseFollowUp {
				call := scenario.Call{ID: python(t, r.Call.ID), Name: python(t, r.Call.Name), Arguments: python(t, r.Call.Arguments)}
				var result string
				if err := json.Unmarshal(r.ToolResult, &result); err != nil {
					t.Fatal(err)
				}
				req, err = scenario.NewFollowUp(tape.API(r.API), vectorModel, s, call, result, false)
			} else {
				req, err = scenario.NewRequest(tape.API(r.API), vectorModel, s, false)
			}
			var want string
			var raises struct{ Raises string }
			if json.Unmarshal(r.Body, &raises) == nil && raises.Raises != "" {
				_, text, _ := strings.Cut(raises.Raises, ": ")
				if err == nil || err.Error() != text {
					t.Errorf("line %d (%s %s): error %v, want %q", line, r.Scenario, r.API, err, text)
				}
				continue
			}
			if err != nil {
				t.Errorf("line %d (%s %s): %v", line, r.Scenario, r.API, err)
				continue
			}
			if err := json.Unmarshal(r.Body, &want); err != nil {
				t.Fatal(err)
			}
			if req.Path != r.Path {
				t.Errorf("line %d: path %q, want %q", line, req.Path, r.Path)
			}
			if diff := cmp.Diff(want, string(req.Body)); diff != "" {
				t.Errorf("line %d (%s %s): body (-want +got):\n%s", line, r.Scenario, r.API, diff)
			}
		}
	}
	if bodies != 105 || loads != 10 || classes != 4 {
		t.Errorf("compared %d bodies, %d loads, %d loaded scenarios; want 105, 10, 4", bodies, loads, classes)
	}
}

// dataclass is a scenario as the reference holds it, in Python's JSON.
func dataclass(t testing.TB, s scenario.Scenario) string {
	t.Helper()
	req, err := scenario.NewRequest(tape.OpenAI, "m", s, false)
	if err != nil {
		t.Fatal(err)
	}
	body := python(t, req.Body).(*pyvalue.Dict)
	messages, _ := body.GetStr("messages")
	tools, _ := body.GetStr("tools")
	d := pyvalue.DictOf(
		"name", pyvalue.Str(s.Name),
		"description", pyvalue.Str(s.Description),
		"messages", messages,
		"tools", tools,
		"expect_tool_call", pyvalue.Bool(s.ExpectToolCall),
		"expected_function", orNone(s.ExpectedFunction != "", pyvalue.Str(s.ExpectedFunction)),
		"required_arg_keys", strs(s.RequiredArgKeys),
		"tool_result", pyvalue.None{},
		"nested_array_key", orNone(s.NestedArrayKey != "", pyvalue.Str(s.NestedArrayKey)),
		"required_item_keys", strs(s.RequiredItemKeys),
	)
	if s.ToolResult != nil {
		d.SetStr("tool_result", pyvalue.Str(*s.ToolResult))
	}
	return compactValue(t, d)
}

func orNone(present bool, v pyvalue.Value) pyvalue.Value {
	if present {
		return v
	}
	return pyvalue.None{}
}

func strs(items []string) pyvalue.Value {
	if items == nil {
		return pyvalue.None{}
	}
	list := pyvalue.NewList()
	for _, s := range items {
		list.Append(pyvalue.Str(s))
	}
	return list
}

// python reads JSON text as Python does.
func python(t testing.TB, text []byte) pyvalue.Value {
	t.Helper()
	v, err := pyjson.Decode(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func compact(t testing.TB, text []byte) string { return compactValue(t, python(t, text)) }

func compactValue(t testing.TB, v pyvalue.Value) string {
	t.Helper()
	text, err := pyjson.Encode(v, pyjson.Default)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// answerJSON is an answer as the reference's vectors write it.
func answerJSON(a scenario.Answer) pyvalue.Value {
	call := pyvalue.Value(pyvalue.None{})
	if a.Call != nil {
		call = pyvalue.DictOf("id", a.Call.ID, "name", a.Call.Name, "arguments", a.Call.Arguments)
	}
	return pyvalue.DictOf("finish_reason", a.FinishReason, "has_tool_call", pyvalue.Bool(a.Call != nil),
		"tool_call", call, "content", a.Content)
}

func TestVectorParse(t *testing.T) {
	counts := map[string]int{}
	shared.Lines(t, "golden/exo/eval_golden/parse.jsonl", func(line int, r struct {
		API, Source, Raises string
		Response            json.RawMessage
		Parsed              json.RawMessage
		JSONError           string `json:"json_error"`
	}) {
		text := string(python(t, r.Response).(pyvalue.Str))
		data, err := pyjson.DecodeString(text)
		if r.JSONError != "" {
			counts["json_error"]++
			if err == nil || "JSONDecodeError: "+err.Error() != r.JSONError {
				t.Errorf("line %d: error %v, want %q", line, err, r.JSONError)
			}
			return
		}
		if err != nil {
			t.Errorf("line %d: %v", line, err)
			return
		}
		a, err := scenario.ParseAnswer(tape.API(r.API), data)
		if r.Raises != "" {
			counts["raises"]++
			unusable, ok := err.(*scenario.UnusableError)
			if !ok || unusable.Exception != r.Raises || unusable.What == "" {
				t.Errorf("line %d %s: error %#v, the reference raises %q", line, r.Response, err, r.Raises)
			}
			return
		}
		counts["parsed"]++
		if err != nil {
			t.Errorf("line %d: %v", line, err)
			return
		}
		if diff := cmp.Diff(compact(t, r.Parsed), compactValue(t, answerJSON(a))); diff != "" {
			t.Errorf("line %d %s (-want +got):\n%s", line, r.Source, diff)
		}
	})
	want := map[string]int{"parsed": 285, "raises": 38, "json_error": 27}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("rows compared (-want +got):\n%s", diff)
	}
}
