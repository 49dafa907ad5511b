package simenv

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

var allClasses = []string{"BaseApi", "MessageApi", "ReminderApi", "FoodPlatform", "Travel"}

func newEnv(t testing.TB, w *World) *Env {
	t.Helper()
	config := pyvalue.DictOf("BaseApi", pyvalue.DictOf("wifi", pyvalue.Bool(true), "logged_in_users", pyvalue.NewList(pyvalue.Str("Ada"))))
	env, err := w.NewEnv(allClasses, config)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// everything is all that an environment or a world holds, as text.
func (e *Env) everything() string {
	var b strings.Builder
	for _, in := range e.instances {
		switch a := in.api.(type) {
		case *baseAPI:
			b.WriteString(pyvalue.Repr(pyvalue.Tuple{a.wifi, a.loggedIn}))
		case *messageAPI:
			b.WriteString(pyvalue.Repr(pyvalue.Tuple{a.wifi, a.loggedIn, a.users, a.inbox, number(a.lastID)}))
		case *reminderAPI:
			b.WriteString(pyvalue.Repr(pyvalue.Tuple{a.wifi, a.loggedIn, a.reminders, number(a.lastID)}))
		case *foodPlatform:
			b.WriteString(pyvalue.Repr(pyvalue.Tuple{a.wifi, a.loggedIn, a.users, a.merchants, a.customers, a.orders}))
		case *travel:
			b.WriteString(pyvalue.Repr(pyvalue.Tuple{a.users, a.flights, a.reservations}))
		}
	}
	return b.String()
}

func (w *World) everything() string {
	var b strings.Builder
	for _, c := range classes {
		b.WriteString(pyvalue.Repr(w.tables[c.name].attributes))
	}
	return b.String()
}

// FuzzExecute sends any call with any arguments to an environment. It must not panic, must not touch the world or another environment, and
// must do the same in a second one.
func FuzzExecute(f *testing.F) {
	data, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	seeds := 0
	for line := range bytes.Lines(data) {
		for _, call := range items(field(decodeObject(f, line), "calls")) {
			arguments, err := pyjson.Encode(field(call, "args"), pyjson.Default)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(pyvalue.String(field(call, "name")), string(arguments), seeds%2 == 0)
			seeds++
		}
	}
	worlds := miniWorlds(f)
	pristine := map[string]string{}
	for language, w := range worlds {
		pristine[language] = w.everything() + newEnv(f, w).everything()
	}
	f.Fuzz(func(t *testing.T, name, arguments string, chinese bool) {
		v, err := pyjson.DecodeString(arguments)
		given, ok := v.(*pyvalue.Dict)
		if err != nil || !ok {
			t.Skip("no keyword arguments")
		}
		w := worlds["en"]
		if chinese {
			w = worlds["zh"]
		}
		env, other := newEnv(t, w), newEnv(t, w)
		calls := func() (all []Call) { // with arguments of their own, as a call may change them
			for range 2 {
				all = append(all, Call{Name: name, Args: asDict(pyvalue.DeepCopy(given))})
			}
			return append(all, Call{Name: "view_orders", Args: pyvalue.DictOf("user_name", pyvalue.Str("Ada"))})
		}
		told := env.Execute(calls())
		if told.Len() != 3 {
			t.Fatalf("%d observations for 3 calls", told.Len())
		}
		twin := newEnv(t, w)
		if got := twin.Execute(calls()); pyvalue.Repr(got) != pyvalue.Repr(told) {
			t.Errorf("%s(%s) is told %s, elsewhere %s", name, arguments, pyvalue.Repr(told), pyvalue.Repr(got))
		}
		state, err := env.Snapshot()
		same, twinErr := twin.Snapshot()
		if (err == nil) != (twinErr == nil) || err == nil && pyvalue.Repr(state) != pyvalue.Repr(same) {
			t.Errorf("%s(%s) leaves another state the second time: %v, %v", name, arguments, err, twinErr)
		}
		if w.everything()+other.everything() != pristine[w.Language] {
			t.Errorf("%s(%s) changed the world or another environment", name, arguments)
		}
	})
}

// FuzzRunLine: any line is answered by a line of JSON with its id, the same one each time, or it is said what is wrong with it.
func FuzzRunLine(f *testing.F) {
	data, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(data) {
		if n++; n%8 == 1 { // there are many of a kind
			f.Add(line)
		}
	}
	for _, line := range []string{
		`{"id":1,"language":"en","involved_classes":["BaseApi","Travel"],"initial_config":{"BaseApi":{"wifi":true}},"calls":[{"name":"turn_on_wifi"},{"name":"f","args":{}}],"batches":[2]}`,
		`{"language":"zh","involved_classes":"Travel","initial_config":null,"calls":[],"batches":[0]}`, `{"language":"en","batches":[-1,1e99]}`, `[]`,
	} {
		f.Add([]byte(line))
	}
	worlds := miniWorlds(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		out, err := worlds.RunLine(line)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		if again, err := worlds.RunLine(line); err != nil || !bytes.Equal(out, again) {
			t.Errorf("%s, then %s, %v", out, again, err)
		}
		if bytes.ContainsAny(out, "\r\n") {
			t.Errorf("more than a line: %q", out)
		}
		in, answer := decodeObject(t, line), decodeObject(t, out)
		if want, got := getOr(in, "id", pyvalue.None{}), field(answer, "id"); pyvalue.Repr(want) != pyvalue.Repr(got) {
			t.Errorf("id %s became %s", pyvalue.Repr(want), pyvalue.Repr(got))
		}
		if _, failed := answer.GetStr("load_error"); failed {
			return
		}
		calls, _ := in.GetStr("calls")
		if calls == nil {
			calls = pyvalue.NewList()
		}
		if want, got := len(items(calls)), len(items(field(answer, "observations"))); want != got {
			t.Errorf("%d observations for %d calls", got, want)
		}
	})
}

// TestConcurrentEnvironments runs all vectors at once on shared worlds. With the race detector it finds whatever two environments share.
func TestConcurrentEnvironments(t *testing.T) {
	worlds := miniWorlds(t)
	data, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for line := range bytes.Lines(data) {
		want, err := worlds.RunLine(line)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			wg.Go(func() {
				if got, err := worlds.RunLine(line); err != nil || !bytes.Equal(got, want) {
					t.Errorf("another answer beside others: %v\n got %s\nwant %s", err, got, want)
				}
			})
		}
	}
	wg.Wait()
}

// TestSnapshotText shows what JSON cannot hold: it is graded as text, and a tuple as key cannot be graded at all.
func TestSnapshotText(t *testing.T) {
	set := pyvalue.NewSet()
	if err := set.Add(number(1)); err != nil {
		t.Fatal(err)
	}
	env := newEnv(t, miniWorlds(t)["en"])
	env.Execute([]Call{{Name: "add_reminder", Args: pyvalue.DictOf(
		"title", pyvalue.Bytes("b"),
		"description", pyvalue.Tuple{set, pyvalue.Complex(2i), pyvalue.Ellipsis{}},
		"time", pyvalue.DictOf("k", set))}})
	state, err := env.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	added := field(field(field(state.Items[2], "ReminderApi"), "reminder_list"), "3")
	want := `{'reminder_id': 3, 'title': "b'b'", 'description': ['{1}', '2j', 'Ellipsis'], 'time': {'k': '{1}'}, 'notified': False}`
	if got := pyvalue.Repr(added); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	key := pyvalue.NewDict()
	if err := key.Set(pyvalue.Tuple{number(1)}, number(2)); err != nil {
		t.Fatal(err)
	}
	env.Execute([]Call{{Name: "send_message"}, {Name: "delete_message", Args: pyvalue.DictOf("message_id", number(1))},
		{Name: "send_message", Args: pyvalue.DictOf("sender_name", pyvalue.Str("Ada"), "receiver_name", pyvalue.Str("Bruno"), "message", key)}})
	if _, err := env.Snapshot(); err == nil || !strings.Contains(err.Error(), "not tuple") {
		t.Errorf("got error %v, want one about a tuple as key", err)
	}
	told := env.Execute([]Call{{Name: "view_messages_between_users", Args: pyvalue.DictOf("sender_name", pyvalue.Str("Ada"), "receiver_name", pyvalue.Str("Bruno"))}})
	if got, want := pyvalue.Repr(told), `["{'status': True, 'messages': [{'id': 4, 'sender': 'Ada', 'receiver': 'Bruno', 'message': {(1,): 2}}]}"]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestTables checks what the tables say of themselves: every method says what it changes if a call of it in the vectors changes
// anything, and names are unique.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods() {
		if key := m.Class + m.Name; seen[key] {
			t.Errorf("%s.%s is in the tables twice", m.Class, m.Name)
		} else {
			seen[key] = true
		}
		if strings.HasPrefix(m.Name, "_") {
			t.Errorf("%s could never be called", m.Name)
		}
	}
	if len(seen) != 35 {
		t.Errorf("%d methods, want 35", len(seen))
	}

	data, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	worlds := miniWorlds(t)
	called := map[string]bool{}
	for line := range bytes.Lines(data) {
		in, err := readLine(line)
		if err != nil {
			t.Fatal(err)
		}
		env, err := worlds[in.language].NewEnv(in.classes, in.config)
		if err != nil {
			continue
		}
		for _, c := range slices.Concat(in.messages...) {
			before := env.everything()
			env.Execute([]Call{c})
			for _, m := range Methods() {
				if m.Name != c.Name {
					continue
				}
				called[m.Class+m.Name] = true
				if m.Changes == "" && env.everything() != before {
					t.Errorf("%s changes something; the table says that it only looks", m.Name)
				}
			}
		}
	}
	for key := range seen {
		if !called[key] {
			t.Errorf("no vector calls %s", key)
		}
	}
}

// TestTableNeeds holds the tables to what they say a method needs: with a flag down a call is told something else if, and only if,
// its method needs that flag.
func TestTableNeeds(t *testing.T) {
	data, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	worlds := miniWorlds(t)
	for need, flag := range map[string]string{"device login": "logged_in", "wifi": "wifi"} {
		differs := map[string]bool{}
		for line := range bytes.Lines(data) {
			in, err := readLine(line)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range slices.Concat(in.messages...) {
				told := map[bool]string{}
				for _, up := range []bool{true, false} {
					flags := pyvalue.DictOf("wifi", pyvalue.Bool(true), "logged_in", pyvalue.Bool(true))
					flags.SetStr(flag, pyvalue.Bool(up))
					env, err := worlds[in.language].NewEnv(allClasses, pyvalue.DictOf("BaseApi", flags))
					if err != nil {
						t.Fatal(err)
					}
					copied := Call{Name: c.Name, Args: asDict(pyvalue.DeepCopy(c.Args))}
					told[up] = pyvalue.Repr(env.Execute([]Call{copied}))
				}
				differs[c.Name] = differs[c.Name] || told[true] != told[false]
			}
		}
		for _, m := range Methods() {
			if needs := strings.Contains(m.Needs, need); needs != differs[m.Name] {
				t.Errorf("%s: the table says that it needs %s: %v; the calls say: %v", m.Name, need, needs, differs[m.Name])
			}
		}
	}
}

func TestRunLineRefuses(t *testing.T) {
	worlds := miniWorlds(t)
	for _, tt := range []struct{ name, line, want string }{
		{"not JSON", `{`, "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"},
		{"list", `[]`, "must be an object, is []"},
		{"no language", `{}`, `language is missing: give "en" or "zh"`},
		{"language", `{"language":"fr"}`, `no world tables for language "fr", only for en and zh`},
		{"call", `{"language":"en","calls":[1]}`, "calls: 0: must be an object, is 1"},
		{"no name", `{"language":"en","calls":[{"name":"f","args":{}},{}]}`, "calls: 1: name is missing, or no text"},
		{"args", `{"language":"en","calls":[{"name":"f","args":[]}]}`, "calls: 0: args: must be an object, is []"},
		{"batch too large", `{"language":"en","calls":[{"name":"f"}],"batches":[2]}`, "batches: [2] does not cut 1 calls into messages"},
		{"batch no number", `{"language":"en","calls":[{"name":"f"}],"batches":["x"]}`, "batches: ['x'] does not cut 1 calls into messages"},
		{"call left over", `{"language":"en","calls":[{"name":"f"}],"batches":[]}`, "batches: [] does not cut 1 calls into messages"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := worlds.RunLine([]byte(tt.line))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
}
