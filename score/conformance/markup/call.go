package markup

import (
	"cmp"
	"slices"
)

// Call is a well-formed call that a text holds.
type Call struct {
	// Family is the name of the family in whose markup it is written.
	Family string
	Name   string
	// Arguments is the text of a JSON object.
	Arguments string
	// Start and End are its place in the text, in bytes. Calls that are written as one list share it.
	Start, End int
}

// Types tells the JSON type that a tool's parameter is declared with; "" when nothing is known of it. Markup that writes values as plain
// text needs it to tell "7" from 7.
type Types func(tool, parameter string) string

// Family is a way in which models write calls.
type Family struct {
	Name string
	// Example is a call in it.
	Example string
	parse   func(text string, types Types) []Call
}

// Families lists all families there are.
var Families = []Family{
	{"hermes", `<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`, hermes.calls},
	{"qwen-coder", "<tool_call>\n<function=get_tide>\n<parameter=port>\nVigo\n</parameter>\n</function>\n</tool_call>", qwenCoder.calls},
	{"glm", "<tool_call>get_tide\n<arg_key>port</arg_key>\n<arg_value>Vigo</arg_value>\n</tool_call>", glm.calls},
	{"llama", `<|python_tag|>{"name":"get_tide","parameters":{"port":"Vigo"}}<|eom_id|>`, llama},
	{"mistral", `[TOOL_CALLS][{"name":"get_tide","arguments":{"port":"Vigo"}}]`, mistral},
	{"deepseek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_tide<｜tool▁sep｜>{\"port\":\"Vigo\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", deepseek},
	{"dsml", "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_tide\">\n<｜DSML｜parameter name=\"port\" string=\"true\">Vigo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>", dsml.calls},
	{"kimi", `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_tide:0<|tool_call_argument_begin|>{"port":"Vigo"}<|tool_call_end|><|tool_calls_section_end|>`, kimi},
	{"minimax", "<minimax:tool_call>\n<invoke name=\"get_tide\">\n<parameter name=\"port\">Vigo</parameter>\n</invoke>\n</minimax:tool_call>", minimax},
	{"harmony", `<|start|>assistant<|channel|>commentary to=functions.get_tide <|constrain|>json<|message|>{"port":"Vigo"}<|call|>`, harmony},
	{"gemma", `<|tool_call>call:get_tide{port:<|"|>Vigo<|"|>}<tool_call|>`, gemma},
	{"longcat", "<longcat_tool_call>get_tide\n<longcat_arg_key>port</longcat_arg_key>\n<longcat_arg_value>Vigo</longcat_arg_value>\n</longcat_tool_call>", longcat},
	{"lfm", `<|tool_call_start|>[get_tide(port="Vigo")]<|tool_call_end|>`, lfm},
	{"granite", `<|tool_call|>[{"name":"get_tide","arguments":{"port":"Vigo"}}]`, granite.calls},
	{"nemotron", `<TOOLCALL>[{"name":"get_tide","arguments":{"port":"Vigo"}}]</TOOLCALL>`, nemotron.calls},
	{"internlm", `<|action_start|><|plugin|>{"name":"get_tide","parameters":{"port":"Vigo"}}<|action_end|>`, internlm.calls},
	{"command", `<|START_ACTION|>[{"tool_name":"get_tide","parameters":{"port":"Vigo"}}]<|END_ACTION|>`, command.calls},
	{"json", `{"name":"get_tide","arguments":{"port":"Vigo"}}`, bareJSON},
	{"python", `[get_tide(port="Vigo")]`, barePython},
}

// Calls returns the calls a text holds, in any family's markup, in the order in which they stand. types may be nil.
func Calls(text string, types Types) []Call {
	if types == nil {
		types = func(string, string) string { return "" }
	}
	var all []Call
	for _, f := range Families {
		for _, c := range f.parse(text, types) {
			c.Family = f.Name
			all = append(all, c)
		}
	}
	// Of calls that overlap, such as one in plain JSON inside of one in markers, the outer one counts.
	slices.SortStableFunc(all, func(a, b Call) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	var last Call
	return slices.DeleteFunc(all, func(c Call) bool {
		if c.Start < last.End && (c.Family != last.Family || c.Start != last.Start || c.End != last.End) {
			return true
		}
		last = c
		return false
	})
}

// attempts bounds how often a parser goes on after something that only looked like a call, so that its time stays in proportion to
// the text.
const attempts = 64
