package bugreport_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			got := bugreport.Reduce(x, judge)
			if got == nil {
				t.Fatal("got no reduction")
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

func TestReduceWhatIsNoRequest(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	for _, request := range []string{"", "[]", "{", `{"model":"m","messages":[`} {
		if got := bugreport.Reduce(reading.New(exchange(t), []byte(request), []byte(said(""))), judge); got != nil {
			t.Errorf("Reduce(%q) = %s, want nil", request, got.Body)
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
	golden(t, "hostile.md", b.Bytes())
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
	for _, want := range []string{"the whole answer s1/1 differs in", "the whole answer (s1/1) got it right", "## The request\n", `Vigo [redacted:`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), key) {
		t.Errorf("the report holds the key:\n%s", b.String())
	}
	if n := bytes.Count(r.Cassette, []byte(`{"seq":`)); n != 1 {
		t.Errorf("the cassette has %d exchanges, want 1", n)
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

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run with -update to write it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
