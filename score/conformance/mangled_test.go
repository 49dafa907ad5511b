package conformance_test

import (
	"strings"
	"testing"

	"github.com/exodeck/exodeck/score/conformance"
)

// TestMangled: a call with markup in its name or its arguments tells the call that was meant, where that can be known. A name with markup is
// never called well-formed.
func TestMangled(t *testing.T) {
	named := func(name, arguments string) sent { return chat(ask(withTools), calls(call("c1", name, arguments))) }
	const vigo = `{"port":"Vigo"}`
	for _, tt := range []struct {
		name string
		sent sent
		want string // the call that was meant
		// blame is the blame, and evidence a part of what tells it.
		blame, evidence string
	}{
		{"a token behind the name", named("get_tide<|channel|>commentary", vigo), `name harmony get_tide {"port":"Vigo"}`, "server", "without the markup the call is one of get_tide"},
		{"a namespace before it", named("functions.get_tide<|constrain|>json", vigo), `name harmony get_tide {"port":"Vigo"}`, "server", `unknown-tool: "get_tide" was offered, and what else is in "functions.get_tide<|constrain|>json" is a parser's to take off`},
		{"a namespace that nobody knows", named("tides.get_tide<|constrain|>json", vigo), "", "unknown", `nothing tells who put a namespace before it`},
		{"a tag before the name", named("<function=get_tide", vigo), `name qwen-coder get_tide {"port":"Vigo"}`, "server", "without the markup"},
		{"a tag before the name, and no arguments", named("<function=get_tide", "{}"), `name qwen-coder get_tide {}`, "server", "missing-required: the name holds markup, so that the arguments may be bent, too"},
		{"no arguments", named("get_tide<|channel|>", ""), `name harmony get_tide {}`, "server", "without the markup"},
		{"arguments that are none", named("get_tide<|channel|>", "Vigo"), "", "server", "without the markup"},
		{"a tool that was not offered", named("tides<|channel|>", vigo), "", "model", "unknown-tool: no tool of that name was offered, with the markup in it or without"},

		{"an argument that became a name", chat(ask(withTools), tide(`{"port</arg_key><arg_value>Vigo":""}`)), `arguments glm get_tide {"port":"Vigo"}`, "server", "the markup in the arguments is that of a well-formed call of get_tide (glm)"},
		{"arguments in the value of the first", chat(ask(withTools), tide(`{"port":"Vigo</arg_value><arg_key>level</arg_key><arg_value>7"}`)), `arguments glm get_tide {"level":7,"port":"Vigo"}`, "server", "well-formed call"},
		{"beside one that is right", chat(ask(withTools), tide(`{"level":7,"port</arg_key><arg_value>Vigo":""}`)), `arguments glm get_tide {"level":7,"port":"Vigo"}`, "server", "well-formed call"},
		{"all arguments in one name", chat(ask(withTools), tide(`{"port</arg_key><arg_value>Vigo</arg_value><arg_key>day</arg_key><arg_value>today":""}`)), `arguments glm get_tide {"day":"today","port":"Vigo"}`, "server", "well-formed call"},
		{"one of them twice", chat(ask(withTools), tide(`{"port":"Faro","port</arg_key><arg_value>Vigo":""}`)), "", "unknown", "what the model wrote is not in the answer"},
		{"a value whose name is not known", chat(ask(withTools), tide(`{"port<arg_key":"day</arg_key><arg_value>today"}`)), "", "unknown", "what the model wrote"},
		{"a value cut in two", chat(ask(withTools), tide(`{"port</arg_key><arg_value>Vi":"go"}`)), "", "unknown", "what the model wrote"},
		{"what the tool does not take", chat(ask(withTools), tide(`{"port</arg_key><arg_value>V":""}`)), "", "unknown", "what the model wrote"},
		{"other markup", chat(ask(withTools), tide(`{"port":"Vigo<|im_end|>"}`)), "", "unknown", "what the model wrote"},
	} {
		r := conformance.New(conformance.Rules{}).Exchange(tt.sent.Read(t))
		var meant []string
		for _, c := range r.Recovered {
			meant = append(meant, c.From+" "+c.Family+" "+c.Name+" "+string(c.Arguments))
		}
		if got := strings.Join(meant, ", "); got != tt.want || blameOf(r) != tt.blame {
			t.Errorf("%s: %q, want %q; blame %s, want %s", tt.name, got, tt.want, blameOf(r), tt.blame)
		}
		if evidence := strings.Join(r.Evidence, "\n"); !strings.Contains(evidence, tt.evidence) || strings.Contains(evidence, "call is well-formed") {
			t.Errorf("%s: evidence %q, want %q", tt.name, evidence, tt.evidence)
		}
	}
}

// TestDemandedMangled: the tool that was demanded is called, whatever a parser left in its name.
func TestDemandedMangled(t *testing.T) {
	s := chat(ask(withTools+`,"tool_choice":{"type":"function","function":{"name":"get_tide"}}`), calls(call("c1", "functions.get_tide<|constrain|>json", `{"port":"Vigo"}`)))
	if r := conformance.New(conformance.Rules{}).Exchange(s.Read(t)); r.Has("tool-choice-ignored") {
		t.Errorf("problems %q", codesOf(r))
	}
}

// TestBlameOfWarnings: of warnings, too, those that are about what an agent reads come first.
func TestBlameOfWarnings(t *testing.T) {
	chunks := strings.Replace(chunk(`{"content":""}`, `"length"`), "chat.completion.chunk", "chat.completion", 1) + done
	r := conformance.New(conformance.Rules{}).Exchange(chat(ask(`,"stream":true`), chunks).Read(t))
	if codesOf(r) != "wrong-object-type budget-exhausted" || blameOf(r) != "model" {
		t.Errorf("problems %q, blame %s", codesOf(r), blameOf(r))
	}
}
