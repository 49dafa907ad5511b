package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/scenario"
	"github.com/google/go-cmp/cmp"
)

func TestParseErrors(t *testing.T) {
	const tools = "[tools.get_tide]\nrequired = [\"harbour\"]\n\n"
	const head = "[[scenarios]]\nname = \"s\"\ndescription = \"d\"\nexpect_tool_call = true\n"
	tests := []struct{ name, doc, want string }{
		{"no TOML", "[[scenarios\n", `f.toml:2: expected '.' or ']' to end table name, but got '\n' instead`},
		{"unknown key at the top", "tool = 1\n", `f.toml:1: tool: unknown key (known here: tools, scenarios)`},
		{"unknown key of a tool", "[tools.t]\n\n# note\ndescripton = \"x\"\n",
			`f.toml:4: tools.t.descripton: unknown key (known here: description, properties, required)`},
		{"unknown key of the second scenario", head + "\n" + head + "expected_funktion = \"x\"\n",
			`f.toml:10: scenarios[1].expected_funktion: unknown key (known here: name, description, expect_tool_call, expected_function, ` +
				`required_arg_keys, tool_result, nested_array_key, required_item_keys, tools, messages)`},
		{"unknown key inside braces", head + "messages = [\n  {role = \"user\"},\n  {role = \"user\", text = \"hi\"},\n]\n",
			`f.toml:7: scenarios[0] "s" messages[1] text: unknown key (known here: role, content, tool_calls, tool_call_id)`},
		{"unknown tool", tools + head + "tools = [\"get_tides\"]\n",
			`f.toml:8: scenarios[0] "s" tools: there is no tool "get_tides" (the file defines get_tide)`},
		{"no tools at all", head + "tools = [\"x\"]\n", `f.toml:5: scenarios[0] "s" tools: there is no tool "x" (the file defines no tools)`},
		{"name missing", "[[scenarios]]\n", `f.toml:1: scenarios[0].name: is missing`},
		{"description missing", "[[scenarios]]\nname = \"s\"\n", `f.toml:1: scenarios[0] "s" description: is missing`},
		{"expectation missing", "[[scenarios]]\nname = \"s\"\ndescription = \"d\"\n", `f.toml:1: scenarios[0] "s" expect_tool_call: is missing`},
		{"role missing", head + "[[scenarios.messages]]\ncontent = \"c\"\n", `f.toml:5: scenarios[0] "s" messages[0] role: is missing`},
		{"call without arguments", head + "[[scenarios.messages]]\nrole = \"assistant\"\n[[scenarios.messages.tool_calls]]\nid = \"a\"\nname = \"b\"\n",
			`f.toml:7: scenarios[0] "s" messages[0] tool_calls[0] arguments: is missing`},
		{"wrong kind", "[[scenarios]]\nname = 3\n", `f.toml:2: scenarios[0].name: must be a string, not an integer`},
		{"wrong kind of flag", "[[scenarios]]\nname = \"s\"\ndescription = \"d\"\nexpect_tool_call = \"yes\"\n",
			`f.toml:4: scenarios[0] "s" expect_tool_call: must be true or false, not a string`},
		{"wrong kind in a list", head + "required_arg_keys = [\"a\", 1.5]\n", `f.toml:5: scenarios[0] "s" required_arg_keys: must be an array of strings, not a float`},
		{"scenarios no array", "[scenarios]\nname = \"s\"\n", `f.toml:1: scenarios: must be an array, not a table`},
		{"tool no table", "tools = {t = true}\n", `f.toml:1: tools.t: must be a table, not a boolean`},
		{"properties no table", "[tools.t]\nproperties = []\n", `f.toml:2: tools.t.properties: must be a table, not an array`},
		{"date in a result", head + "[scenarios.tool_result]\nrows = [{day = 2020-01-01}]\n",
			`f.toml:6: scenarios[0] "s" tool_result.rows[0].day: a date or time cannot be told in JSON (write it as a string)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenario.Parse("f.toml", []byte(tt.doc))
			if err == nil {
				t.Fatal("the file was accepted")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseKeepsOrder spells the same values in all ways that TOML has.
func TestParseKeepsOrder(t *testing.T) {
	const head = "[[scenarios]]\nname = \"s\"\ndescription = \"d\"\nexpect_tool_call = true\n"
	tests := []struct{ name, doc, want string }{
		{"table", "[scenarios.tool_result]\nz = 1\na = 2\nm = 3\n", `{"z": 1, "a": 2, "m": 3}`},
		{"inline table", "tool_result = {z = 1, a = 2, m = {y = 1, b = 2}}\n", `{"z": 1, "a": 2, "m": {"y": 1, "b": 2}}`},
		{"dotted keys", "tool_result.z.y = 1\ntool_result.a = 2\ntool_result.z.b = 3\n", `{"z": {"y": 1, "b": 3}, "a": 2}`},
		{"sub-tables out of order", "[scenarios.tool_result.z]\ny = 1\n[scenarios.tool_result.a]\nx = 2\n[scenarios.tool_result.z.c]\nw = 3\n",
			`{"z": {"y": 1, "c": {"w": 3}}, "a": {"x": 2}}`},
		{"array of tables", "[[scenarios.tool_result.rows]]\nz = 1\na = 2\n[[scenarios.tool_result.rows]]\na = 3\nz = 4\n[scenarios.tool_result.rows.sub]\nk = 5\n",
			`{"rows": [{"z": 1, "a": 2}, {"a": 3, "z": 4, "sub": {"k": 5}}]}`},
		{"array of inline tables", "tool_result = {rows = [{z = 1, a = 2}, {}, {a = 3, z = 4}, {z.q = 1, z.b = 2}, [{k = 1}, {k = 2, j = 3}]]}\n",
			`{"rows": [{"z": 1, "a": 2}, {}, {"a": 3, "z": 4}, {"z": {"q": 1, "b": 2}}, [{"k": 1}, {"k": 2, "j": 3}]]}`},
		{"quoted keys", "tool_result = {\"z.y\" = 1, 'a ]' = 2, \"\" = 3}\n", `{"z.y": 1, "a ]": 2, "": 3}`},
		{"values", "[scenarios.tool_result]\ni = 0x10\nb = 1_000\nf = 1.50\ne = 1e22\nn = nan\np = +inf\nq = -0.0\nt = true\ns = \"é\\u0000\\\"\"\nl = [[], [1, 2.0]]\n",
			`{"i": 16, "b": 1000, "f": 1.5, "e": 1e+22, "n": NaN, "p": Infinity, "q": -0.0, "t": true, "s": "\u00e9\u0000\"", "l": [[], [1, 2.0]]}`},
		{"not a table", "tool_result = [1, {b = 1, a = 2}]\n", `[1, {"b": 1, "a": 2}]`},
		{"text with brackets", "[scenarios.tool_result] # [not] a = key\nz = \"\"\"\n]] # \"x\" = {\\\"\\\n  y\"\"\"\"\na = '''{'='''\nl = [ # ]\n \"#\", ']',\n]\n",
			`{"z": "]] # \"x\" = {\"y\"", "a": "{'=", "l": ["#", "]"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file, err := scenario.Parse("f.toml", []byte(head+tt.doc))
			if err != nil {
				t.Fatal(err)
			}
			if got := *file.Scenarios[0].ToolResult; got != tt.want {
				t.Errorf("tool result\n got %s\nwant %s", got, tt.want)
			}
			// The line of a key after all that shows that nothing was counted twice or lost.
			doc := head + tt.doc + "[[scenarios]]\nwhat = 1\n"
			_, err = scenario.Parse("f.toml", []byte(doc))
			if e, ok := err.(*scenario.Error); !ok || e.Line != strings.Count(doc, "\n") {
				t.Errorf("error %v does not tell line %d", err, strings.Count(doc, "\n"))
			}
		})
	}
}

func TestParseToolsAcrossFile(t *testing.T) {
	doc := "[tools.b]\n[[scenarios]]\nname = \"s\"\ndescription = \"d\"\nexpect_tool_call = false\n" +
		"[[scenarios]]\nname = \"t\"\ndescription = \"d\"\nexpect_tool_call = false\ntools = [\"a\"]\n" +
		"[[scenarios]]\nname = \"u\"\ndescription = \"d\"\nexpect_tool_call = false\ntools = []\n[tools.a]\n"
	file, err := scenario.Parse("f.toml", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, s := range file.Scenarios {
		names := []string{}
		for _, tool := range s.Tools {
			names = append(names, tool.Name)
		}
		got = append(got, names)
	}
	if diff := cmp.Diff([][]string{{"b", "a"}, {"a"}, {}}, got); diff != "" {
		t.Errorf("tools offered (-want +got):\n%s", diff)
	}
}

func TestParseCRLFAndBOM(t *testing.T) {
	doc := "\ufeff[[scenarios]]\r\nname = \"s\"\r\ndescription = \"d\"\r\nexpect_tool_call = false\r\nwhat = 1\r\n"
	_, err := scenario.Parse("f.toml", []byte(doc))
	if e, ok := err.(*scenario.Error); !ok || e.Line != 5 {
		t.Errorf("error %v, want one of line 5", err)
	}
}

func TestSelect(t *testing.T) {
	file, err := scenario.Parse("own.toml", fixtures.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	names := file.Names()
	if len(names) < 13 {
		t.Fatalf("only %d scenarios of our own", len(names))
	}
	all, unknown := file.Select(nil)
	if len(all) != len(names) || unknown != nil {
		t.Errorf("no names select %d of %d scenarios, unknown %q", len(all), len(names), unknown)
	}
	some, unknown := file.Select([]string{names[3], "nope", names[1], "nope"})
	if len(some) != 2 || some[0].Name != names[1] || some[1].Name != names[3] {
		t.Errorf("the selection does not keep the order of the file")
	}
	if diff := cmp.Diff([]string{"nope"}, unknown); diff != "" {
		t.Errorf("unknown names (-want +got):\n%s", diff)
	}
}

func TestNoMatch(t *testing.T) {
	file := &scenario.File{Scenarios: []scenario.Scenario{{Name: "a"}, {Name: "it's"}}}
	if got, want := file.NoMatch(), `No matching scenarios. Available: ['a', "it's"]`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scenarios.toml")
	if _, err := scenario.Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v does not name the missing file", err)
	}
	if err := os.WriteFile(path, fixtures.Scenarios, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := scenario.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if file.Name != path || !strings.HasPrefix(file.Digest, "sha256:") || len(file.Digest) != 71 {
		t.Errorf("name %q, digest %q", file.Name, file.Digest)
	}
}

// TestLacks: names are compared as labels have them, and other clients' labels name no scenarios.
func TestLacks(t *testing.T) {
	file := &scenario.File{Scenarios: []scenario.Scenario{{Name: "tide"}, {Name: "Flut für heute"}}}
	of := func(suite, sample string) *tape.Exchange {
		return &tape.Exchange{Labels: map[string]string{"suite": suite, "sample": sample}}
	}
	recorded := []*tape.Exchange{of("exo", "tide"), of("exo", `"Flut f\u00fcr heute"`), of("exo", "wind"), of("exo", "fog"), of("exo", "wind"), of("acebench", "ice"), {}}
	if diff := cmp.Diff([]string{"wind", "fog"}, file.Lacks(recorded)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzParse: a file has scenarios that can be asked, or an error with its place. What is asked is read by the API as what was meant.
func FuzzParse(f *testing.F) {
	f.Add([]byte(tideFile))
	f.Add([]byte("[[scenarios]]\nname='a'\ndescription=\"\"\"b\"\"\"\nexpect_tool_call=true\ntool_result={a=[{x=1},{y.z=2}]}\n"))
	f.Add([]byte("[tools.a.properties]\nx={a=1}\n[[scenarios]]\n"))
	f.Add([]byte("[tools.a]\nrequired=['x']\n[tools.a.properties]\nx={type='string'}\n[[scenarios]]\nname='a'\ndescription='b'\nexpect_tool_call=true\ntools=['a','a']\n" +
		"[[scenarios.messages]]\nrole='assistant'\ntool_calls=[{id='1',name='a',arguments={x=2026-01-02}}]\n[[scenarios.messages]]\nrole='tool'\ntool_call_id='1'\ncontent='c'\n"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		file, err := scenario.Parse("f.toml", doc)
		if err != nil {
			if e, ok := err.(*scenario.Error); !ok || e.Problem == "" || e.Line > 1+strings.Count(string(doc), "\n") {
				t.Fatalf("error %#v", err)
			}
			return
		}
		for _, s := range file.Scenarios {
			for _, api := range append([]tape.API{tape.Ollama}, scenario.AllAPIs...) {
				asked, err := scenario.NewRequest(api, "m", s, false)
				if err != nil {
					if !strings.Contains(err.Error(), "JSON compliant") {
						t.Fatal(err)
					}
					continue
				}
				q, err := wire.ParseRequest(api, asked.Body)
				if err != nil || q.Model != "m" || q.Stream {
					t.Fatalf("%s: %s is read as %+v, %v", api, asked.Body, q, err)
				}
				var want, got []string
				for _, tool := range s.Tools {
					want = append(want, tool.Name)
				}
				for _, tool := range q.Tools {
					got = append(got, tool.Name)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: tools of %s (-scenario +request):\n%s", api, asked.Body, diff)
				}
			}
		}
	})
}
