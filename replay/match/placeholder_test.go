package match

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// byForm is a Canonical that recognises nothing but placeholders and keys that begin with "sk-".
func byForm(r Request) Request {
	text := placeholderForm.ReplaceAllString(string(r.Body), redacted)
	for i := strings.Index(text, "sk-"); i >= 0; i = strings.Index(text, "sk-") {
		end := i + strings.IndexAny(text[i:]+" ", ` "\`)
		text = text[:i] + redacted + text[end:]
	}
	r.Body = []byte(text)
	return r
}

// TestPlaceholder: a secret that nothing in the request itself tells to be one is found by what stands around it.
func TestPlaceholder(t *testing.T) {
	name := func(n string) string { return "[redacted:json:" + n + "]" }
	question := func(text string, labels ...string) Request {
		return ask("POST", chatPath, chat("m", text, ""), labels...)
	}
	recorded := func(text string, labelled ...string) func(*fakeTape) {
		return post(chatPath, chat("m", text, ""), labels(labelled...))
	}
	const ada, grace, mary = "Ada Lovelace", "Grace Hopper", "Mary Somerville"
	tides := "the tides for " + name("1") + ", please"
	for _, tt := range []struct {
		name string
		tape []func(*fakeTape)
		opts Options
		asks []Request
		want []string
	}{
		{"a secret", []func(*fakeTape){recorded(tides)}, Options{},
			[]Request{question("the tides for Ada Lovelace, please")}, []string{"1 meaning filled"}},
		{"beside one that is recognised", []func(*fakeTape){recorded("use [redacted:key:1] for " + name("1"))}, Options{},
			[]Request{question("use sk-123 for Ada Lovelace")}, []string{"1 meaning filled"}},
		{"one that is recognised is no other text", []func(*fakeTape){recorded("use " + name("1") + " for " + name("1"))}, Options{},
			[]Request{question("use sk-123 for Ada Lovelace"), question("use Ada Lovelace for sk-123")}, []string{"miss", "miss"}},
		{"other text around it", []func(*fakeTape){recorded(tides)}, Options{},
			[]Request{question("the winds for Ada Lovelace, please")}, []string{"miss"}},
		{"other text behind it", []func(*fakeTape){recorded(tides)}, Options{},
			[]Request{question("the tides for Ada Lovelace")}, []string{"miss"}},
		{"too short to have been redacted there", []func(*fakeTape){recorded("the tides for " + name("1"))}, Options{},
			[]Request{question("the tides for Ada")}, []string{"miss"}},
		{"too long to be a secret", []func(*fakeTape){recorded("tides " + strings.Repeat("and winds ", 40) + name("1"))}, Options{},
			[]Request{question("tides " + strings.Repeat("and winds ", 40) + strings.Repeat("and waves ", 30))}, []string{"miss"}},
		{"a whole message", []func(*fakeTape){recorded(name("1")), recorded(name("1") + " " + name("2"))}, Options{},
			[]Request{question(ada), question(ada + " " + grace)}, []string{"miss", "miss"}},
		{"a whole message that is recognised", []func(*fakeTape){recorded("use "+name("1"), "a", "b")}, Options{},
			[]Request{question("use sk-123")}, []string{"1 exact"}},
		{"most of a message", []func(*fakeTape){recorded("a " + name("1"))}, Options{}, []Request{question("a " + ada)}, []string{"miss"}},
		{"a poem in the place of a name", []func(*fakeTape){recorded("Write to " + name("1") + ".")}, Options{},
			[]Request{question("Write to me a poem about the sea.")}, []string{"miss"}},
		{"two that are most of a message", []func(*fakeTape){recorded("call " + name("1") + name("2"))}, Options{},
			[]Request{question("call " + ada + grace)}, []string{"miss"}},
		{"Chinese around it", []func(*fakeTape){recorded("请给" + name("1") + "打电话")}, Options{},
			[]Request{question("请给" + ada + "打电话")}, []string{"1 meaning filled"}},
		{"over the end of a string", []func(*fakeTape){recorded("the tides for " + name("1"))}, Options{},
			[]Request{question(`the tides for Ada"},{"role":"x`), question("the tides for Ada Lovelace\nof London")}, []string{"miss", "miss"}},
		{"twice the same", []func(*fakeTape){recorded("tides for " + name("1") + " and for " + name("1"))}, Options{},
			[]Request{question("tides for Ada Lovelace and for Grace Hopper"), question("tides for Ada Lovelace and for Ada Lovelace")},
			[]string{"miss", "1 meaning filled"}},
		{"two different", []func(*fakeTape){recorded("tides for " + name("1") + " and for " + name("2"))}, Options{},
			[]Request{question("tides for Ada Lovelace and for Ada Lovelace"), question("tides for Ada Lovelace and for Grace Hopper")},
			[]string{"miss", "1 meaning filled"}},
		{"the text that divides two is in one of them",
			[]func(*fakeTape){recorded("the plays: " + name("1") + " and " + name("2") + " and " + name("1"))}, Options{},
			[]Request{question("the plays: Punch and Judy and Grace Hopper and Punch and Judy")}, []string{"1 meaning filled"}},
		{"the same text in another request", []func(*fakeTape){recorded("Call " + name("1") + "."), recorded("Tell " + name("1") + ".")}, Options{},
			[]Request{question("Call Ada Lovelace."), question("Tell Grace Hopper.")}, []string{"1 meaning filled", "2 meaning filled"}},
		{"two people", []func(*fakeTape){recorded("tides for " + name("1")), recorded("tides for " + name("2"))}, Options{},
			[]Request{question("tides for Ada Lovelace"), question("tides for Grace Hopper")}, []string{"miss", "miss"}},
		{"what may be meant though it would not be filled in", []func(*fakeTape){recorded("call " + name("1")), recorded("call " + name("1") + ", now")}, Options{},
			[]Request{question("call Augusta Ada, now")}, []string{"miss"}},
		{"the same over two lines", []func(*fakeTape){recorded("the tides are: " + name("1")), recorded("the tides are: high\nand " + name("1"))}, Options{},
			[]Request{question("the tides are: high\nand Ada Lovelace")}, []string{"miss"}},
		{"the same with a part that is recognised",
			[]func(*fakeTape){recorded("the tides for " + name("1")), recorded("the tides for Ada with [redacted:key:1] or " + name("2"))}, Options{},
			[]Request{question("the tides for Ada with sk-1 or Grace Hopper"), question("the tides for Ada Lovelace")}, []string{"miss", "1 meaning filled"}},
		{"two people, and reuse", []func(*fakeTape){recorded("tides for " + name("1")), recorded("tides for " + name("2"))}, Options{Reuse: true},
			[]Request{question("tides for Ada Lovelace"), question("tides for Ada Lovelace")}, []string{"miss", "miss"}},
		{"one person twice", []func(*fakeTape){recorded("tides for " + name("1")), recorded("tides for " + name("1"))}, Options{},
			[]Request{question("tides for Ada Lovelace"), question("tides for Ada Lovelace"), question("tides for Ada Lovelace")},
			[]string{"1 meaning filled", "2 meaning filled", "miss"}},
		{"one person, other options",
			[]func(*fakeTape){
				post(chatPath, chat("m", tides, `,"temperature":1`), nil),
				post(chatPath, chat("m", tides, `,"temperature":2`), nil),
			}, Options{},
			[]Request{
				ask("POST", chatPath, chat("m", "the tides for Ada Lovelace, please", `,"temperature":2`)),
				ask("POST", chatPath, chat("m", "the tides for Ada Lovelace, please", `,"temperature":2`)),
				ask("POST", chatPath, chat("m", "the tides for Ada Lovelace, please", `,"temperature":3`)),
			}, []string{"2 meaning filled", "miss", "1 meaning filled"}},
		{"never before another rule", []func(*fakeTape){recorded("tides for " + name("1")), recorded("tides for Ada Lovelace")}, Options{},
			[]Request{question("tides for Ada Lovelace")}, []string{"2 exact"}},
		{"never in the place of what was used up", []func(*fakeTape){recorded("tides for " + name("1")), recorded("tides for Ada Lovelace")},
			Options{}, []Request{question("tides for Ada Lovelace"), question("tides for Ada Lovelace")}, []string{"2 exact", "miss"}},
		{"never takes what another rule finds", []func(*fakeTape){recorded("the tides for " + name("1") + " today")}, Options{},
			[]Request{question("the tides for Ada Lovelace today"), question("the tides for sk-1 today"), question("the tides for Ada Lovelace today")},
			[]string{"1 meaning filled", "1 exact again", "miss"}},
		{"by meaning", []func(*fakeTape){recorded(tides)}, Options{},
			[]Request{ask("POST", chatPath, chat("m", "the tides for Ada Lovelace, please", `,"temperature":1`))}, []string{"1 meaning filled"}},
		{"another model", []func(*fakeTape){recorded(tides)}, Options{},
			[]Request{ask("POST", chatPath, chat("n", "the tides for Ada Lovelace, please", ""))}, []string{"miss"}},
		{"another model that is allowed", []func(*fakeTape){recorded(tides)}, Options{AnyModel: true},
			[]Request{ask("POST", chatPath, chat("n", "the tides for Ada Lovelace, please", ""))}, []string{"1 any-model filled"}},
		{"the same model before another", []func(*fakeTape){recorded(tides), post(chatPath, chat("n", tides, ""), nil)}, Options{AnyModel: true},
			[]Request{
				ask("POST", chatPath, chat("n", "the tides for Ada Lovelace, please", "")),
				ask("POST", chatPath, chat("n", "the tides for Ada Lovelace, please", "")),
			}, []string{"2 meaning filled", "1 any-model filled"}},
		{"a stream where the mode counts", []func(*fakeTape){recorded(tides)}, Options{SameMode: true},
			[]Request{ask("POST", chatPath, chat("m", "the tides for Ada Lovelace, please", `,"stream":true`))}, []string{"miss"}},
		{"by label",
			[]func(*fakeTape){recorded("tides for "+name("1"), "sample", "x"), recorded("tides for "+name("2"), "sample", "y")}, Options{},
			[]Request{
				question("tides for Grace Hopper", "sample", "y"), question("tides for Ada Lovelace", "sample", "x"),
				question("tides for Ada Lovelace", "sample", "x"), question("tides for Ada Lovelace"),
			}, []string{"2 label filled", "1 label filled", "miss", "miss"}},
		{"labels that leave two",
			[]func(*fakeTape){recorded("tides for "+name("1"), "suite", "s", "sample", "x"), recorded("tides for "+name("2"), "suite", "s", "sample", "y")},
			Options{}, []Request{question("tides for Ada Lovelace", "suite", "s")}, []string{"miss"}},
		{"labels of nothing recorded", []func(*fakeTape){recorded("tides for " + name("1"))}, Options{},
			[]Request{question("tides for Ada Lovelace", "sample", "x")}, []string{"1 meaning filled"}},
		{"another sample's", []func(*fakeTape){recorded("tides for "+name("1"), "sample", "y")}, Options{},
			[]Request{question("tides for Ada Lovelace", "sample", "x")}, []string{"miss"}},
		{"again where that is allowed", []func(*fakeTape){recorded(tides)}, Options{Reuse: true},
			[]Request{question("the tides for Ada Lovelace, please"), question("the tides for Ada Lovelace, please")},
			[]string{"1 meaning filled", "1 meaning filled again"}},
		{"another kind of body",
			[]func(*fakeTape){func(f *fakeTape) { f.add("PUT", "/note", "sent from "+name("1")+"!", nil) }}, Options{},
			[]Request{ask("PUT", "/other", "sent from Ada Lovelace!"), ask("POST", "/note", "sent from Ada Lovelace!"), ask("PUT", "/note", "sent from Ada Lovelace!")},
			[]string{"miss", "miss", "1 exact filled"}},
		{"behind a long text", []func(*fakeTape){recorded(strings.Repeat("Sail close to the wind. ", 400) + tides)}, Options{},
			[]Request{
				question(strings.Repeat("Sail close to the wind! ", 400) + "the tides for Ada Lovelace, please"),
				question(strings.Repeat("Sail close to the wind. ", 400) + "the tides for " + mary + ", please"),
			}, []string{"miss", "1 meaning filled"}},
		{"more than are kept", []func(*fakeTape){recorded(strings.Repeat("the tides for "+name("1")+", ", maxPlaceholders+1))}, Options{},
			[]Request{question(strings.Repeat("the tides for Ada Lovelace, ", maxPlaceholders+1))}, []string{"miss"}},
		{"as many as are kept", []func(*fakeTape){recorded(strings.Repeat("the tides for "+name("1")+", ", maxPlaceholders))}, Options{},
			[]Request{question(strings.Repeat("the tides for Ada Lovelace, ", maxPlaceholders))}, []string{"1 meaning filled"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeTape()
			for _, add := range tt.tape {
				add(f)
			}
			tt.opts.Canonical = byForm
			if diff := cmp.Diff(tt.want, answers(t, f.index(t, tt.opts), tt.asks...)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			tt.opts.Canonical = nil
			for _, got := range answers(t, f.index(t, tt.opts), tt.asks...) {
				if strings.Contains(got, "filled") {
					t.Errorf("of a recording that was not redacted: %s", got)
				}
			}
		})
	}
}

// TestPlaceholderSessions: recordings that were redacted apart number their placeholders apart, so equal ones may be different texts.
func TestPlaceholderSessions(t *testing.T) {
	f := newFakeTape()
	f.add("POST", chatPath, chat("m", "tides for [redacted:json:1]", ""), nil)
	f.add("POST", chatPath, chat("m", "tides for [redacted:json:1]", ""), nil).Session = "s2"
	f.add("POST", chatPath, chat("m", "winds for [redacted:json:1]", ""), nil).Session = "s2"
	got := answers(t, f.index(t, Options{Canonical: byForm}),
		ask("POST", chatPath, chat("m", "tides for Ada Lovelace", "")), ask("POST", chatPath, chat("m", "winds for Grace Hopper", "")))
	if diff := cmp.Diff([]string{"miss", "3 meaning filled"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestPlaceholderMiss: a miss says that only a placeholder was in the way, or which recorded requests could be meant.
func TestPlaceholderMiss(t *testing.T) {
	f := newFakeTape()
	f.add("POST", chatPath, chat("m", "Write to [redacted:json:1] now.", ""), nil)
	for n := range 7 {
		f.add("POST", chatPath, chat("m", fmt.Sprintf("Sail with [redacted:json:%d] now.", n), ""), nil)
	}
	f.add("POST", chatPath, chat("m", hostile(), ""), nil)
	ix := f.index(t, Options{Canonical: byForm})
	if _, err := ix.Find(t.Context(), ask("POST", chatPath, chat("m", "Write to Ada Lovelace now.", ""))); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"Write to Ada now.":          {"only what exchange s1/1 has a placeholder for differs", "redact less"},
		"Write to Ada.":              {"no rule forgives this difference"},
		"Write to Grace Hopper now.": {"exchange s1/1, but that has answered already", "--reuse"},
		"Sail with Ada Lovelace now.": {"ambiguous: 7 recorded requests", "exchanges s1/2, s1/3, s1/4, s1/5, s1/6 and 2 more",
			"label the requests (X-Exodeck-Label", "redact less"},
		strings.Repeat("a", 1600): {"ambiguous: there are too many ways", "redact less"},
	} {
		_, err := ix.Find(t.Context(), ask("POST", chatPath, chat("m", text, "")))
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%.40s: %v, want %q", text, err, part)
			}
		}
	}
}

// TestPlaceholderReads: a body is read when the bodies of its family are, not again for each request that it might answer.
func TestPlaceholderReads(t *testing.T) {
	const n = 100
	f := redactedTape(n, redactedLetter)
	ix := f.index(t, Options{Canonical: byForm})
	for i := range n {
		got := answers(t, ix, ask("POST", chatPath, plainLetter(n-1-i)+" "))
		if want := []string{fmt.Sprintf("%d meaning filled", n-i)}; !cmp.Equal(want, got) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	if got := f.opened.Load(); got != n {
		t.Errorf("%d bodies were opened for %d hits, want %d", got, n, n)
	}
	answers(t, ix, ask("POST", chatPath, plainLetter(n)), ask("POST", chatPath, plainLetter(n+1)))
	if got, want := f.opened.Load(), int64(2*n+2); got != want { // once all for what is nearest, and for each miss the nearest
		t.Errorf("%d bodies were opened, want %d", got, want)
	}
}

// TestPlaceholderWhole: texts that are alike but for what stands far from both of their ends are told from each other.
func TestPlaceholderWhole(t *testing.T) {
	long := func(middle string) string {
		sail := strings.Repeat("Sail close to the wind. ", 20)
		return sail + "[redacted:json:1]" + sail + middle + sail + "[redacted:json:2]" + sail
	}
	f := redactedTape(2, func(i int) string { return chat("m", long([]string{"north", "south"}[i]), "") })
	ask := func(middle string) Request {
		text := strings.NewReplacer("[redacted:json:1]", "Ada Lovelace", "[redacted:json:2]", "Grace Hopper").Replace(long(middle))
		return ask("POST", chatPath, chat("m", text, ""))
	}
	got := answers(t, f.index(t, Options{Canonical: byForm}), ask("south"), ask("north"), ask("forth"))
	if diff := cmp.Diff([]string{"2 meaning filled", "1 meaning filled", "miss"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// hostile is a text with placeholders that a long run of one letter can fill in a great many ways.
func hostile() string {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "[redacted:json:%d]%s", i%9, strings.Repeat("a", 20))
	}
	return b.String()
}

// TestPlaceholderHostile: a request that could be cut in a great many ways is given up soon.
func TestPlaceholderHostile(t *testing.T) {
	f := newFakeTape()
	f.add("POST", chatPath, chat("m", hostile(), ""), nil)
	start := time.Now()
	got := answers(t, f.index(t, Options{Canonical: byForm}),
		ask("POST", chatPath, chat("m", strings.Repeat("a", 1600)+"b", "")), ask("POST", chatPath, chat("m", strings.Repeat("a", 1600), "")))
	if diff := cmp.Diff([]string{"miss", "miss"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestFiller: where there is a filling it is found, and what is found is one: equal texts for equal placeholders, different ones for
// different ones.
func TestFiller(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab ]{8,12}`), 3, 3, rapid.ID).Draw(t, "secrets")
		named, asked := "ab", "ab"
		for range rapid.IntRange(1, 4).Draw(t, "placeholders") {
			n := rapid.IntRange(0, len(secrets)-1).Draw(t, "secret")
			between := rapid.StringMatching(`[ab]{4,9}|b{70,90}`).Draw(t, "between")
			named += fmt.Sprintf("%s[redacted:k:%d]", between, n)
			asked += between + secrets[n]
		}
		text := asked
		if rapid.Bool().Draw(t, "another") {
			text = rapid.StringMatching(`ab[ab ]{0,60}`).Draw(t, "text")
		}
		template := newTemplate(placeholderForm.ReplaceAllString(named, redacted), named, false)
		f := newFiller(text)
		well, _ := f.fit(template)
		got := well == fits
		if f.gaveUp() {
			t.Skip("too many ways")
		}
		if want := fillsSlowly(named, text); got != want {
			t.Fatalf("%q becomes %q: %v, want %v", named, text, got, want)
		}
	})
}

// fillsSlowly is what [filler.fits] is to say of texts without quotes: every way to cut the text is tried.
func fillsSlowly(named, text string) bool {
	pieces := placeholderForm.Split(named, -1)
	names := placeholderForm.FindAllString(named, -1)
	room := filledShare * len(strings.Join(pieces, ""))
	var from func(i int, rest string, texts map[string]string, used int) bool
	from = func(i int, rest string, texts map[string]string, used int) bool {
		if i == len(names) {
			return rest == "" && used <= room
		}
		for end := minFilled; end <= min(len(rest), maxFilled); end++ {
			behind, ok := strings.CutPrefix(rest[end:], pieces[i+1])
			if !ok {
				continue
			}
			next := maps.Clone(texts)
			next[names[i]] = rest[:end]
			different := map[string]bool{}
			for _, s := range next {
				different[s] = true
			}
			known, bound := texts[names[i]]
			if len(different) == len(next) && (!bound || known == rest[:end]) && from(i+1, behind, next, used+end) {
				return true
			}
		}
		return false
	}
	rest, ok := strings.CutPrefix(text, pieces[0])
	return ok && from(0, rest, map[string]string{}, 0)
}
