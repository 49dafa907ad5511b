package bugreport_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/golden"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/bugreport"
	"github.com/exodeck/exodeck/score/conformance"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// key has the form of a credential.
const key = "sk-proj-Zk3vT9qLw2Xb7Rn5Yc8Md4Hf6Jg1Ps0A"

const tideTool = `{"type":"function","function":{"name":"get_tide","parameters":{"type":"object","properties":{"port":{"type":"string"}},"required":["port"]}}}`

// line writes a line of a cassette.
func line(seq int, url, request, contentType, response string) string {
	text, err := json.Marshal(response)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"seq":%d,"session":"s1","started":"2026-03-04T05:06:07Z","request":{"method":"POST","url":%q,"headers":{"Authorization":["Bearer %s"],"Content-Type":["application/json"]},"body":%s},`+
		`"response":{"status":200,"headers":{"Content-Type":[%q]},"text":%s},"ended":"complete"}`+"\n", seq, url, key, request, contentType, text)
}

// chat is a request with tools and messages.
func chat(options, tools, messages string) string {
	return fmt.Sprintf(`{"model":"m",%s"messages":[%s],"tools":[%s]}`, options, messages, tools)
}

// said is a whole answer with a text.
func said(text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`, quoted)
}

// called is a whole answer with a call.
func called(name, arguments string) string {
	quoted, _ := json.Marshal(arguments)
	return fmt.Sprintf(`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c9","type":"function","function":{"name":%q,"arguments":%s}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`, name, quoted)
}

// streamed is the stream of a text.
func streamed(text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf("data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s}}]}\n\n"+
		"data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9,\"total_tokens\":18}}\n\ndata: [DONE]\n\n", quoted)
}

func user(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }

func tool(name string) string {
	return fmt.Sprintf(`{"type":"function","function":{"name":%q,"parameters":{"type":"object"}}}`, name)
}

const (
	windCall   = `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_wind","arguments":"{}"}}]}`
	windResult = `{"role":"tool","tool_call_id":"c1","content":"calm"}`
	strayCall  = `{"role":"assistant","tool_calls":[{"id":"c2","type":"function","function":{"name":"get_wind","arguments":"{}"}}]}`
	leakedCall = `<tool_call>{"name":"get_tide","arguments":{"port":"Vigo"}}</tool_call>`
)

func open(t *testing.T, lines string) *cassette.Cassette {
	t.Helper()
	c, err := cassette.Read(strings.NewReader(lines), "test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func report(t *testing.T, lines string, seq int64) *bugreport.Report {
	t.Helper()
	r, err := bugreport.Of(t.Context(), open(t, lines), tape.Ref{Session: "s1", Seq: seq}, bugreport.Options{Generator: "exodeck v0.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReduce(t *testing.T) {
	join := func(parts ...string) string { return strings.Join(parts, ",") }
	for _, test := range []struct {
		name              string
		request, response string
		want              string
	}{
		{
			"a call in the text needs its tool and the last message",
			chat(`"temperature":0,`, join(tool("get_wind"), tideTool, tool("get_sun")), join(`{"role":"system","content":"Be brief."}`, user("Hi"), windCall, windResult, user("Tide?"))),
			said(leakedCall),
			chat(`"temperature":0,`, tideTool, user("Tide?")),
		},
		{
			"tools that are not needed go with their array",
			chat("", join(tool("get_wind"), tool("get_sun")), join(user("Hi"), user("Tide?"))),
			`{"object":"chat.completion","choices":[]}`,
			`{"model":"m","messages":[{"role":"user","content":"Tide?"}]}`,
		},
		{
			"a call without a result needs the turn behind it",
			chat("", tool("get_wind"), join(user("Hi"), windCall, windResult, strayCall, user("Go on."), user("Tide?"))),
			said("High."),
			`{"model":"m","messages":[` + join(windCall, user("Tide?")) + `]}`,
		},
		{
			"a tool that was not offered stays so; one of the offered ones is needed",
			chat("", join(tool("get_wind"), tool("get_sun")), user("Tide?")),
			called("get_tide", `{}`),
			chat("", tool("get_wind"), user("Tide?")),
		},
		{
			"the tool that tells whose fault it is stays",
			chat("", join(tool("get_wind"), tideTool), user("Tide?")),
			called("get_tideget_tide", `{}`),
			chat("", tideTool, user("Tide?")),
		},
		{
			"markup of a call needs the tool that it names",
			chat("", join(tool("get_wind"), tideTool, tool("get_sun")), join(user("Hi"), user("Tide?"))),
			said(`<tool_call>{'name': 'get_tide'`),
			chat("", tideTool, user("Tide?")),
		},
		{
			"markup of a call that names none needs all tools",
			chat("", join(tool("get_wind"), tideTool), join(user("Hi"), user("Tide?"))),
			said("I will look. <tool_call>"),
			chat("", join(tool("get_wind"), tideTool), user("Tide?")),
		},
		{
			"other markup needs none",
			chat("", join(tool("get_wind"), tideTool), join(user("Hi"), user("Tide?"))),
			said("<think>A tide?</think>High."),
			`{"model":"m","messages":[{"role":"user","content":"Tide?"}]}`,
		},
		{
			"what is odd is kept as it is",
			`{"model":"m", "seed" : 1e0,"seed":2, "messages":[` + user("Hi") + `, {"role":"user", "content":"\u0054ide?"} ]}`,
			said(""),
			`{"model":"m","seed":1e0,"seed":2,"messages":[{"role":"user", "content":"\u0054ide?"}]}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := reading.New(exchange(t), []byte(test.request), []byte(test.response))
			judge := conformance.New(conformance.Rules{})
			if len(judge.Exchange(x).Problems) == 0 {
				t.Fatal("nothing is wrong with the exchange, so the test tests nothing")
			}
			got, err := bugreport.Reduce(t.Context(), x, judge)
			if err != nil || got == nil || got.Unfinished {
				t.Fatalf("reduced to %+v, %v", got, err)
			}
			if diff := cmp.Diff(test.want, string(got.Body)); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			smaller := reading.New(exchange(t), got.Body, []byte(test.response))
			if diff := cmp.Diff(codes(judge.Exchange(x)), codes(judge.Exchange(smaller))); diff != "" {
				t.Errorf("problems of the whole request and the smallest (-whole +smallest):\n%s", diff)
			}
		})
	}
}

// The smallest request has the headers that an API needs. One that is kept whole keeps all: any may have been what made it fail.
func TestReduceHeaders(t *testing.T) {
	const headers = `"X-Stainless-Lang":["python"],"X-Stainless-Retry-Count":["0"],"Accept":["application/json"],"Cookie":["a=b"],"Anthropic-Version":["2023-06-01"],"Anthropic-Beta":["tides"],"Openai-Organization":["o"],"X-Api-Key":["` + key + `"],`
	lines := func(response string) string {
		recording := line(1, "/v1/chat/completions", chat("", tideTool, user("Hi")+","+user("Tide?")), "application/json", response)
		return strings.Replace(recording, `"headers":{"Authorization"`, `"headers":{`+headers+`"Authorization"`, 1)
	}
	names := func(command string) []string {
		var all []string
		for _, m := range regexp.MustCompile(`(?m)^  -H '([^:']*):`).FindAllStringSubmatch(command, -1) {
			all = append(all, m[1])
		}
		return all
	}
	needed := []string{"Anthropic-Beta", "Anthropic-Version", "Authorization", "Content-Type", "Openai-Organization", "X-Api-Key"}
	if diff := cmp.Diff(needed, names(report(t, lines(said(leakedCall)), 1).Command)); diff != "" {
		t.Errorf("headers of the smallest request (-want +got):\n%s", diff)
	}
	whole := names(report(t, lines(""), 1).Command)
	for _, name := range []string{"Accept", "X-Stainless-Lang", "X-Stainless-Retry-Count"} {
		if !slices.Contains(whole, name) {
			t.Errorf("the request that is whole lacks the header %s; it has %v", name, whole)
		}
	}
}

// A request that failed as a whole is kept as a whole: what of it mattered cannot be told from the recording.
func TestReduceWhatFailed(t *testing.T) {
	request := chat("", tideTool, user("Hi")+","+user("Tide?"))
	streaming := chat(`"stream":true,`, tideTool, user("Hi")+","+user("Tide?"))
	chunk := "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\"}}]}\n\n"
	for _, test := range []struct{ status, request, contentType, response, code string }{
		{"500", request, "text/plain", "Internal Server Error", "http-error"},
		{"200", request, "application/json", "", "body-not-json"},
		{"200", streaming, "text/event-stream", chunk, "truncated-stream"},
		{"200", streaming, "text/event-stream", "data: {\"ch\n\n" + streamed("High."), "malformed-event"},
		{"200", streaming, "text/event-stream", chunk + "data: {\"error\":{\"message\":\"runner died\",\"code\":500}}\n\ndata: [DONE]\n\n", "stream-error-event"},
	} {
		t.Run(test.code, func(t *testing.T) {
			recording := line(1, "/v1/chat/completions", test.request, test.contentType, test.response)
			r := report(t, strings.Replace(recording, `"status":200`, `"status":`+test.status, 1), 1)
			if !r.Verdict.Has(test.code) {
				t.Fatalf("problems are %v, want %s: the test tests nothing", codes(r.Verdict), test.code)
			}
			if r.Smallest != nil {
				t.Errorf("with %v the request was made smaller: %s", codes(r.Verdict), r.Smallest.Body)
			}
			if !strings.Contains(r.Command, "get_tide") || !strings.Contains(r.Command, `"Hi"`) {
				t.Errorf("the command does not ask all of the request:\n%s", r.Command)
			}
			var b strings.Builder
			if err := r.WriteMarkdown(&b, ""); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), "## The request\n") {
				t.Errorf("the report does not say that the request is whole:\n%s", b.String())
			}
		})
	}
}

func TestReduceWhatIsNoRequest(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	for _, request := range []string{"", "[]", "{", `{"model":"m","messages":[`} {
		got, err := bugreport.Reduce(t.Context(), reading.New(exchange(t), []byte(request), []byte(said(""))), judge)
		if err != nil || got != nil {
			t.Errorf("Reduce(%q) = %+v, %v, want nil", request, got, err)
		}
	}
}

func exchange(t *testing.T) *tape.Exchange {
	t.Helper()
	c := open(t, line(1, "/v1/chat/completions", `{"model":"m"}`, "application/json", "{}"))
	x, err := c.Exchange(t.Context(), tape.Ref{Session: "s1", Seq: 1})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func codes(r *conformance.Report) []string {
	var all []string
	for _, p := range r.Problems {
		all = append(all, p.Code)
	}
	return all
}

// The server bends a call; texts try to be more than text, and a key stands in a header, a message and the answer.
func TestMarkdown(t *testing.T) {
	hostile := "``` @someone #1 <script>alert(1)</script>\n# Heading\n[link](http://example.com) \x1b[2J" + key
	recording := line(1, "/v1/chat/completions?x=`y`", chat(`"stream":true,`, tool("get_wind")+","+tideTool, `{"role":"system","content":"The key is `+key+`."},`+user("Hi")+","+user("Tide?")), "text/event-stream", streamed(leakedCall+hostile))
	r := report(t, recording, 1)
	var b bytes.Buffer
	if err := r.WriteMarkdown(&b, "exchange.cassette.jsonl"); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, *update, "testdata/hostile.md", b.Bytes())
	outside := outsideCode(b.String())
	for _, text := range []string{"@someone", "#1", "<script>", "# Heading", "[link]"} {
		if !strings.Contains(b.String(), text) || strings.Contains(outside, text) {
			t.Errorf("%q must be in the report, as code only; outside of code is:\n%s", text, outside)
		}
	}
	for name, text := range map[string][]byte{"report": b.Bytes(), "cassette": r.Cassette} {
		if bytes.Contains(text, []byte(key)) {
			t.Errorf("the %s holds the key", name)
		}
		if bytes.ContainsRune(text, '\x1b') {
			t.Errorf("the %s holds an escape character", name)
		}
	}
	problems, err := cassette.Verify(t.Context(), bytes.NewReader(r.Cassette), redact.Rules{})
	if err != nil || len(problems) > 0 {
		t.Errorf("verifying the cassette: %v, %v", problems, err)
	}
	again := report(t, recording, 1)
	var b2 bytes.Buffer
	if err := again.WriteMarkdown(&b2, "exchange.cassette.jsonl"); err != nil || !bytes.Equal(b.Bytes(), b2.Bytes()) {
		t.Errorf("a second report differs (%v):\n%s", err, cmp.Diff(b.String(), b2.String()))
	}
}

// outsideCode is what of markdown is neither in a block of code nor in a span of it.
func outsideCode(markdown string) string {
	var b strings.Builder
	fence := ""
	for l := range strings.SplitSeq(markdown, "\n") {
		trimmed := strings.TrimSpace(l)
		ticks := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3 && strings.Count(trimmed, "`") == len(ticks):
			fence = ticks
		case fence != "" && trimmed == fence:
			fence = ""
		case fence == "":
			for {
				open := regexp.MustCompile("`+").FindString(l)
				before, rest, found := strings.Cut(l, open)
				if open == "" || !found {
					b.WriteString(l + "\n")
					break
				}
				b.WriteString(before)
				_, l, _ = strings.Cut(rest, open)
			}
		}
	}
	return b.String()
}

// The whole answer has the call that the stream leaves in its text: the adapter's fault, which one exchange alone does not tell.
func TestComparison(t *testing.T) {
	ask := func(options string) string {
		return chat(options+`"temperature":0,`, tideTool, user("Tide with "+key+"?"))
	}
	recording := line(1, "/v1/chat/completions", ask(""), "application/json", called("get_tide", `{"port":"Vigo `+key+`"}`)) +
		line(2, "/v1/chat/completions", chat("", "", user("Hi")), "application/json", said("Hello.")) +
		line(3, "/v1/chat/completions", ask(`"stream":true,`), "text/event-stream", streamed(leakedCall))
	r := report(t, recording, 3)
	if r.Verdict.Blame == nil || *r.Verdict.Blame != conformance.Adapter {
		t.Errorf("blame is %v, want the adapter", r.Verdict.Blame)
	}
	if !r.Verdict.Has("stream-mismatch") || len(r.Hidden) > 0 {
		t.Errorf("problems are %v, hidden %v; want stream-mismatch, and none hidden", codes(r.Verdict), r.Hidden)
	}
	if r.Smallest != nil {
		t.Errorf("a request whose answers are compared was made smaller: %s", r.Smallest.Body)
	}
	var b strings.Builder
	if err := r.WriteMarkdown(&b, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the whole answer s1/1 differs in", "the whole answer (s1/1) got it right", "another API or the other mode got it right.\n", "## The requests\n", "## What it was compared with\n", `Vigo [redacted:`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), key) {
		t.Errorf("the report holds the key:\n%s", b.String())
	}
	// The cassette has what it takes to see the difference, and nothing else: a report made of it is the same.
	if n := bytes.Count(r.Cassette, []byte(`{"seq":`)); n != 2 {
		t.Errorf("the cassette has %d exchanges, want 2", n)
	}
	var b2 strings.Builder
	if err := report(t, string(r.Cassette), 2).WriteMarkdown(&b2, ""); err != nil {
		t.Fatal(err)
	}
	asRecorded := strings.NewReplacer("No secrets were found.", "Secrets were taken out, 1 in all.", "- exchange: `s1/2`", "- exchange: `s1/3` of the recording, called `s1/2` here")
	if diff := cmp.Diff(b.String(), asRecorded.Replace(b2.String())); diff != "" {
		t.Errorf("the report of the cassette differs (-tape +cassette):\n%s", diff)
	}
}

// A limit that no answer came to changes nothing: Claude's requests must have one. The answer is compared as judging the recording compares it.
func TestComparisonWithoutLimit(t *testing.T) {
	recording := line(1, "/v1/chat/completions", chat(`"temperature":0,`, "", user("Tide?")), "application/json", said("High.")) +
		line(2, "/v1/messages", `{"model":"m","temperature":0,"max_tokens":64,"messages":[`+user("Tide?")+`]}`, "application/json",
			`{"type":"message","role":"assistant","content":[{"type":"text","text":"Low."}],"stop_reason":"end_turn","usage":{"input_tokens":4,"output_tokens":2}}`)
	if r := report(t, recording, 2); !r.Verdict.Has("api-mismatch") || len(r.Others) != 1 {
		t.Errorf("problems are %v, compared with %d others; want api-mismatch, and one", codes(r.Verdict), len(r.Others))
	}
}

// Where no answer is known to be wrong, the report says no more than that they differ.
func TestComparisonOfSound(t *testing.T) {
	ask := func(options string) string { return chat(options+`"temperature":0,`, "", user("Tide?")) }
	recording := line(1, "/v1/chat/completions", ask(""), "application/json", said("High.")) +
		line(2, "/v1/chat/completions", ask(`"stream":true,`), "text/event-stream", streamed("Low."))
	var b strings.Builder
	if err := report(t, recording, 2).WriteMarkdown(&b, ""); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Contains(got, "got it right") || !strings.Contains(got, "Which of them is right is not known.") {
		t.Errorf("the report claims to know which answer is right:\n%s", got)
	}
}

// A packed file with a secret is replaced whole, and the report says so.
func TestPackedFile(t *testing.T) {
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	if _, err := w.Write([]byte("the key is " + key)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	recording := line(1, "/v1/chat/completions", chat("", tideTool, user("Read "+base64.StdEncoding.EncodeToString(file.Bytes()))), "application/json", said(leakedCall))
	var b strings.Builder
	if err := report(t, recording, 1).WriteMarkdown(&b, ""); err != nil {
		t.Fatal(err)
	}
	if want := "; 1 packed file replaced, for what is in it or because it cannot be searched."; !strings.Contains(b.String(), want) {
		t.Errorf("the report lacks %q:\n%s", want, b.String())
	}
}

func TestNothingToReport(t *testing.T) {
	src := open(t, line(1, "/v1/chat/completions", chat("", "", user("Hi")), "application/json", said("Hello."))+line(2, "/models", "{}", "application/json", "{}"))
	for seq, want := range map[int64]error{1: bugreport.ErrNoProblem, 2: bugreport.ErrNoCall, 3: tape.ErrNoExchange} {
		_, err := bugreport.Of(t.Context(), src, tape.Ref{Session: "s1", Seq: seq}, bugreport.Options{})
		if !errors.Is(err, want) {
			t.Errorf("exchange %d: got %v, want %v", seq, err, want)
		}
	}
}

// What is wrong in a whole answer is shown as it stands there, and errors come before warnings.
func TestEvidenceOfWholeAnswers(t *testing.T) {
	r := report(t, line(1, "/v1/chat/completions", chat("", tideTool, user("Tide?")), "application/json",
		strings.Replace(called("get_tide", `{"prt":"Vigo"}`), `"chat.completion"`, `"text_completion"`, 1)), 1)
	var b strings.Builder
	if err := r.WriteMarkdown(&b, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# missing-required, wrong-object-type (",
		"\n  ```\n  {\"id\":\"c9\",\"type\":\"function\",\"function\":{\"name\":\"get_tide\",\"arguments\":\"{\\\"prt\\\":\\\"Vigo\\\"}\"}}\n  ```\n- warning `wrong-object-type`",
		"## The request\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
}
