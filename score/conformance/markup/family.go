package markup

// Types tells the JSON type that a tool's parameter is declared with; "" when nothing is known of it. Markup that writes values as plain
// text needs it to tell "7" from 7.
type Types func(tool, parameter string) string

// Family is a way in which models write calls.
type Family struct {
	Name string
	// Examples has a call in each form that models of the family write.
	Examples []string
	parse    func(text string, types Types) []Call
}

// Families lists all families there are. Their forms are those of the chat templates that are published with the models, and of the tool
// parsers of vLLM and SGLang.
var Families = []Family{
	{"hermes", []string{`<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`}, hermes.calls},
	{"qwen-coder", []string{"<tool_call>\n<function=get_tide>\n<parameter=port>\nVigo\n</parameter>\n</function>\n</tool_call>"}, qwenCoder.calls},
	{"glm", []string{
		"<tool_call>get_tide\n<arg_key>port</arg_key>\n<arg_value>Vigo</arg_value>\n</tool_call>",
		"get_tide\n{\"port\":\"Vigo\"}",
	}, glm},
	{"llama", []string{
		`<|python_tag|>{"name":"get_tide","parameters":{"port":"Vigo"}}<|eom_id|>`,
		`<|python_start|>[get_tide(port="Vigo")]<|python_end|>`,
	}, llama},
	{"mistral", []string{`[TOOL_CALLS][{"name":"get_tide","arguments":{"port":"Vigo"}}]`, `[TOOL_CALLS]get_tide[ARGS]{"port":"Vigo"}`}, mistral},
	{"deepseek", []string{
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_tide<｜tool▁sep｜>{\"port\":\"Vigo\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_tide\n```json\n{\"port\":\"Vigo\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
	}, deepseek},
	{"dsml", []string{
		"<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_tide\">\n<｜DSML｜parameter name=\"port\" string=\"true\">Vigo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
		"<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"get_tide\">\n<｜DSML｜ parameter name=\"port\" string=\"true\">Vigo</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>",
	}, dsml},
	{"kimi", []string{
		`<|tool_calls_section_begin|><|tool_call_begin|>functions.get_tide:0<|tool_call_argument_begin|>{"port":"Vigo"}<|tool_call_end|><|tool_calls_section_end|>`,
		`<|open|>tools<|sep|><|open|>call tool="get_tide" index="1"<|sep|><|open|>argument key="port" type="string"<|sep|>Vigo<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`,
	}, kimi},
	{"minimax", []string{
		"<minimax:tool_call>\n<invoke name=\"get_tide\">\n<parameter name=\"port\">Vigo</parameter>\n</invoke>\n</minimax:tool_call>",
		"<tool_calls>\n{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}\n</tool_calls>",
		"]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"get_tide\">]<]minimax[>[<port>Vigo]<]minimax[>[</port>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
	}, minimax},
	{"harmony", []string{
		`<|start|>assistant<|channel|>commentary to=functions.get_tide <|constrain|>json<|message|>{"port":"Vigo"}<|call|>`,
		`assistantcommentary to=functions.get_tide json{"port":"Vigo"}`,
	}, harmony},
	{"gemma", []string{
		`<|tool_call>call:get_tide{port:<|"|>Vigo<|"|>}<tool_call|>`,
		`<start_function_call>call:get_tide{port:<escape>Vigo<escape>}<end_function_call>`,
		"```tool_code\nprint(default_api.get_tide(port=\"Vigo\"))\n```",
		"<tool_code>\nprint(default_api.get_tide(port=\"Vigo\"))\n</tool_code>",
	}, gemma},
	{"longcat", []string{
		"<longcat_tool_call>get_tide\n<longcat_arg_key>port</longcat_arg_key>\n<longcat_arg_value>Vigo</longcat_arg_value>\n</longcat_tool_call>",
		`<longcat_tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</longcat_tool_call>`,
	}, longcat},
	{"lfm", []string{`<|tool_call_start|>[get_tide(port="Vigo")]<|tool_call_end|>`}, lfm},
	{"granite", []string{
		`<|tool_call|>[{"name":"get_tide","arguments":{"port":"Vigo"}}]`,
		`<function_call> {"name":"get_tide","arguments":{"port":"Vigo"}}`,
	}, granite.calls},
	{"nemotron", []string{`<TOOLCALL>[{"name":"get_tide","arguments":{"port":"Vigo"}}]</TOOLCALL>`}, nemotron.calls},
	{"internlm", []string{`<|action_start|><|plugin|>{"name":"get_tide","parameters":{"port":"Vigo"}}<|action_end|>`}, internlm.calls},
	{"command", []string{`<|START_ACTION|>[{"tool_name":"get_tide","parameters":{"port":"Vigo"}}]<|END_ACTION|>`}, command.calls},
	{"step", []string{
		"<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"get_tide\">\n<steptml:parameter name=\"port\">Vigo</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>",
		"<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>get_tide\n```json\n{\"port\":\"Vigo\"}\n```<｜tool_call_end｜><｜tool_calls_end｜>",
	}, step},
	{"olmo", []string{"<function_calls>\nget_tide(port=\"Vigo\")\n</function_calls>"}, olmo},
	{"minicpm", []string{
		"<|tool_call_start|>\n```python\nget_tide(port=\"Vigo\")\n```\n<|tool_call_end|>",
		`<function name="get_tide"><param name="port">Vigo</param></function>`,
	}, minicpm},
	{"solar", []string{
		`<|tool_calls|><|tool_call:begin|>k3x9<|tool_call:name|>get_tide<|tool_call:args|>{"port":"Vigo"}<|tool_call:end|><|calls|>`,
		"<|tool_call:start|>get_tide\n<|tool_arg:start|>port<|tool_arg:value|>Vigo<|tool_arg:end|>\n<|tool_call:end|>",
	}, solar},
	{"hunyuan", []string{
		"<tool_calls>\n<tool_call>get_tide<tool_sep>\n<arg_key>port</arg_key>\n<arg_value>Vigo</arg_value>\n</tool_call>\n</tool_calls>",
		"<tool_calls:opensource>\n<tool_call:opensource>get_tide<tool_sep:opensource>\n<arg_key:opensource>port</arg_key:opensource>\n<arg_value:opensource>Vigo</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>",
	}, hunyuan},
	{"apertus", []string{`<|tools_prefix|>[{"get_tide":{"port":"Vigo"}}]<|tools_suffix|>`}, apertus},
	{"phi", []string{`functools[{"name":"get_tide","arguments":{"port":"Vigo"}}]`}, phi.calls},
	{"gigachat", []string{
		`<|message_sep|><|function_call|>{"name":"get_tide","arguments":{"port":"Vigo"}}`,
		"<|message_sep|>function call<|role_sep|>\n{\"name\":\"get_tide\",\"arguments\":{\"port\":\"Vigo\"}}",
		"<｜GCML｜tool_calls>\n<｜GCML｜invoke name=\"get_tide\">\n<｜GCML｜parameter name=\"port\" string=\"true\">Vigo</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>",
	}, gigachat},
	{"pangu", []string{`[unused11][{"name":"get_tide","arguments":{"port":"Vigo"}}][unused12]`}, pangu.calls},
	{"inkling", []string{`<|message_model|>get_tide<|content_invoke_tool_json|>{"name":"get_tide","args":{"port":"Vigo"}}<|end_message|>`}, inkling.calls},
	{"muse", []string{
		"<atem:function_calls>\n<atem:invoke name=\"get_tide\">\n<atem:parameter name=\"port\">Vigo</atem:parameter>\n</atem:invoke>\n</atem:function_calls>",
	}, muse.calls},
	{"json", []string{`{"name":"get_tide","arguments":{"port":"Vigo"}}`}, bareJSON},
	{"python", []string{`[get_tide(port="Vigo")]`, `[get_tide(port="Vigo")]<|eot|>`}, barePython},
}
