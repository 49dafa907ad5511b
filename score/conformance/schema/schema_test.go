package schema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/score/conformance/schema"
	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, schema, arguments string
		want                    []string // kind and path
	}{
		{"fits", `{"properties":{"port":{"type":"string"}},"required":["port"]}`, `{"port":"Vigo"}`, nil},
		{"anything", `{}`, `{"a":[1,{"b":null}]}`, nil},
		{"a boolean schema", `true`, `{"a":1}`, nil},
		{"integral float", `{"properties":{"level":{"type":"integer"}}}`, `{"level":40.0}`, nil},
		{"integral exponent", `{"properties":{"level":{"type":"integer"}}}`, `{"level":4e1}`, nil},
		{"format is not checked", `{"properties":{"d":{"type":"string","format":"date"}}}`, `{"d":"soon"}`, nil},
		{"missing", `{"required":["port","day"]}`, `{"day":1}`, []string{"missing "}},
		{"missing below", `{"properties":{"steps":{"items":{"required":["state"]}}}}`, `{"steps":[{"state":1},{}]}`, []string{"missing /steps/1"}},
		{"type", `{"properties":{"a/b":{"type":"string"}}}`, `{"a/b":1}`, []string{"type /a~1b"}},
		{"no coercion", `{"properties":{"n":{"type":"integer"}}}`, `{"n":"40"}`, []string{"type /n"}},
		{"enum", `{"properties":{"day":{"enum":["today"]}}}`, `{"day":"Today"}`, []string{"enum /day"}},
		{"const", `{"properties":{"day":{"const":"today"}}}`, `{"day":"Today"}`, []string{"enum /day"}},
		{"extra", `{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"c":1,"b":1}`, []string{"extra ", "extra "}},
		{"unevaluated", `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1,"b":1}`, []string{"extra /b"}},
		{"bound", `{"properties":{"n":{"maximum":100}}}`, `{"n":140}`, []string{"constraint /n"}},
		{"pattern", `{"properties":{"s":{"pattern":"^[A-Z]+$"}}}`, `{"s":"a"}`, []string{"constraint /s"}},
		{"unique", `{"properties":{"s":{"uniqueItems":true}}}`, `{"s":[1,1.0]}`, []string{"constraint /s"}},
		{"null or object, wrong inside", `{"properties":{"p":{"anyOf":[{"required":["code"],"type":"object"},{"type":"null"}]}}}`, `{"p":{}}`, []string{"missing /p"}},
		{"null or object, neither", `{"properties":{"p":{"anyOf":[{"type":"object"},{"type":"null"}]}}}`, `{"p":1}`, []string{"type /p"}},
		{"none of several", `{"properties":{"p":{"oneOf":[{"minimum":10},{"maximum":-10}]}}}`, `{"p":1}`, []string{"constraint /p"}},
		{"two of one", `{"properties":{"p":{"oneOf":[{"minimum":1},{"maximum":5}]}}}`, `{"p":3}`, []string{"constraint /p"}},
		{"local reference", `{"$defs":{"P":{"type":"string"}},"properties":{"p":{"$ref":"#/$defs/P"}}}`, `{"p":1}`, []string{"type /p"}},
		{"draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`, `{"n":1}`, []string{"constraint /n"}},
		{"several", `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["c"]}`, `{"b":1,"a":1}`, []string{"missing ", "type /a", "type /b"}},
		{"huge exponent", `{"properties":{"n":{"type":"integer","maximum":5}}}`, `{"n":1e999999999}`, []string{"constraint /n"}},
		{"tiny exponent", `{"properties":{"n":{"type":"number","minimum":5}}}`, `{"n":1e-99999999999999999999}`, []string{"constraint /n"}},
		{"exponent", `{"properties":{"n":{"maximum":100}}}`, `{"n":4e+1}`, nil},
		{"many digits below zero", `{"properties":{"n":{"maximum":5}}}`, `{"n":-` + strings.Repeat("9", 100_000) + `}`, nil},
		{"null or object, wrong type inside", `{"properties":{"p":{"anyOf":[{"properties":{"a":{"type":"string"}},"type":"object"},{"type":"null"}]}}}`, `{"p":{"a":1}}`, []string{"type /p/a"}},
		{"null or object, two wrong types inside", `{"properties":{"p":{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"type":"object"},{"type":"null"}]}}}`, `{"p":{"a":1,"b":1}}`, []string{"type /p/a", "type /p/b"}},
		{"nothing is allowed", `{"properties":{"p":false}}`, `{"p":1}`, []string{"constraint /p"}},
		{"a character by its number", `{"properties":{"s":{"pattern":"^[\\u4e00-\\u9fff]+$"}}}`, `{"s":"Vigo"}`, []string{"constraint /s"}},
		{"a character by its number, and it fits", `{"properties":{"s":{"pattern":"^\\u{41}\\u0042\\\\u0043$"}}}`, `{"s":"AB\\u0043"}`, nil},
		{"a lookahead beside a type", `{"properties":{"s":{"type":"string","pattern":"^(?=a)"},"n":{"type":"integer"}}}`, `{"s":"b","n":"1"}`, []string{"type /n"}},
		{"a backreference", `{"properties":{"s":{"pattern":"^(a|b)\\1$"}}}`, `{"s":"ab"}`, nil},
		{"a long repetition", `{"properties":{"s":{"pattern":"^.{1,2000}$"}}}`, `{"s":""}`, nil},
		{"half a surrogate pair", `{"properties":{"s":{"pattern":"^[\\ud83c-\\ud83e]"}}}`, `{"s":"🌊"}`, nil},
		{"a set with a dash", `{"properties":{"s":{"pattern":"^[\\w-.]+$"}}}`, `{"s":"a-."}`, nil},
		{"anything in JavaScript", `{"properties":{"s":{"pattern":"^[^]+$"}}}`, `{"s":"a"}`, nil},
		{"properties of a lookahead", `{"patternProperties":{"^(?!x)":{"type":"integer"}},"properties":{"n":{"type":"integer"}},"additionalProperties":false}`, `{"a":"1","n":"1"}`, []string{"type /n"}},
		{"none with a lookahead", `{"properties":{"s":{"not":{"pattern":"^(?=a)"}}}}`, `{"s":"b"}`, nil},
		{"no more than one with a lookahead", `{"properties":{"l":{"contains":{"pattern":"^(?=a)"},"maxContains":1}}}`, `{"l":["a","b"]}`, nil},
		{"at least one of two with a lookahead", `{"properties":{"l":{"contains":{"type":"string","pattern":"^(?=a)"},"maxContains":1}}}`, `{"l":[1]}`, []string{"constraint /l"}},
		{"one of two with a lookahead", `{"properties":{"s":{"oneOf":[{"pattern":"^(?=a)"},{"maxLength":3}]}}}`, `{"s":"b"}`, nil},
		{"one of two numbers beside a lookahead", `{"properties":{"s":{"pattern":"(?=a)","oneOf":[{"maxLength":3},{"minLength":1}]}}}`, `{"s":"b"}`, []string{"constraint /s"}},
		{"one of several with a lookahead, and none fits", `{"properties":{"s":{"oneOf":[{"type":"string","pattern":"^(?=a)"},{"type":"null"}]}}}`, `{"s":1}`, []string{"type /s"}},
		{"if a lookahead fits", `{"properties":{"s":{"if":{"pattern":"^(?=a)"},"then":{"minLength":9}}}}`, `{"s":"b"}`, nil},
		{"unless something else with a lookahead fits", `{"$defs":{"a":{"pattern":"^(?=a)"}},"properties":{"s":{"not":{"$ref":"#/$defs/a"}}}}`, `{"s":"b"}`, nil},
		{"a property that is called not", `{"properties":{"not":{"pattern":"(?=a)"}},"additionalProperties":false}`, `{"not":"b","c":1}`, []string{"extra "}},
		{"a value that looks like a pattern", `{"properties":{"s":{"const":{"pattern":"(?=a)"}}}}`, `{"s":{}}`, []string{"enum /s"}},
		{"a tuple of draft 7", `{"properties":{"p":{"items":[{"type":"number"},{"type":"string"}]}}}`, `{"p":[1,2]}`, []string{"type /p/1"}},
		{"a bound of draft 4", `{"properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`, `{"n":1}`, []string{"constraint /n"}},
		{"huge bound", `{"properties":{"n":{"maximum":1e999999999}}}`, `{"n":5}`, nil},
		{"many digits", `{"properties":{"n":{"maximum":5}}}`, `{"n":` + strings.Repeat("9", 100_000) + `}`, []string{"constraint /n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := schema.Compile([]byte(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			violations, err := s.Check([]byte(tt.arguments))
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("took %v", took)
			}
			var got []string
			for _, v := range violations {
				got = append(got, string(v.Kind)+" "+v.Path)
				if v.Detail == "" {
					t.Errorf("%v without a detail", v)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDetails: what is said of a violation tells apart what has the same kind.
func TestDetails(t *testing.T) {
	for _, tt := range []struct{ schema, arguments, want string }{
		{`{"properties":{"p":{"oneOf":[{"minimum":10},{"maximum":-10}]}}}`, `{"p":1}`, "it fits none of the schemas of which it must fit one"},
		{`{"properties":{"p":{"oneOf":[{"minimum":1},{"maximum":5}]}}}`, `{"p":3}`, "it fits more than one of the schemas of which it must fit one"},
		{`{"properties":{"p":{"anyOf":[{"type":"object"},{"type":"null"}]}}}`, `{"p":1}`, "it is number, not object; it is number, not null"},
		{`{"properties":{"p":false}}`, `{"p":1}`, "it is not allowed"},
		{`{"unevaluatedProperties":false}`, `{"p":1}`, "it is not a declared property"},
		{`{"properties":{"p":{"const":"x"}}}`, `{"p":"` + strings.Repeat("y", 90) + `"}`, `"` + strings.Repeat("y", 78) + `… is not "x"`},
	} {
		s, err := schema.Compile([]byte(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		violations, err := s.Check([]byte(tt.arguments))
		if err != nil || len(violations) != 1 || violations[0].Detail != tt.want {
			t.Errorf("%s: %+v, %v, want %q", tt.schema, violations, err, tt.want)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"no JSON", `{`, "not JSON"},
		{"a string", `"object"`, "neither an object nor a boolean"},
		{"no such type", `{"type":"any"}`, `at "/type"`},
		{"required of an older draft", `{"properties":{"a":{"required":true}}}`, `at "/properties/a/required"`},
		{"a dangling reference", `{"$ref":"#/$defs/Port"}`, "$defs"},
		{"a file", `{"$ref":"file:///etc/hostname"}`, "outside the schema"},
		{"the network", `{"$ref":"https://example.com/port.json"}`, "outside the schema"},
		{"an unknown draft", `{"$schema":"https://example.com/draft"}`, "outside the schema"},
		{"a pattern that is open", `{"pattern":"(?:a"}`, "pattern"},
		{"a set that is open", `{"pattern":"[a"}`, "pattern"},
		{"nothing to repeat", `{"pattern":"*a"}`, "pattern"},
		{"a tuple of the newest draft", `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`, `at "/items"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 3 { // the complaint is the same each time
				_, err := schema.Compile([]byte(tt.schema))
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("error %v, want one with %q", err, tt.want)
				}
			}
		})
	}
}

// TestUnchecked: patterns that are left out are told, once each, and no others.
func TestUnchecked(t *testing.T) {
	s, err := schema.Compile([]byte(`{"properties":{"a":{"pattern":"(?=x)"},"b":{"pattern":"(?=x)"},"c":{"pattern":"^\\u0041"},"d":{"patternProperties":{"(?<!y)":{}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"(?<!y)", "(?=x)"}, s.Unchecked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCache(t *testing.T) {
	var c schema.Cache
	raw := []byte(`{"required":["a"]}`)
	first, err := c.Compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := c.Compile(raw); again != first {
		t.Error("compiled anew")
	}
	_, err = c.Compile([]byte(`{"type":1}`))
	if _, again := c.Compile([]byte(`{"type":1}`)); err == nil || again == nil || err.Error() != again.Error() {
		t.Errorf("errors %v and %v", err, again)
	}
	large := fmt.Appendf(nil, `{"description":%q}`, strings.Repeat("x", 5<<20))
	if _, err := c.Compile(large); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compile([]byte(`{"title":"more",` + string(large[1:]))); err != nil {
		t.Fatal(err)
	}
	if again, _ := c.Compile(raw); again == first {
		t.Error("nothing is ever forgotten")
	}
}

// FuzzCheck: a check says the same again, the opposite of the schema's negation, and the same of the schema inside of another.
func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, `{"n":"x"}`)
	f.Add(`{"anyOf":[{"type":"null"},{"minimum":3}]}`, `{"n":1e99}`)
	f.Add(`{"properties":{"a":{"enum":[1,"x"]},"b":{"items":[{"type":"string"}],"minimum":1,"exclusiveMinimum":true}},"additionalProperties":false}`, `{"a":1.0,"b":1}`)
	f.Add(`{"if":{"maxProperties":1},"then":{"propertyNames":{"maxLength":2}},"else":{"dependentRequired":{"a":["b"]}}}`, `{"a":[],"abc":null}`)
	f.Add(`{"oneOf":[{"patternProperties":{"(?=a)":{"pattern":"\\u0041"}}},{"not":{"pattern":"(a)\\1"}}]}`, `{"a":"b"}`)
	f.Fuzz(func(t *testing.T, raw, arguments string) {
		s, err := schema.Compile([]byte(raw))
		if err != nil {
			return
		}
		first, err := s.Check([]byte(arguments))
		if err != nil {
			return
		}
		if again, _ := s.Check([]byte(arguments)); !cmp.Equal(first, again) {
			t.Errorf("%v, then %v", first, again)
		}
		if len(s.Unchecked) > 0 || strings.ContainsAny(raw, `$\`) || strings.Contains(raw, `"id"`) {
			return // what it means may depend on where it stands
		}
		for wrapped, opposite := range map[string]bool{`{"allOf":[` + raw + `]}`: false, `{"not":` + raw + `}`: true} {
			s, err := schema.Compile([]byte(wrapped))
			if err != nil {
				t.Fatalf("%s: %v", wrapped, err)
			}
			got, err := s.Check([]byte(arguments))
			if err != nil {
				t.Fatalf("%s: %v", wrapped, err)
			}
			if fits := len(first) == 0; (len(got) == 0) != (fits != opposite) {
				t.Errorf("%s has the violations %v, but %s has %v", raw, first, wrapped, got)
			}
		}
	})
}

func ExampleSchema_Check() {
	s, err := schema.Compile([]byte(`{"properties":{"port":{"type":"string"}},"required":["port","day"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	violations, err := s.Check([]byte(`{"port":5}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range violations {
		fmt.Printf("%s %q: %s\n", v.Kind, v.Path, v.Detail)
	}
	// Output:
	// missing "": "day" is missing
	// type "/port": it is number, not string
}
