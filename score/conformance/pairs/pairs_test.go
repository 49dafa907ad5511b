package pairs_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
	"github.com/exodeck/exodeck/score/conformance/pairs"
)

func TestPairs(t *testing.T) {
	streamAsk := ask(zero + `,"stream":true,"stream_options":{"include_usage":false}`)
	streamedTide := chunk(`{"tool_calls":[`+at(0, call("x9", "get_tide", `{ "port": "Vigo" }`))+`]}`, `"tool_calls"`) + done
	for _, tt := range []struct {
		name  string
		sent  []sent
		codes []string // of each
		blame []string
	}{
		{"alike but for ids and blanks", []sent{chat(ask(zero), tide(`{"port":"Vigo"}`)), chat(streamAsk, streamedTide)}, []string{"", ""}, []string{"", ""}},
		{"other text", []sent{chat(streamAsk, streamed("At noon")), chat(ask(zero), says("At noon."))}, []string{"stream-mismatch", ""}, []string{"adapter", ""}},
		{"the other way round", []sent{chat(ask(zero), says("At noon.")), chat(streamAsk, streamed("At noon"))}, []string{"", "stream-mismatch"}, []string{"", "adapter"}},
		{"not deterministic", []sent{chat(ask(withTools), says("At noon.")), chat(ask(withTools+`,"stream":true`), streamed("At noon"))}, []string{"", ""}, []string{"", ""}},
		{"a seed", []sent{chat(ask(`,"seed":1`), says("At noon.")), chat(ask(`,"seed":1,"stream":true`), streamed("At noon"))}, []string{"", "stream-mismatch"}, []string{"", "adapter"}},
		{"another question", []sent{chat(ask(zero), says("At noon.")), chat(strings.Replace(streamAsk, "Vigo", "Faro", 1), streamed("At noon"))}, []string{"", ""}, []string{"", ""}},
		{"other options", []sent{chat(ask(zero+`,"top_p":1`), says("At noon.")), chat(streamAsk, streamed("At noon"))}, []string{"", ""}, []string{"", ""}},
		{"one of two whole answers", []sent{chat(ask(zero), says("At one.")), chat(ask(zero), says("At noon.")), chat(streamAsk, streamed("At noon."))}, []string{"", "", ""}, []string{"", "", ""}},
		{"after an error there is nothing to compare", []sent{chat(ask(zero), says("At noon.")), chat(streamAsk, event(`{"error":{"message":"died"}}`)+done)}, []string{"", "stream-error-event"}, []string{"", "server"}},
		{"the stream lost a call", []sent{chat(ask(zero), tide(`{"port":"Vigo"}`)), chat(streamAsk, streamed(tideText))}, []string{"", "stream-mismatch leaked-markup-in-content call-in-content"}, []string{"", "adapter"}},
		{"the whole answer lost a call", []sent{chat(ask(zero), says(tideText)), chat(streamAsk, streamedTide)}, []string{"leaked-markup-in-content call-in-content", "stream-mismatch"}, []string{"adapter", "adapter"}},
		{"other counts", []sent{chat(ask(zero), says("At noon.")), chat(streamAsk, chunk(`{"content":"At noon."}`, `"stop"`)+event(`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":6,"total_tokens":15}}`)+done)}, []string{"", "usage-mismatch"}, []string{"", "server"}},
		{"counts of a cache of prompts", []sent{{API: tape.Claude, Request: claudeAsk(), Response: cachedCounts(claudeSays("At noon."), `"input_tokens":270`)}, {API: tape.Claude, Request: claudeAsk(), Response: cachedCounts(claude(`"end_turn"`, start(0, emptyText), text(0, "At noon."), stop(0)), `"input_tokens":1,"cache_read_input_tokens":60,"cache_creation_input_tokens":209`)}}, []string{"", ""}, []string{"", ""}},
		{"counts of a cache of prompts, whole", []sent{{API: tape.Claude, Request: claudeAsk(), Response: cachedCounts(claudeSays("At noon."), `"input_tokens":1,"cache_read_input_tokens":0,"cache_creation_input_tokens":269`)}, {API: tape.Claude, Request: claudeAsk(), Response: cachedCounts(claude(`"end_turn"`, start(0, emptyText), text(0, "At noon."), stop(0)), `"input_tokens":1,"cache_read_input_tokens":269`)}}, []string{"", ""}, []string{"", ""}},
		{"other counts of a cache of prompts", []sent{{API: tape.Claude, Request: claudeAsk(), Response: cachedCounts(claudeSays("At noon."), `"input_tokens":270`)}, {API: tape.Claude, Request: claudeAsk(), Response: cachedCounts(claude(`"end_turn"`, start(0, emptyText), text(0, "At noon."), stop(0)), `"input_tokens":1,"cache_read_input_tokens":60`)}}, []string{"", "usage-mismatch"}, []string{"", "server"}},
		{"through two APIs alike", []sent{chat(ask(zero), tide(`{"port":"Vigo"}`)), {API: tape.Claude, Request: claudeAsk(), Response: claudeTide}}, []string{"", ""}, []string{"", ""}},
		{"one API lost the call", []sent{{API: tape.Claude, Request: claudeAsk(), Response: claudeSays(tideText)}, chat(ask(zero), tide(`{"port":"Vigo"}`))}, []string{"api-mismatch leaked-markup-in-content call-in-content", ""}, []string{"adapter", ""}},
		{"one API says that the answer was cut", []sent{chat(ask(zero), says("At noon.")), {API: tape.Claude, Request: claudeAsk(), Response: strings.Replace(claudeSays("At noon."), "end_turn", "max_tokens", 1)}}, []string{"", "api-mismatch"}, []string{"", "adapter"}},
		{"the API that was asked first says that the answer was cut", []sent{{API: tape.Claude, Request: claudeAsk(), Response: strings.Replace(claudeSays("At noon."), "end_turn", "max_tokens", 1)}, chat(ask(zero), says("At noon."))}, []string{"api-mismatch", ""}, []string{"adapter", ""}},
		{"two APIs say that the answer was cut", []sent{chat(ask(zero), whole(`"content":"At noon."`, `"length"`)), {API: tape.Claude, Request: claudeAsk(), Response: strings.Replace(claudeSays("At noon."), "end_turn", "max_tokens", 1)}}, []string{"", ""}, []string{"", ""}},
		{"two APIs end in their own words", []sent{chat(ask(zero), says("At noon.")), {API: tape.Claude, Request: claudeAsk(), Response: claudeSays("At noon.")}}, []string{"", ""}, []string{"", ""}},
		{"two APIs, two answers", []sent{chat(ask(zero), says("At noon.")), {API: tape.Claude, Request: claudeAsk(), Response: claudeSays("At one.")}}, []string{"", "api-mismatch"}, []string{"", "adapter"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			judge := conformance.New(conformance.Rules{})
			var all pairs.Pairs
			var reports []*conformance.Report
			for i, s := range tt.sent {
				x := s.Read(t)
				r := judge.Exchange(x)
				all.Add(i, pairs.AnswerOf(x, r))
				reports = append(reports, r)
			}
			findings := all.Findings()
			var codes, blame []string
			for i, r := range reports {
				judge.Apply(r, findings[i])
				codes, blame = append(codes, codesOf(r)), append(blame, blameOf(r))
				if r.Has("stream-mismatch") != (r.Protocol == conformance.Failed) {
					t.Errorf("protocol %s with %q", r.Protocol, codes[i])
				}
			}
			if diff := cmp.Diff([][]string{tt.codes, tt.blame}, [][]string{codes, blame}); diff != "" {
				t.Errorf("codes and blame (-want +got):\n%s", diff)
			}
		})
	}
}

// cachedCounts puts other counts of the input into an answer.
func cachedCounts(answer, counts string) string {
	return strings.Replace(answer, `"input_tokens":9`, counts, 1)
}

// TestPairsRules: rules that leave out why an answer cannot be compared do not make it comparable.
func TestPairsRules(t *testing.T) {
	cut := chat(ask(zero+`,"stream":true`), chunk(`{"content":"At"}`, ""))
	for _, tt := range []struct {
		name  string
		rules conformance.Rules
		other sent
	}{
		{"only comparisons, a cut stream", conformance.Rules{Only: []string{"stream-mismatch"}}, cut},
		{"truncated streams are known", conformance.Rules{Ignore: []string{"truncated-stream"}}, cut},
		{"so are errors in streams", conformance.Rules{Ignore: []string{"stream-error-event"}}, chat(ask(zero+`,"stream":true`), chunk(`{"content":"At"}`, "")+event(`{"error":{"message":"died"}}`))},
	} {
		judge := conformance.New(tt.rules)
		var all pairs.Pairs
		for i, s := range []sent{chat(ask(zero), says("At noon.")), tt.other} {
			x := s.Read(t)
			all.Add(i, pairs.AnswerOf(x, judge.Exchange(x)))
		}
		if found := all.Findings(); len(found) > 0 {
			t.Errorf("%s: %+v", tt.name, found)
		}
	}
}

// TestPairsDetail: what differs is shown as it is on both sides.
func TestPairsDetail(t *testing.T) {
	thought := func(s, finish string) sent {
		return chat(ask(zero+`,"stream":true`), chunk(`{"content":"At noon.","reasoning":`+quote(s)+`}`, finish)+done)
	}
	for _, tt := range []struct {
		name   string
		stream sent
		want   string
	}{
		{"text", chat(ask(zero+`,"stream":true`), streamed("At")), `content: "At noon." there, "At" here`},
		{"reason", thought("", `"length"`), `finish reason: "stop" there, "length" here`},
		{"reasoning", thought("Easy.", `"stop"`), `reasoning: "" there, "Easy." here`},
		{"reasoning and reason", thought("Easy.", `"length"`), `reasoning, finish reason: "" there, "Easy." here`},
	} {
		var all pairs.Pairs
		for i, s := range []sent{chat(ask(zero), says("At noon.")), tt.stream} {
			x := s.Read(t)
			all.Add(i, pairs.AnswerOf(x, conformance.New(conformance.Rules{}).Exchange(x)))
		}
		found := all.Findings()[1]
		if len(found) != 1 || found[0].Problem.Detail != "the whole answer s/1 differs in "+tt.want {
			t.Errorf("%s: %+v, want %s", tt.name, found, tt.want)
		}
	}
}

// TestComparable: a stream and a whole answer to the same request are compared, whatever they say, and nothing else is.
func TestComparable(t *testing.T) {
	whole, stream := chat(ask(zero), says("At noon.")), chat(ask(zero+`,"stream":true`), streamed("At noon."))
	for _, tt := range []struct {
		name string
		a, b sent
		want bool
	}{
		{"alike", stream, whole, true},
		{"unlike, and the other way round", chat(ask(zero), says("At one.")), stream, true},
		{"one mode", whole, whole, false},
		{"another question", stream, chat(strings.Replace(ask(zero), "Vigo", "Faro", 1), says("At noon.")), false},
		{"another setting", stream, chat(ask(zero+`,"top_p":1`), says("At noon.")), false},
		{"another API", stream, sent{API: tape.Claude, Request: strings.Replace(claudeAsk(), "0.0", "0", 1), Response: claudeSays("At noon.")}, false},
		{"no answer need be the same", chat(ask(withTools+`,"stream":true`), streamed("At noon.")), chat(ask(withTools), says("At noon.")), false},
		{"a stream that was cut off", chat(ask(zero+`,"stream":true`), chunk(`{"content":"At"}`, "")), whole, false},
	} {
		judge := conformance.New(conformance.Rules{})
		a, b := tt.a.Read(t), tt.b.Read(t)
		if got := pairs.AnswerOf(a, judge.Exchange(a)).Comparable(pairs.AnswerOf(b, judge.Exchange(b))); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestPairsDifferent: of a question that is answered in another way each time, 64 answers are kept. Those that are not kept are counted, and
// nothing is said of what they might have been like.
func TestPairsDifferent(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	var all pairs.Pairs
	number := 0
	add := func(s sent) int {
		x := s.Read(t)
		all.Add(number, pairs.AnswerOf(x, judge.Exchange(x)))
		number++
		return number - 1
	}
	whole := func(i int) sent { return chat(ask(zero), says(fmt.Sprintf("At %d.", i))) }
	stream := func(i int) sent { return chat(ask(zero+`,"stream":true`), streamed(fmt.Sprintf("At %d.", i))) }
	early, never := add(stream(80)), add(stream(200))
	for i := range 64 {
		add(whole(i))
	}
	settled, unlike, other := add(stream(63)), add(stream(201)), add(sent{API: tape.Claude, Request: claudeAsk(), Response: claudeSays("At 300.")})
	found := all.Findings()
	if all.Forgotten != 0 || len(found[early]) != 1 || len(found[never]) != 1 || len(found[settled]) != 0 || len(found[unlike]) != 1 || len(found[other]) != 1 {
		t.Errorf("64 answers: %d forgotten, found %v", all.Forgotten, found)
	}
	add(whole(80)) // it is not kept, but the first stream is like it
	late, api := add(stream(202)), add(sent{API: tape.Ollama, Request: ask(withTools + `,"stream":false,"options":{"temperature":0}`), Response: `{"message":{"role":"assistant","content":"At 400."},"done":true,"done_reason":"stop"}`})
	found = all.Findings()
	if all.Forgotten != 2 || len(found[early]) != 0 || len(found[never]) != 1 || len(found[unlike]) != 1 || len(found[late]) != 0 || len(found[other]) != 0 || len(found[api]) != 0 {
		t.Errorf("65 answers: %d forgotten, found %v", all.Forgotten, found)
	}

	// Streams alike count as one. Each of them is told of, those that are not kept, too, as long as there is a whole answer.
	all, number = pairs.Pairs{}, 0
	for i := range 65 {
		add(stream(i))
		add(stream(0))
	}
	add(whole(100))
	last := add(stream(101))
	if found = all.Findings(); len(found) != 64+65+1 || len(found[last]) != 1 || all.Forgotten != 2 {
		t.Errorf("streams: %d found, %d of the last, %d forgotten", len(found), len(found[last]), all.Forgotten)
	}
}

// TestPairsIgnored: rules leave out what comparisons find, too.
func TestPairsIgnored(t *testing.T) {
	judge := conformance.New(conformance.Rules{Ignore: []string{"stream-mismatch"}})
	var all pairs.Pairs
	stream := chat(ask(zero+`,"stream":true`), streamed("At noon")).Read(t)
	r := judge.Exchange(stream)
	all.Add(0, pairs.AnswerOf(stream, r))
	whole := chat(ask(zero), says("At noon.")).Read(t)
	all.Add(1, pairs.AnswerOf(whole, judge.Exchange(whole)))
	judge.Apply(r, all.Findings()[0])
	if codesOf(r) != "" || r.Protocol != conformance.OK || r.Blame != nil {
		t.Errorf("%q, %s, %q", codesOf(r), r.Protocol, blameOf(r))
	}
}

// TestPairsOnly: which of the answers is the right one is not for rules to say that leave problems out. The problem is that of the API that lost
// the call, whatever else is told of it.
func TestPairsOnly(t *testing.T) {
	lost, right := sent{API: tape.Claude, Request: claudeAsk(), Response: claudeSays(tideText)}, chat(ask(zero), tide(`{"port":"Vigo"}`))
	for _, only := range []string{"api-mismatch", "call-in-content", "leaked-markup-in-content", "content", "protocol"} {
		for _, order := range [][]sent{{lost, right}, {right, lost}} {
			judge := conformance.New(conformance.Rules{Only: []string{only}})
			var all pairs.Pairs
			var reports []*conformance.Report
			for i, s := range order {
				x := s.Read(t)
				reports = append(reports, judge.Exchange(x))
				all.Add(i, pairs.AnswerOf(x, reports[i]))
			}
			for i, r := range reports {
				judge.Apply(r, all.Findings()[i])
				if r.API == tape.OpenAI {
					if codesOf(r) != "" || blameOf(r) != "" || len(r.Evidence) > 0 {
						t.Errorf("only %s: %q and blame %q of the right answer: %q", only, codesOf(r), blameOf(r), r.Evidence)
					}
					continue
				}
				told := slices.ContainsFunc(r.Evidence, func(e string) bool { return strings.HasPrefix(e, "the answer through openai (s/1) got it right") })
				if len(r.Problems) == 0 || blameOf(r) != "adapter" || !told {
					t.Errorf("only %s: %q and blame %q: %q", only, codesOf(r), blameOf(r), r.Evidence)
				}
			}
		}
	}
}

// TestPairsAgain: what was asked again may be answered by another server, so that it is held against what was asked with it only, unless the
// comparison is what it was asked for.
func TestPairsAgain(t *testing.T) {
	again := func(s sent, session string) *reading.Exchange {
		x := s.Read(t)
		x.Ref.Session, x.Labels = session, map[string]string{pairs.AskedAgain: "s/1"}
		return x
	}
	stream, whole := chat(ask(zero+`,"stream":true`), streamed("At noon")), chat(ask(zero), says("At noon."))
	other := sent{API: tape.Claude, Request: claudeAsk(), Response: claudeSays("At one.")}
	for _, tt := range []struct {
		name string
		x    []*reading.Exchange
		want string // of all
	}{
		{"nothing was asked again", []*reading.Exchange{stream.Read(t), whole.Read(t)}, "stream-mismatch"},
		{"the stream", []*reading.Exchange{whole.Read(t), again(stream, "s2")}, ""},
		{"the whole answer", []*reading.Exchange{stream.Read(t), again(whole, "s2")}, ""},
		{"through another API", []*reading.Exchange{whole.Read(t), again(other, "s2")}, ""},
		{"both", []*reading.Exchange{again(whole, "s2"), again(stream, "s2"), again(other, "s2")}, "stream-mismatch api-mismatch"},
		{"both, of two servers", []*reading.Exchange{again(whole, "s2"), again(stream, "s3")}, ""},
	} {
		for _, together := range []bool{false, true} {
			all := pairs.Pairs{Together: together}
			for i, x := range tt.x {
				all.Add(i, pairs.AnswerOf(x, conformance.New(conformance.Rules{}).Exchange(x)))
			}
			var codes []string
			for i := range tt.x {
				for _, f := range all.Findings()[i] {
					codes = append(codes, f.Problem.Code)
				}
			}
			if got := strings.Join(codes, " "); !together && got != tt.want || together && got == "" {
				t.Errorf("%s, together %v: %q, want %q", tt.name, together, got, tt.want)
			}
		}
	}
}

// TestPairsForget: beyond the limit the oldest answers are forgotten, and counted.
func TestPairsForget(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	whole, stream := chat(ask(zero), says("At noon.")).Read(t), chat(ask(zero+`,"stream":true`), streamed("At noon")).Read(t)
	for between, want := range map[int]int{1: 1, 2: 1, 3: 0} {
		var all pairs.Pairs
		all.Limit(4)
		all.Add(0, pairs.AnswerOf(stream, judge.Exchange(stream)))
		for i := range between {
			other := chat(strings.Replace(ask(zero), "Vigo", strings.Repeat("Faro", i+1), 1), says("Fine.")).Read(t)
			all.Add(1+i, pairs.AnswerOf(other, judge.Exchange(other)))
		}
		all.Add(9, pairs.AnswerOf(whole, judge.Exchange(whole)))
		if got := len(all.Findings()[0]); got != want || all.Forgotten != max(0, between-2) {
			t.Errorf("%d between: %d findings, %d forgotten", between, got, all.Forgotten)
		}
	}
}

// TestPairsSettled: a stream that a whole answer is like needs no room any more.
func TestPairsSettled(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	var all pairs.Pairs
	all.Limit(3)
	for i, s := range []sent{
		chat(ask(zero+`,"stream":true`), streamed("At noon.")), chat(ask(zero), says("At noon.")),
		chat(strings.Replace(ask(zero), "Vigo", "Faro", 1), says("Fine.")), chat(strings.Replace(ask(zero), "Vigo", "Porto", 1), says("Fine.")),
	} {
		x := s.Read(t)
		all.Add(i, pairs.AnswerOf(x, judge.Exchange(x)))
	}
	if all.Forgotten > 0 {
		t.Errorf("%d forgotten", all.Forgotten)
	}
}

// TestPairsForgottenFindings: what was found about answers that are forgotten stands.
func TestPairsForgottenFindings(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	var all pairs.Pairs
	all.Limit(2)
	for i, s := range []sent{chat(ask(zero), says("At noon.")), chat(ask(zero+`,"stream":true`), streamed("At noon")), chat(strings.Replace(ask(zero), "Vigo", "Faro", 1), says("Fine."))} {
		x := s.Read(t)
		all.Add(i, pairs.AnswerOf(x, judge.Exchange(x)))
	}
	if got := all.Findings(); len(got[1]) != 1 || all.Forgotten != 2 {
		t.Errorf("%d findings of the stream, %d answers forgotten, want 1 and 2", len(got[1]), all.Forgotten)
	}
}

// answersToAll are answers to one question that differ in API, mode, settings, text, call and counts.
func answersToAll(t *testing.T) []sent {
	t.Helper()
	counts := func(n int) string {
		return event(fmt.Sprintf(`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d,"total_tokens":%d}}`, n, 9+n)) + done
	}
	streamAsk, otherAsk := ask(zero+`,"stream":true`), ask(zero+`,"top_p":1`)
	limitedClaude := strings.Replace(claudeAsk(), `"model"`, `"max_tokens":64,"model"`, 1)
	return []sent{
		chat(ask(zero), says("At noon.")),
		chat(ask(zero), says("At one.")),
		chat(ask(zero), says(tideText)),
		chat(ask(zero), tide(`{"port":"Vigo"}`)),
		chat(otherAsk, says("At noon.")),
		chat(streamAsk, chunk(`{"content":"At noon."}`, `"stop"`)+counts(5)),
		chat(streamAsk, chunk(`{"content":"At noon."}`, `"stop"`)+counts(6)),
		chat(streamAsk, streamed("At two.")),
		chat(streamAsk, streamed(tideText)),
		{API: tape.Claude, Request: claudeAsk(), Response: claudeTide},
		{API: tape.Claude, Request: claudeAsk(), Response: claudeSays(tideText)},
		{API: tape.Claude, Request: claudeAsk(), Response: claudeSays("At noon.")},
		{API: tape.Ollama, Request: ask(withTools + `,"stream":false,"options":{"temperature":0}`), Response: `{"model":"m","message":{"role":"assistant","content":"At noon."},"done":true,"done_reason":"stop"}`},
		chat(ask(zero+`,"max_tokens":64`), says("At two.")),
		{API: tape.Claude, Request: limitedClaude, Response: claudeSays(tideText)},
		{API: tape.Claude, Request: limitedClaude, Response: claudeSays("At noon.")},
		{API: tape.Claude, Request: limitedClaude, Response: strings.Replace(claudeSays("At"), "end_turn", "max_tokens", 1)},
	}
}

// TestPairsTell: what is told at once, in whatever order answers come, is all that the comparison of the answers so far ever found, each once.
func TestPairsTell(t *testing.T) {
	judge := conformance.New(conformance.Rules{})
	answers := answersToAll(t)
	random := rand.New(rand.NewPCG(1, 2))
	told, takenBack := make(map[string]bool), 0
	for range 500 {
		var atOnce, afterwards pairs.Pairs
		want, got := make(map[string]bool), make(map[string]bool)
		// note notes problems, and reports whether it has had one of them.
		note := func(to map[string]bool, ref tape.Ref, findings []conformance.Finding) (again bool) {
			for _, f := range findings {
				if code := f.Problem.Code; code != "" {
					key := fmt.Sprintf("%d %s", ref.Seq, code)
					again = again || to[key]
					to[key] = true
				}
			}
			return again
		}
		for seq := range int64(8) {
			x := answers[random.IntN(len(answers))].Read(t)
			x.Ref = tape.Ref{Session: "s1", Seq: seq}
			r := judge.Exchange(x)
			own, others := atOnce.Tell(pairs.AnswerOf(x, r))
			again := note(got, x.Ref, own)
			for _, c := range others {
				if before := note(maps.Clone(got), c.Ref, c.Before); len(c.Before) > 0 && !before {
					t.Errorf("%d has %v before, which was not told", c.Ref.Seq, c.Before)
				}
				again = note(got, c.Ref, c.New) || again
			}
			if again {
				t.Errorf("something was told twice: %v", slices.Sorted(maps.Keys(got)))
			}
			afterwards.Add(int(seq), pairs.AnswerOf(x, r))
			for n, findings := range afterwards.Findings() {
				note(want, tape.Ref{Session: "s1", Seq: int64(n)}, findings)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("told (-found +at once):\n%s", diff)
		}
		stands := make(map[string]bool)
		for n, findings := range afterwards.Findings() {
			note(stands, tape.Ref{Seq: int64(n)}, findings)
		}
		takenBack += len(got) - len(stands)
		for key := range got {
			_, code, _ := strings.Cut(key, " ")
			told[code] = true
		}
	}
	if len(told) != 3 || takenBack == 0 {
		t.Errorf("told %v, took %d back: not all was tried", told, takenBack)
	}
}
