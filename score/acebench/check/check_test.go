package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func decodeJSON(t testing.TB, text string) pyvalue.Value {
	t.Helper()
	v, err := pyjson.DecodeString(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// trip is a function with a parameter of most kinds.
const trip = `[{"name": "plan_trip", "parameters": {"type": "object", "properties": {
	"town": {"type": "string"},
	"days": {"type": "number"},
	"pets": {"type": "boolean", "default": false},
	"riders": {"type": "array", "items": {"type": "string"}},
	"bags": {"type": "array", "items": {"type": "object"}},
	"hotel": {"type": "object", "properties": {"stars": {"type": "integer"}}},
	"route": {"type": "tuple", "items": {"type": "string"}},
	"fare": {"type": "float"}
}, "required": ["town"]}}]`

const tripTruth = `{"plan_trip": {"town": "Lund", "days": 4, "pets": false, "riders": ["Ann", "Bo"], "bags": [{"kg": 12}], "hotel": {"mail": "x@y.z"}}}`

// right is the right answer.
const right = `[plan_trip(town='Lund', days=4, pets=False, riders=['Ann', 'Bo'], bags=[{'kg': 12}], hotel={'mail': 'x@y.z'})]`

// verdicts renders the outcome of an answer under each rule set: "ok", the error type, or the exception.
func verdicts(t testing.TB, c dataset.Category, functions, truth, answer string) map[rules.Rules]string {
	t.Helper()
	got := map[rules.Rules]string{}
	for _, r := range rules.All() {
		v, err := judge(r, c, decodeJSON(t, functions), decodeJSON(t, truth), answer)
		switch {
		case err != nil:
			got[r] = err.Error()
		case v.Valid:
			got[r] = "ok"
		default:
			got[r] = v.Type
		}
	}
	return got
}

// TestNormalAnswers changes one thing about the right answer. What a reference raises is shown as Python prints it.
func TestNormalAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, old, with      string
		es, official, strict string
	}{
		{"nothing", "", "", "ok", "ok", "ok"},
		{"an optional argument left out", "days=4, ", "", "ok", "ok", "lack_args"},
		{"left out, and the default is the same", "pets=False, ", "", "ok", "ok", "ok"},
		{"a required argument left out", "town='Lund', ", "", "lack_args", "lack_args", "lack_args"},
		{"an argument that is not expected", "days=4", "days=4, fare=1.5", "addition_args", "addition_args", "addition_args"},
		{"an argument that does not exist", "days=4", "days=4, wind=1", "addition_args", "addition_args", "addition_args"},
		{"an unpacked mapping", "days=4", "days=4, **more", "ok", "addition_args", "wrong_output_format"},
		{"a positional argument", "(town", "(1, town", "ok", "ok", "wrong_output_format"},
		{"a longer text", "'Lund'", "'Lund, Sweden'", "ok", "ok", "value_error:string"},
		{"the opposite text", "'Lund'", "'not Lund'", "ok", "ok", "value_error:string"},
		{"a shorter text", "'Lund'", "'Lun'", "value_error:string", "value_error:string", "value_error:string"},
		{"other case and punctuation", "'Lund'", "'-L.U.N.D.'", "ok", "ok", "ok"},
		{"no text", "'Lund'", "''", "value_error:string", "value_error:string", "value_error:string"},
		{"None", "'Lund'", "None", "type_error", "type_error", "type_error"},
		{"another number", "days=4", "days=99", "ok", "ok", "value_error"},
		{"the number as a float", "days=4", "days=4.0", "ok", "ok", "ok"},
		{"another float", "days=4", "days=4.5", "type_error", "type_error", "value_error"},
		{"a bool for a number", "days=4", "days=True", "type_error", "type_error", "type_error"},
		{"a number as text", "days=4", "days='4'", "type_error", "type_error", "type_error"},
		{"the other bool", "pets=False", "pets=True", "ok", "ok", "value_error"},
		{"a bool as text", "pets=False", "pets='false'", "ok", "ok", "type_error"},
		{"a bool as a bare name", "pets=False", "pets=false", "ok", "ok", "wrong_output_format"},
		{"a number for a bool", "pets=False", "pets=3", "type_error", "type_error", "type_error"},
		{"zero for false", "pets=False", "pets=0", "ok", "ok", "type_error"},
		{"a list in another order", "['Ann', 'Bo']", "['Bo', 'Ann']", "value_error:list/tuple", "value_error:list/tuple", "value_error:list/tuple"},
		{"a list in other case", "['Ann', 'Bo']", "['ANN', 'b-o']", "ok", "ok", "ok"},
		{"a shorter list", "['Ann', 'Bo']", "['Ann']", "value_error:list/tuple", "value_error:list/tuple", "value_error:list/tuple"},
		{"a tuple for a list", "['Ann', 'Bo']", "('Ann', 'Bo')", "type_error", "type_error", "type_error"},
		{"no objects in a list", "[{'kg': 12}]", "[]", "value_error:list_dict_count", "value_error:list_dict_count", "value_error:list/tuple"},
		{"a number that contains the expected one", "12", "3121", "ok", "ok", "value_error:list/tuple"},
		{"another number in an object", "12", "13", "value_error", "value_error", "value_error:list/tuple"},
		{"another key in an object", "'mail'", "'post'", "value_error", "value_error", "value_error"},
		{"an empty object", "{'mail': 'x@y.z'}", "{}", "value_error", "value_error", "value_error"},
		{"a list for an object", "{'mail': 'x@y.z'}", "[1]", "type_error", "type_error", "type_error"},
		{"an unhashable key", "'mail'", "[1]", "TypeError: unhashable type: 'list'", "wrong_output_format", "wrong_output_format"},
		{"** inside an object", "'mail': 'x@y.z'", "**x", "AttributeError: 'NoneType' object has no attribute '_fields'", "wrong_output_format", "wrong_output_format"},
		{"another function", "plan_trip", "stay_home", "function_mismatch", "function_mismatch", "function_mismatch"},
		{"one call too many", "[plan", "[f(), plan", "wrong functions number", "wrong functions number", "wrong functions number"},
		{"prose before", "[plan", "Yes. [plan", "ok", "wrong_output_format", "wrong_output_format"},
		{"reasoning before", "[plan", "<think>easy</think> [plan", "ok", "wrong_output_format", "ok"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(right, tt.old) {
				t.Fatalf("the right answer has no %q", tt.old)
			}
			answer := strings.Replace(right, tt.old, tt.with, 1)
			want := map[rules.Rules]string{rules.Evalscope: tt.es, rules.Official: tt.official, rules.Strict: tt.strict}
			if diff := cmp.Diff(want, verdicts(t, dataset.AtomObjectShort, trip, tripTruth, answer)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", answer, diff)
			}
		})
	}
}

// TestGroundTruths judges answers to ground truths of other shapes.
func TestGroundTruths(t *testing.T) {
	const noArguments = `[{"name": "ping", "parameters": {"type": "object", "properties": {}, "required": []}}]`
	const similar = `[{"name": "tide", "parameters": {"properties": {"port": {"type": "string"}}, "required": ["port"]}},
		{"name": "tide_table", "parameters": {"properties": {"port": {"type": "string"}}, "required": ["port"]}}]`
	numbered := strings.ReplaceAll(similar, "tide_table", "tide_2")
	for _, tt := range []struct {
		name, functions, truth, answer string
		es, official, strict           string
	}{
		{"alternatives, the second", similar, `[{"tide": {"port": "Vigo"}}, {"tide": {"port": "Faro"}}]`, `[tide(port='Faro')]`, "ok", "ok", "ok"},
		{"alternatives, none", similar, `[{"tide": {"port": "Vigo"}}, {"tide_table": {"port": "Faro"}}]`, `[tide(port='Bari')]`, "value_error:string", "value_error:string", "value_error:string"},
		{"no alternative", similar, `[]`, `[tide(port='Faro')]`, "missing_answer", "IndexError: list index out of range", "missing_answer"},
		{"parallel calls in another order", similar, `{"tide_1": {"port": "Vigo"}, "tide_2": {"port": "Faro"}}`, `[tide(port='Faro'), tide(port='Vigo')]`, "ok", "ok", "ok"},
		{"one call for two", similar, `{"tide_1": {"port": "Vigo"}, "tide_2": {"port": "Vig"}}`, `[tide(port='Vigo'), tide(port='Vigo')]`, "ok", "ok", "value_error:string"},
		{"a wrong one among parallel calls", similar, `{"tide_1": {"port": "Vigo"}, "tide_2": {"port": "Faro"}}`, `[tide(port='Vigo'), tide(port='Bari')]`, "value_error:string", "value_error:string", "value_error:string"},
		{"other functions, one wrong", similar, `{"tide": {"port": "Vigo"}, "tide_1": {"port": "Faro"}}`, `[tide(port='Faro'), sail(port='Vigo')]`, "function_mismatch", "function_mismatch", "function_mismatch"},
		{"twice instead of once each", similar, `{"tide": {"port": "V"}, "sail": {"port": "F"}}`, `[tide(port='V'), tide(port='F')]`, "function_mismatch", "function_mismatch", "function_mismatch"},
		{"a name inside another", similar, `{"tide_table": {"port": "Vigo"}}`, `[tide_table(port='Vigo')]`, "wrong_function_name", "wrong_function_name", "ok"},
		{"a name that ends like a number", numbered, `{"tide_2": {"port": "Vigo"}}`, `[tide_2(port='Vigo')]`, "function_mismatch", "function_mismatch", "ok"},
		{"no arguments", noArguments, `{"ping": {}}`, `[ping()]`, "wrong_param", "wrong_param", "ok"},
		{"no arguments expected", noArguments, `{"ping": {}}`, `[ping(x=1)]`, "ok", "ok", "addition_args"},
		{"nothing expected, nothing called", similar, `{}`, `[]`, "ok", "ok", "ok"},
		{"null", similar, `null`, `[tide(port='x')]`, "TypeError: object of type 'NoneType' has no len()", "TypeError: object of type 'NoneType' has no len()", "TypeError: object of type 'NoneType' has no len()"},
		{"a function that is not on offer", similar, `{"sail": {"port": "Vigo"}}`, `[sail(port='Vigo')]`, "TypeError: 'NoneType' object is not subscriptable", "TypeError: 'NoneType' object is not subscriptable", "ok"},
		{"an enum", `[{"name": "f", "parameters": {"properties": {"day": {"type": "enum"}}, "required": []}}]`, `{"f": {"day": "today"}}`, `[f(day='tomorrow')]`, "ok", "ok", "value_error:string"},
		{"an unknown type", `[{"name": "f", "parameters": {"properties": {"day": {"type": "date"}}, "required": []}}]`, `{"f": {"day": "today"}}`, `[f(day='today')]`, "KeyError: 'date'", "KeyError: 'date'", "ok"},
		{"a declared tuple", `[{"name": "f", "parameters": {"properties": {"p": {"type": "tuple", "items": {"type": "string"}}}, "required": []}}]`, `{"f": {"p": ["a"]}}`, `[f(p=('a',))]`, "ok", "ok", "ok"},
		{"null in a text", `[{"name": "f", "parameters": {"properties": {"p": {"type": "string"}}, "required": []}}]`, `{"f": {"p": null}}`, `[f(p='anything')]`, "ok", "ok", "type_error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := map[rules.Rules]string{rules.Evalscope: tt.es, rules.Official: tt.official, rules.Strict: tt.strict}
			if diff := cmp.Diff(want, verdicts(t, dataset.SingleTurnParallel, tt.functions, tt.truth, tt.answer)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSpecialAnswers(t *testing.T) {
	const refusal = `["Due to the limitations of the function, I cannot solve this problem."]`
	for _, tt := range []struct {
		name          string
		category      dataset.Category
		truth, answer string
		want          string
	}{
		{"incomplete", dataset.Incomplete, `{"rent": ["town", "days"]}`, `["Missing necessary parameters (town, days) for the api (rent)"]`, "ok"},
		{"incomplete, a call instead", dataset.Incomplete, `{"rent": ["town", "days"]}`, `[rent()]`, "error_detection"},
		{"incomplete, one parameter missed", dataset.Incomplete, `{"rent": ["town", "days"]}`, `["Missing necessary parameters (town) for the api (rent)"]`, "error_correction"},
		{"incomplete, no function named", dataset.Incomplete, `{"rent": ["town"]}`, `Missing necessary parameters: town`, "error_correction"},
		{"incomplete, the last entry decides", dataset.Incomplete, `{"rent": ["town"], "sell": ["price"]}`, `Missing necessary parameters: town to rent, something to sell`, "error_correction"},
		{"wrong value", dataset.ErrorParam, `{"code": ["77xy"]}`, `["There is incorrect value (77xy) for the parameters (code)."]`, "ok"},
		{"wrong value not named", dataset.ErrorParam, `{"code": ["77xy"]}`, `["There is incorrect value somewhere."]`, "error_correction"},
		{"wrong value not seen", dataset.ErrorParam, `{"code": ["77xy"]}`, `[f(code='77xy')]`, "error_detection"},
		{"irrelevant", dataset.Irrelevant, `{}`, refusal, "ok"},
		{"irrelevant, a call instead", dataset.Irrelevant, `{}`, `[f(x=1)]`, "error_detection"},
		{"nothing to find", dataset.Incomplete, `{}`, ``, "ok"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := map[rules.Rules]string{rules.Evalscope: tt.want, rules.Official: tt.want, rules.Strict: tt.want}
			if diff := cmp.Diff(want, verdicts(t, tt.category, `[]`, tt.truth, tt.answer)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for truth, want := range map[string]string{
		`"a text"`:     "AttributeError: 'str' object has no attribute 'items'",
		`{"f": [1]}`:   "TypeError: 'in <string>' requires string as left operand, not int",
		`{"f": false}`: "TypeError: 'bool' object is not iterable",
	} {
		got := verdicts(t, dataset.ErrorParam, `[]`, truth, `There is incorrect value in a text, 1`)
		if got[rules.Official] != want {
			t.Errorf("official on %s: %s, want %s", truth, got[rules.Official], want)
		}
	}
}

func TestEndStates(t *testing.T) {
	for _, tt := range []struct {
		name, truth, state   string
		es, official, strict string
	}{
		{"equal", `[{"BaseApi": {"wifi": true, "logged_in": true}}]`, `[{"BaseApi": {"wifi": true, "logged_in": true}}]`, "ok", "ok", "ok"},
		{"another value", `[{"BaseApi": {"wifi": true}}]`, `[{"BaseApi": {"wifi": false}}]`, "class attributes wrong", "class attributes wrong", "class attributes wrong"},
		{"one for true", `[{"BaseApi": {"wifi": true}}]`, `[{"BaseApi": {"wifi": 1}}]`, "ok", "ok", "class attributes wrong"},
		{"fewer classes", `[{"BaseApi": {}}, {"MessageApi": {}}]`, `[{"BaseApi": {}}]`, "wrong number of class", "wrong number of class", "wrong number of class"},
		{"an attribute too many", `[{"A": {"x": 1}}]`, `[{"A": {"x": 1, "y": 2}}]`, "class attributes wrong", "class attributes wrong", "class attributes wrong"},
		{"an attribute not recorded", `[{"A": {"x": 1, "y": 2}}]`, `[{"A": {"x": 1}}]`, "ok", "ok", "class attributes wrong"},
		{"a key too many inside", `[{"A": {"x": {"1": "a"}}}]`, `[{"A": {"x": {"1": "a", "2": "b"}}}]`, "ok", "ok", "ok"},
		{"a key not recorded inside", `[{"A": {"x": {"1": "a"}}}]`, `[{"A": {"x": {}}}]`, "class attributes wrong", "class attributes wrong", "class attributes wrong"},
		{"an empty object accepts anything", `[{"A": {"x": {}}}]`, `[{"A": {"x": 5}}]`, "ok", "ok", "ok"},
		{"a misspelt class", `[{"A": {"x": 1}}, {"Bapi": {"y": 1}}]`, `[{"A": {"x": 1}}, {"BApi": {"y": 2}}]`, "ok", "ok", "class attributes wrong"},
		{"a class in other case", `[{"a": {"x": 1}}]`, `[{"A": {"x": 1}}]`, "ok", "ok", "ok"},
		{"a class not found keeps the verdict", `[{"A": {"x": 1}}, {"Bee": {"y": 1}}]`, `[{"A": {"x": 2}}, {"B": {"y": 1}}]`, "class attributes wrong", "class attributes wrong", "class attributes wrong"},
		{"text for an object", `[{"A": {"x": {"k": 1}}}]`, `[{"A": {"x": "j"}}]`, "AttributeError: 'str' object has no attribute 'get'", "class attributes wrong", "class attributes wrong"},
		{"null for an object", `[{"A": {"x": {"k": 1}}}]`, `[{"A": {"x": null}}]`, "TypeError: argument of type 'NoneType' is not iterable", "TypeError: argument of type 'NoneType' is not iterable", "class attributes wrong"},
		{"an empty entry", `[{}]`, `[{}]`, "IndexError: list index out of range", "ok", "class attributes wrong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := map[rules.Rules]string{}
			for _, r := range rules.All() {
				v, err := check.EndState(r, decodeJSON(t, tt.state), decodeJSON(t, tt.truth))
				switch {
				case err != nil:
					got[r] = err.Error()
				case v.Valid:
					got[r] = "ok"
				default:
					got[r] = v.Type
				}
			}
			want := map[rules.Rules]string{rules.Evalscope: tt.es, rules.Official: tt.official, rules.Strict: tt.strict}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMilestones(t *testing.T) {
	for _, tt := range []struct {
		name, trace, stones string
		want                check.Progress
		official            string // an exception of the official scorer; "" when it agrees
	}{
		{"none", `[]`, `[]`, check.Progress{Share: 1}, "IndexError: list index out of range"},
		{"an empty alternative", `[]`, `[[]]`, check.Progress{Share: 1}, ""},
		{"nothing done", `[]`, `["no call"]`, check.Progress{Total: 1}, ""},
		{"an object", `[]`, `[{"odd": 1}]`, check.Progress{Total: 1}, ""},
		{"alternatives, nothing done", `[]`, `[["no call"], ["[a()]"]]`, check.Progress{}, ""},
		{"the first of three", `["[a()]"]`, `["[a()]", "[b(x='it's')]", "[c()]"]`, check.Progress{Share: 0.333, Matched: 1, Total: 3}, ""},
		{"all, although one is no Python", `["[a()]", "[b(x='it's')]"]`, `["[a()]", "[b(x='it's')]"]`, check.Progress{Share: 1, Matched: 2, Total: 2}, ""},
		{"in order", `["[a()]", "[b()]", "[c()]"]`, `["[a()]", "[b()]", "[c()]"]`, check.Progress{Share: 1, Matched: 3, Total: 3}, ""},
		{"backwards", `["[c()]", "[b()]", "[a()]"]`, `["[a()]", "[b()]", "[c()]"]`, check.Progress{Share: 0.333, Matched: 1, Total: 3}, ""},
		{"with others between", `["[x()]", "[a()]", "[y()]", "[b()]"]`, `["[a()]", "[b()]"]`, check.Progress{Share: 1, Matched: 2, Total: 2}, ""},
		{"one missed uses up the rest", `["[a()]", "[y()]", "[c()]"]`, `["[a()]", "[b()]", "[c()]"]`, check.Progress{Share: 0.333, Matched: 1, Total: 3}, ""},
		{"the best alternative", `["[c()]"]`, `[["[a()]", "[b()]"], ["[c()]"]]`, check.Progress{Share: 1}, ""},
		{"blanks at the ends", `["\u3000[a()] "]`, `[" [a()]"]`, check.Progress{Share: 1, Matched: 1, Total: 1}, ""},
		{"other quotes", `["[a(x=\"1\")]"]`, `["[a(x='1')]"]`, check.Progress{Total: 1}, ""},
		{"one of sixteen", `["a"]`, `["a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a"]`, check.Progress{Share: 0.062, Matched: 1, Total: 16}, ""},
		{"null", `["None"]`, `null`, check.Progress{Share: 1, Matched: 1, Total: 1}, "TypeError: 'NoneType' object is not subscriptable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := check.Milestones(rules.Evalscope, decodeJSON(t, tt.trace), decodeJSON(t, tt.stones))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			got, err = check.Milestones(rules.Official, decodeJSON(t, tt.trace), decodeJSON(t, tt.stones))
			if text := fmt.Sprint(err); err != nil && text != tt.official || err == nil && (tt.official != "" || got.Share != tt.want.Share) {
				t.Errorf("official: %v, %v, want %v, %q", got, err, tt.want, tt.official)
			}
		})
	}
}

func ExampleKey_Check() {
	functions, _ := pyjson.DecodeString(`[{"name": "tide", "parameters": {"properties": {"port": {"type": "string"}}, "required": ["port"]}}]`)
	truth, _ := pyjson.DecodeString(`{"tide": {"port": "Vigo"}}`)
	for _, r := range rules.All() {
		calls, err := decode.Calls(r, false, "[tide(port='not Vigo but Faro')]")
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := check.NewKey(r, dataset.AtomBool, functions, truth).Check(calls)
		fmt.Println(r, v.Valid, v.Type, err)
	}
	// Output:
	// evalscope true  <nil>
	// official true  <nil>
	// strict false value_error:string <nil>
}
