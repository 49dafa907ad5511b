package match

import "testing"

// TestBindings: of requests that are equal but for a secret, the one is meant whose placeholder stood for this secret before.
func TestBindings(t *testing.T) {
	owes := func(who string) string { return chat("m", "What does "+who+" owe?", "") }
	key := func(n string) string { return "[redacted:key:" + n + "]" }
	recorded := func(texts ...string) []func(*fakeTape) {
		var tape []func(*fakeTape)
		for _, text := range texts {
			tape = append(tape, post(chatPath, chat("m", text, ""), nil))
		}
		return tape
	}
	oweEach := func(numbers ...string) []func(*fakeTape) {
		var tape []func(*fakeTape)
		for _, n := range numbers {
			tape = append(tape, post(chatPath, owes(key(n)), nil))
		}
		return tape
	}
	asks := func(texts ...string) []Request {
		var all []Request
		for _, text := range texts {
			all = append(all, ask("POST", chatPath, chat("m", text, "")))
		}
		return all
	}
	const ada, grace, mary = "What does sk-ada-0001 owe?", "What does sk-grace-02 owe?", "What does sk-mary-003 owe?"
	for _, tt := range []struct {
		name string
		tape []func(*fakeTape)
		opts Options
		asks []Request
		want []string
	}{
		{"as recorded", oweEach("1", "2", "1"), Options{}, asks(ada, grace, ada), []string{"1 exact", "2 exact", "3 exact"}},
		{"one asks twice first", oweEach("1", "2", "1"), Options{}, asks(ada, ada, grace), []string{"1 exact", "3 exact", "2 exact"}},
		{"one asks more often than was recorded", oweEach("1", "2", "1"), Options{}, asks(ada, ada, ada, grace), []string{"1 exact", "3 exact", "2 exact", "miss"}},
		{"all secrets are another one now", oweEach("1", "2", "3"), Options{}, asks(ada, ada, ada), []string{"1 exact", "2 exact", "3 exact"}},
		{"one secret is several now", oweEach("1", "1", "1"), Options{}, asks(ada, grace, mary), []string{"1 exact", "2 exact", "3 exact"}},
		{"each has what is free", oweEach("1", "1", "2", "3"), Options{}, asks(ada, grace, mary, ada), []string{"1 exact", "3 exact", "4 exact", "2 exact"}},
		{"told by another request", recorded("I am "+key("2")+" , hello", "I am "+key("1")+" , good day", "What does "+key("1")+" owe?", "What does "+key("2")+" owe?"), Options{},
			asks("I am sk-ada-0001 , hello", ada, grace), []string{"1 exact", "4 exact", "3 exact"}},
		{"told by what was filled in", recorded("Write to [redacted:json:1], whose key is "+key("2"), "What does "+key("1")+" owe?", "What does "+key("2")+" owe?"), Options{},
			asks("Write to Ada Lovelace, whose key is sk-ada-0001", ada), []string{"1 meaning filled", "3 exact"}},
		{"by meaning", oweEach("1", "2", "1"), Options{},
			[]Request{ask("POST", chatPath, chat("m", ada, `,"temperature":1`)), ask("POST", chatPath, chat("m", ada, `,"temperature":1`))},
			[]string{"1 meaning", "3 meaning"}},
		{"asked again where that is allowed", oweEach("1", "2"), Options{Reuse: true}, asks(ada, ada, grace, ada, grace),
			[]string{"1 exact", "1 exact again", "2 exact", "1 exact again", "2 exact again"}},
		{"two in one request", recorded("Is "+key("1")+" older than "+key("2")+" ?", "Is "+key("2")+" older than "+key("1")+" ?"), Options{},
			asks("Is sk-ada-0001 older than sk-grace-02 ?", "Is sk-grace-02 older than sk-ada-0001 ?"), []string{"1 exact", "2 exact"}},
		{"twice the same is not two", recorded("Is "+key("1")+" as old as "+key("2")+" ?", "Is "+key("1")+" as old as "+key("1")+" ?"), Options{},
			asks("Is sk-ada-0001 as old as sk-ada-0001 ?"), []string{"2 exact"}},
		{"another session", append(oweEach("1"), func(f *fakeTape) { f.add("POST", chatPath, owes(key("1")), nil).Session = "s2" }), Options{},
			asks(ada, grace), []string{"1 exact", "2 exact"}},
		{"another kind of body", []func(*fakeTape){
			func(f *fakeTape) { f.add("PUT", "/note", `{"key":"`+key("1")+`"}`, nil) },
			func(f *fakeTape) { f.add("PUT", "/note", `{"key":"`+key("2")+`"}`, nil) },
			func(f *fakeTape) { f.add("PUT", "/note", `{"key":"`+key("1")+`"}`, nil) },
		}, Options{}, []Request{ask("PUT", "/note", `{"key":"sk-ada-0001"}`), ask("PUT", "/note", `{"key":"sk-ada-0001"}`), ask("PUT", "/note", `{"key":"sk-grace-02"}`)},
			[]string{"1 exact", "3 exact", "2 exact"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Canonical = byForm
			checkAnswers(t, tt.tape, tt.opts, tt.asks, tt.want)
		})
	}
}
