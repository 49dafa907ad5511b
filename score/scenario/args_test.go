package scenario

import (
	"encoding/json"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
	"github.com/google/go-cmp/cmp"
)

func TestVectorArgs(t *testing.T) {
	counts := map[string]int{}
	shared.Lines(t, "golden/exo/eval_golden/args.jsonl", func(line int, r struct {
		Fn               string
		Args             json.RawMessage
		NonString        json.RawMessage `json:"args_nonstring"`
		Python           string          `json:"args_python"`
		RequiredKeys     []string        `json:"required_keys"`
		ArrayKey         string          `json:"array_key"`
		RequiredItemKeys []string        `json:"required_item_keys"`
		OK               bool
		Error            *string
		Raises           string
	}) {
		raw := r.Args
		if raw == nil {
			raw = r.NonString
		}
		arguments, err := pyjson.Decode(raw)
		if err != nil {
			t.Fatalf("line %d: %v", line, err)
		}
		if r.Python != "" && r.OK {
			arguments = pyvalue.Bytes(r.Python[2 : len(r.Python)-1])
		}
		counts[r.Fn]++
		var problem string
		if r.Fn == "validate_args" {
			problem, err = checkArgs(arguments, r.RequiredKeys)
		} else {
			problem, err = checkNestedArgs(arguments, r.ArrayKey, r.RequiredItemKeys)
		}
		if r.Raises != "" {
			counts["raises"]++
			unusable, ok := err.(*UnusableError)
			if !ok || unusable.Exception != r.Raises {
				t.Errorf("line %d: error %v, the reference raises %q", line, err, r.Raises)
			}
			return
		}
		want := ""
		if r.Error != nil {
			want = *r.Error
		}
		if err != nil || (problem == "") != r.OK || problem != want {
			t.Errorf("line %d: %.100s: problem %q (%v), want %q", line, raw, problem, err, want)
		}
	})
	if diff := cmp.Diff(map[string]int{"validate_args": 199, "validate_nested_args": 43, "raises": 3}, counts); diff != "" {
		t.Errorf("rows compared (-want +got):\n%s", diff)
	}
}

func TestVectorPythonText(t *testing.T) {
	counts := map[string]int{}
	shared.Lines(t, "golden/exo/eval_golden/format.jsonl", func(line int, r struct {
		Kind, Text, JSON, Value string
		Items                   json.RawMessage
		InputJSON               string `json:"input_json"`
		Arguments               string
	}) {
		counts[r.Kind]++
		switch r.Kind {
		case "repr_list":
			items, err := pyjson.Decode(r.Items)
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for _, key := range items.(*pyvalue.List).Items {
				keys = append(keys, string(key.(pyvalue.Str)))
			}
			if problem, err := checkArgs(pyvalue.Str("{}"), keys); err != nil || problem != r.Text {
				t.Errorf("line %d: problem %q (%v), want %q", line, problem, err, r.Text)
			}
		case "claude_input_to_arguments":
			input, err := pyjson.DecodeString(r.InputJSON)
			if err != nil {
				t.Fatal(err)
			}
			if got := argumentText(input); string(got) != r.Arguments {
				t.Errorf("line %d: arguments %q, want %q", line, got, r.Arguments)
			}
		case "json_number":
			number, err := loads(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			if got := dumps(number); got != r.JSON {
				t.Errorf("line %d: %q is written %q, want %q", line, r.Value, got, r.JSON)
			}
		}
	})
	if counts["repr_list"] != 30 || counts["claude_input_to_arguments"] != 20 || counts["json_number"] != 17 {
		t.Errorf("rows compared: %v", counts)
	}
}

func TestArgs(t *testing.T) {
	str := func(s string) pyvalue.Value { return pyvalue.Str(s) }
	deep := func(open string, n int) string {
		out := ""
		for range n {
			out += open
		}
		return out
	}
	tests := []struct {
		name      string
		arguments pyvalue.Value
		required  []string
		want      string
		exception string
	}{
		{"all there", str(`{"a": 1, "b": null}`), []string{"a", "b"}, "", ""},
		{"order of the requirement", str(`{"c": 0}`), []string{"b", "a"}, "Missing keys: ['b', 'a']", ""},
		{"quotes", str(`{}`), []string{"it's"}, `Missing keys: ["it's"]`, ""},
		{"a list", str(`[1]`), []string{"a"}, "Expected dict, got list", ""},
		{"not JSON", str(`{"a": `), []string{"a"}, "Invalid JSON: Expecting value: line 1 column 7 (char 6)", ""},
		{"empty", str(``), nil, "Invalid JSON: Expecting value: line 1 column 1 (char 0)", ""},
		{"null", pyvalue.None{}, nil, "Invalid JSON: the JSON object must be str, bytes or bytearray, not NoneType", ""},
		{"an object", pyvalue.NewDict(), nil, "Invalid JSON: the JSON object must be str, bytes or bytearray, not dict", ""},
		{"NaN is JSON here", str(`{"a": NaN}`), []string{"a"}, "", ""},
		{"too deep", str(deep("[", 20000)), nil, "",
			"RecursionError: maximum recursion depth exceeded while decoding a JSON array from a unicode string"},
		{"too long a number", str("1" + deep("0", 5000)), nil, "",
			"ValueError: Exceeds the limit (4300 digits) for integer string conversion: value has 5001 digits; use sys.set_int_max_str_digits() to increase the limit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problem, err := checkArgs(tt.arguments, tt.required)
			exception := ""
			if err != nil {
				exception = err.(*UnusableError).Exception
			}
			if problem != tt.want || exception != tt.exception {
				t.Errorf("problem %q, exception %q; want %q, %q", problem, exception, tt.want, tt.exception)
			}
		})
	}
}

func TestNestedArgs(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"good", `{"legs": [{"from": "a", "to": null}]}`, ""},
		{"missing key", `{}`, "'legs' is not an array (got NoneType)"},
		{"an object", `{"legs": {}}`, "'legs' is not an array (got dict)"},
		{"empty", `{"legs": []}`, "'legs' is empty"},
		{"no object", `{"legs": [{"from": 1, "to": 2}, true]}`, "'legs[1]' is not an object (got bool)"},
		{"key missing", `{"legs": [{"to": 2}]}`, "'legs[0]' missing keys: ['from']"},
		{"not JSON", `legs`, "Invalid JSON: Expecting value: line 1 column 1 (char 0)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problem, err := checkNestedArgs(pyvalue.Str(tt.arguments), "legs", []string{"from", "to"})
			if err != nil || problem != tt.want {
				t.Errorf("problem %q (%v), want %q", problem, err, tt.want)
			}
		})
	}
}
