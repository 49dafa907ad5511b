package scenario

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// File is a scenario file that was read.
type File struct {
	// Name is what the file is called in messages.
	Name string
	// Digest is the digest of its bytes, as run files write it.
	Digest string
	// Scenarios are in the order of the file.
	Scenarios []Scenario
}

// Load reads the scenario file at path.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading scenarios: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a scenario file in exo's format; name is used in messages. What is wrong with the file is an [*Error].
func Parse(name string, data []byte) (*File, error) {
	var l loader
	root, err := readDocument(string(data))
	if err == nil {
		var scenarios []Scenario
		if scenarios, err = l.document(root); err == nil {
			return &File{Name: name, Digest: score.DigestBytes(data), Scenarios: scenarios}, nil
		}
	}
	if e, ok := err.(*Error); ok {
		e.File = name
	}
	return nil, err
}

// Names lists the names of the scenarios.
func (f *File) Names() []string {
	names := make([]string, len(f.Scenarios))
	for i, s := range f.Scenarios {
		names[i] = s.Name
	}
	return names
}

// NoMatch says that a selection is empty, in the words of exo's evaluator.
func (f *File) NoMatch() string {
	return "No matching scenarios. Available: " + pyvalue.Repr(texts(f.Names()))
}

// Select returns the scenarios with the given names in the order of the file; all of them when no name is given. Names that
// are not in the file are returned as unknown.
func (f *File) Select(names []string) (selected []Scenario, unknown []string) {
	if len(names) == 0 {
		return f.Scenarios, nil
	}
	known := f.Names()
	for _, name := range names {
		if !slices.Contains(known, name) && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	for _, s := range f.Scenarios {
		if slices.Contains(names, s.Name) {
			selected = append(selected, s)
		}
	}
	return selected, unknown
}

// Lacks returns the names of scenarios that exchanges were recorded for, by their labels, and that are not in the file: each once, in the
// order of the exchanges.
func (f *File) Lacks(recorded []*tape.Exchange) []string {
	seen := map[string]bool{"": true}
	for _, s := range f.Scenarios {
		seen[labelValue(s.Name)] = true
	}
	var names []string
	for _, x := range recorded {
		if name := x.Labels["sample"]; x.Labels["suite"] == Name && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// loader turns a document into scenarios.
type loader struct {
	tools []Tool // in order of first appearance
}

// The keys that each table may have.
var (
	documentKeys = []string{"tools", "scenarios"}
	toolKeys     = []string{"description", "properties", "required"}
	scenarioKeys = []string{"name", "description", "expect_tool_call", "expected_function", "required_arg_keys", "tool_result",
		"nested_array_key", "required_item_keys", "tools", "messages"}
	messageKeys = []string{"role", "content", "tool_calls", "tool_call_id"}
	callKeys    = []string{"id", "name", "arguments"}
)

func (l *loader) document(root *table) ([]Scenario, error) {
	top, err := newFields("", &node{value: root}, documentKeys)
	if err != nil {
		return nil, err
	}
	if n := root.values["tools"]; n != nil {
		tools, err := newFields("tools", n, nil)
		if err != nil {
			return nil, err
		}
		for _, name := range tools.table.keys {
			tool, err := l.tool(name, tools.table.values[name])
			if err != nil {
				return nil, err
			}
			l.tools = append(l.tools, tool)
		}
	}
	items, err := top.items("scenarios")
	if err != nil {
		return nil, err
	}
	scenarios := make([]Scenario, 0, len(items))
	for i, item := range items {
		s, err := l.scenario(fmt.Sprintf("scenarios[%d]", i), item)
		if err != nil {
			return nil, err
		}
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}

func (l *loader) tool(name string, n *node) (Tool, error) {
	path := "tools." + name
	f, err := newFields(path, n, toolKeys)
	if err != nil {
		return Tool{}, err
	}
	tool := Tool{Name: name, Properties: pyvalue.NewDict()}
	if tool.Required, err = f.texts("required"); err != nil {
		return Tool{}, err
	}
	if tool.Description, err = f.textOf("description"); err != nil {
		return Tool{}, err
	}
	if f.table.values["properties"] != nil {
		if tool.Properties, err = f.object("properties"); err != nil {
			return Tool{}, err
		}
	}
	return tool, nil
}

func (l *loader) scenario(path string, n *node) (Scenario, error) {
	f, err := newFields(path, n, scenarioKeys)
	if err != nil {
		return Scenario{}, err
	}
	s := Scenario{}
	if s.Name, err = f.needText("name"); err != nil {
		return s, err
	}
	f.path = fmt.Sprintf("%s %q", path, s.Name)
	if s.Description, err = f.needText("description"); err != nil {
		return s, err
	}
	if s.ExpectToolCall, err = f.needBool("expect_tool_call"); err != nil {
		return s, err
	}
	if s.ExpectedFunction, err = f.textOf("expected_function"); err != nil {
		return s, err
	}
	if s.RequiredArgKeys, err = f.texts("required_arg_keys"); err != nil {
		return s, err
	}
	if s.NestedArrayKey, err = f.textOf("nested_array_key"); err != nil {
		return s, err
	}
	if s.RequiredItemKeys, err = f.texts("required_item_keys"); err != nil {
		return s, err
	}
	if f.table.values["tool_result"] != nil {
		text, err := f.json("tool_result")
		if err != nil {
			return s, err
		}
		s.ToolResult = &text
	}
	if s.Tools, err = l.offered(f); err != nil {
		return s, err
	}
	items, err := f.items("messages")
	if err != nil {
		return s, err
	}
	for i, item := range items {
		m, err := l.message(fmt.Sprintf("%s messages[%d]", f.path, i), item)
		if err != nil {
			return s, err
		}
		s.Messages = append(s.Messages, m)
	}
	return s, nil
}

// offered are the tools a scenario names, all tools when it names none.
func (l *loader) offered(f fields) ([]Tool, error) {
	n := f.table.values["tools"]
	if n == nil {
		return slices.Clone(l.tools), nil
	}
	names, err := f.texts("tools")
	if err != nil {
		return nil, err
	}
	tools := make([]Tool, 0, len(names))
	for _, name := range names {
		i := slices.IndexFunc(l.tools, func(t Tool) bool { return t.Name == name })
		if i < 0 {
			hint := "the file defines no tools"
			if len(l.tools) > 0 {
				known := make([]string, len(l.tools))
				for j, t := range l.tools {
					known[j] = t.Name
				}
				hint = "the file defines " + strings.Join(known, ", ")
			}
			return nil, &Error{Line: n.line, Key: f.path + " tools", Problem: fmt.Sprintf("there is no tool %q", name), Hint: hint}
		}
		tools = append(tools, l.tools[i])
	}
	return tools, nil
}

func (l *loader) message(path string, n *node) (Message, error) {
	m := Message{}
	f, err := newFields(path, n, messageKeys)
	if err != nil {
		return m, err
	}
	if m.Role, err = f.needText("role"); err != nil {
		return m, err
	}
	if m.Content, err = f.text("content"); err != nil {
		return m, err
	}
	if m.ToolCallID, err = f.text("tool_call_id"); err != nil {
		return m, err
	}
	if f.table.values["tool_calls"] == nil {
		return m, nil
	}
	items, err := f.items("tool_calls")
	if err != nil {
		return m, err
	}
	m.ToolCalls = make([]ToolCall, 0, len(items))
	for i, item := range items {
		f, err := newFields(fmt.Sprintf("%s tool_calls[%d]", path, i), item, callKeys)
		if err != nil {
			return m, err
		}
		var call ToolCall
		if call.ID, err = f.needText("id"); err != nil {
			return m, err
		}
		if call.Name, err = f.needText("name"); err != nil {
			return m, err
		}
		if f.table.values["arguments"] == nil {
			return m, f.missing("arguments")
		}
		if call.Arguments, err = f.json("arguments"); err != nil {
			return m, err
		}
		m.ToolCalls = append(m.ToolCalls, call)
	}
	return m, nil
}
