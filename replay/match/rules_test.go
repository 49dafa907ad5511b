package match

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/google/go-cmp/cmp"
)

const (
	chatPath   = "/v1/chat/completions"
	claudePath = "/v1/messages"
)

// chat is a Chat Completions body; extra is JSON of further members, with a comma in front.
func chat(model, text, extra string) string {
	return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}]%s}`, model, text, extra)
}

func ended(e tape.Ended) func(*tape.Exchange) { return func(x *tape.Exchange) { x.Ended = e } }

func both(changes ...func(*tape.Exchange)) func(*tape.Exchange) {
	return func(x *tape.Exchange) {
		for _, change := range changes {
			change(x)
		}
	}
}

func post(path, body string, change func(*tape.Exchange)) func(*fakeTape) {
	return func(f *fakeTape) { f.add("POST", path, body, change) }
}

func get(path string, change func(*tape.Exchange)) func(*fakeTape) {
	return func(f *fakeTape) { f.add("GET", path, "", change) }
}

// answers asks one request after the other and writes what came: "2 exact", "2 exact again" or "miss".
func answers(t *testing.T, ix *Index, requests ...Request) []string {
	t.Helper()
	var got []string
	for _, r := range requests {
		hit, err := ix.Find(t.Context(), r)
		var miss *Miss
		switch {
		case errors.As(err, &miss):
			got = append(got, "miss")
		case err != nil:
			t.Fatal(err)
		default:
			by := fmt.Sprintf("%d %s", hit.Exchange.Seq, hit.Rule)
			if hit.Filled {
				by += " filled"
			}
			if hit.Again {
				by += " again"
			}
			got = append(got, by)
		}
	}
	return got
}

// checkAnswers asks requests of a tape that these functions make.
func checkAnswers(t *testing.T, tape []func(*fakeTape), opts Options, asks []Request, want []string) {
	t.Helper()
	f := newFakeTape()
	for _, add := range tape {
		add(f)
	}
	if diff := cmp.Diff(want, answers(t, f.index(t, opts), asks...)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	tide := chat("m", "tide", "")
	asked := ask("POST", chatPath, tide)
	state := ask("GET", "/state/instances/i", "")
	tests := []struct {
		name string
		tape []func(*fakeTape)
		opts Options
		ask  []Request
		want []string
	}{
		{"same bytes", []func(*fakeTape){post(chatPath, tide, nil)}, Options{}, []Request{asked}, []string{"1 exact"}},
		{"canonical JSON: order of keys, blanks, escapes",
			[]func(*fakeTape){post(chatPath, `{ "messages": [{"content":"t\u0069de","role":"user"}], "model":"m" }`, nil)},
			Options{}, []Request{asked}, []string{"1 exact"}},
		{"same bytes before canonical JSON",
			[]func(*fakeTape){post(chatPath, tide+" ", nil), post(chatPath, tide, nil)},
			Options{}, []Request{asked, asked, asked}, []string{"2 exact", "1 exact", "miss"}},
		{"long integers do not collide",
			[]func(*fakeTape){post("/download/cancel", `{"n":123456789012345678901234567890}`, nil)},
			Options{}, []Request{ask("POST", "/download/cancel", `{"n":123456789012345678901234567891}`)}, []string{"miss"}},
		{"number literals stay as written",
			[]func(*fakeTape){post("/download/cancel", `{"n":1.0}`, nil)},
			Options{}, []Request{ask("POST", "/download/cancel", `{"n":1}`), ask("POST", "/download/cancel", `{"n": 1.0}`)}, []string{"miss", "1 exact"}},
		{"body that is not JSON",
			[]func(*fakeTape){post("/other", "a b", nil)},
			Options{}, []Request{ask("POST", "/other", "a  b"), ask("POST", "/other", "a b")}, []string{"miss", "1 exact"}},
		{"path and query count",
			[]func(*fakeTape){get("/instance/previews?model_id=a%2Fb", nil)},
			Options{}, []Request{
				ask("GET", "/instance/previews?model_id=a%2Fc", ""),
				ask("GET", "/instance/previews", ""),
				ask("GET", "http://localhost:52415/instance/previews?model_id=a/b", ""),
			}, []string{"miss", "miss", "1 exact"}},
		{"an encoded slash is no slash",
			[]func(*fakeTape){get("/download/a%2Fb", nil)}, Options{}, []Request{ask("GET", "/download/a/b", "")}, []string{"miss"}},
		{"values of credentials do not count",
			[]func(*fakeTape){get("/models?api_key=%5Bfingerprint%3A00%5D&q=1", nil)},
			Options{}, []Request{ask("GET", "/models?api_key=s3cret&q=1", "")}, []string{"1 exact"}},
		{"method counts",
			[]func(*fakeTape){get("/instance/i", nil)}, Options{}, []Request{ask("DELETE", "/instance/i", "")}, []string{"miss"}},

		{"recorded order, each once",
			[]func(*fakeTape){post(chatPath, tide, nil), post(chatPath, tide, nil), post(chatPath, tide, nil)},
			Options{}, []Request{asked, asked, asked, asked}, []string{"1 exact", "2 exact", "3 exact", "miss"}},
		{"reuse repeats the last",
			[]func(*fakeTape){post(chatPath, tide, nil), post(chatPath, tide, nil)},
			Options{Reuse: true}, []Request{asked, asked, asked}, []string{"1 exact", "2 exact", "2 exact again"}},
		{"a poll repeats the last",
			[]func(*fakeTape){get("/state/instances/i", nil), get("/state/instances/i", nil)},
			Options{}, []Request{state, state, state, state}, []string{"1 exact", "2 exact", "2 exact again", "2 exact again"}},
		{"a GET of another endpoint is no poll",
			[]func(*fakeTape){get("/elsewhere", nil)},
			Options{}, []Request{ask("GET", "/elsewhere", ""), ask("GET", "/elsewhere", "")}, []string{"1 exact", "miss"}},
		{"a DELETE is no poll",
			[]func(*fakeTape){func(f *fakeTape) { f.add("DELETE", "/instance/i", "", nil) }},
			Options{}, []Request{ask("DELETE", "/instance/i", ""), ask("DELETE", "/instance/i", "")}, []string{"1 exact", "miss"}},

		{"a model call that was tried again: the complete one first",
			[]func(*fakeTape){post(chatPath, tide, ended(tape.UpstreamError)), post(chatPath, tide, ended(tape.ClientGone)), post(chatPath, tide, nil)},
			Options{}, []Request{asked, asked, asked, asked}, []string{"3 exact", "1 exact", "2 exact", "miss"}},
		{"a failure alone is the answer",
			[]func(*fakeTape){post(chatPath, tide, ended(tape.UpstreamTruncated))}, Options{}, []Request{asked}, []string{"1 exact"}},
		{"reuse repeats the last complete one",
			[]func(*fakeTape){post(chatPath, tide, nil), post(chatPath, tide, ended(tape.Interrupted))},
			Options{Reuse: true}, []Request{asked, asked, asked}, []string{"1 exact", "2 exact", "1 exact again"}},
		{"polls keep recorded order, failures included",
			[]func(*fakeTape){get("/state/instances/i", nil), get("/state/instances/i", ended(tape.UpstreamError)), get("/state/instances/i", nil)},
			Options{}, []Request{state, state, state, state}, []string{"1 exact", "2 exact", "3 exact", "3 exact again"}},

		{"labels",
			[]func(*fakeTape){post(chatPath, tide, labels("sample", "a", "repeat", "1")), post(chatPath, tide, labels("sample", "a", "repeat", "2"))},
			Options{}, []Request{
				ask("POST", chatPath, tide, "repeat", "2", "sample", "a"),
				ask("POST", chatPath, tide, "sample", "a", "repeat", "1"),
			}, []string{"2 label", "1 label"}},
		{"the tape may have more labels",
			[]func(*fakeTape){post(chatPath, tide, labels("sample", "a", "machine", "studio"))},
			Options{}, []Request{ask("POST", chatPath, tide, "sample", "a")}, []string{"1 label"}},
		{"same labels, canonical body",
			[]func(*fakeTape){post(chatPath, tide, nil), post(chatPath, tide+"\n", labels("sample", "a"))},
			Options{}, []Request{ask("POST", chatPath, tide, "sample", "a")}, []string{"2 label"}},
		{"same labels, another body",
			[]func(*fakeTape){post(chatPath, chat("m", "wind", ""), labels("sample", "a"))},
			Options{}, []Request{ask("POST", chatPath, tide, "sample", "a")}, []string{"miss"}},
		{"labels asked of a tape without",
			[]func(*fakeTape){post(chatPath, tide, nil), post(chatPath, tide, nil)},
			Options{}, []Request{ask("POST", chatPath, tide, "sample", "a"), ask("POST", chatPath, tide, "sample", "b")}, []string{"1 exact", "2 exact"}},
		{"labels asked of a session labelled by hand",
			[]func(*fakeTape){post(chatPath, tide, labels("machine", "studio"))},
			Options{}, []Request{ask("POST", chatPath, tide, "sample", "a")}, []string{"1 exact"}},
		{"another repeat's exchange is not taken",
			[]func(*fakeTape){post(chatPath, tide, labels("sample", "a", "repeat", "1"))},
			Options{}, []Request{
				ask("POST", chatPath, tide, "sample", "a", "repeat", "2"),
				ask("POST", chatPath, tide, "sample", "a", "repeat", "1"),
				ask("POST", chatPath, tide, "sample", "a", "repeat", "1"),
			}, []string{"miss", "1 label", "miss"}},
		{"with reuse it is shared, not used up",
			[]func(*fakeTape){post(chatPath, tide, labels("repeat", "1")), post(chatPath, tide, labels("repeat", "3"))},
			Options{Reuse: true}, []Request{
				ask("POST", chatPath, tide, "repeat", "2"),
				ask("POST", chatPath, tide, "repeat", "1"),
				ask("POST", chatPath, tide, "repeat", "1"),
			}, []string{"1 exact", "1 label again", "1 label again"}},
		{"without labels: exchanges without go first",
			[]func(*fakeTape){post(chatPath, tide, labels("sample", "a")), post(chatPath, tide, nil)},
			Options{}, []Request{asked, ask("POST", chatPath, tide, "sample", "a"), asked}, []string{"2 exact", "1 label", "miss"}},
		{"without labels: labelled exchanges answer too",
			[]func(*fakeTape){post(chatPath, tide, labels("sample", "a")), post(chatPath, tide, labels("sample", "b"))},
			Options{}, []Request{asked, asked, asked}, []string{"1 exact", "2 exact", "miss"}},
		{"several of the same labels: the complete one first",
			[]func(*fakeTape){
				post(chatPath, tide, both(labels("sample", "a"), ended(tape.ClientGone))),
				post(chatPath, tide, labels("sample", "a")),
			},
			Options{}, []Request{ask("POST", chatPath, tide, "sample", "a")}, []string{"2 label"}},
		{"labelled polls",
			[]func(*fakeTape){get("/state/instances/i", labels("suite", "exo")), get("/state/instances/i", nil)},
			Options{}, []Request{
				ask("GET", "/state/instances/i", "", "suite", "exo"),
				ask("GET", "/state/instances/i", "", "suite", "exo"),
			}, []string{"1 label", "1 label again"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkAnswers(t, tt.tape, tt.opts, tt.ask, tt.want)
		})
	}
}

func TestFindReadsNoBodyForEqualBytes(t *testing.T) {
	f := newFakeTape()
	for i := range 20 {
		f.add("POST", chatPath, chat("m", fmt.Sprint(i), ""), labels("sample", fmt.Sprint(i)))
	}
	ix := f.index(t, Options{})
	for i := range 20 {
		got := answers(t, ix, ask("POST", chatPath, chat("m", fmt.Sprint(i), ""), "sample", fmt.Sprint(i)))
		if want := fmt.Sprintf("%d label", i+1); got[0] != want {
			t.Errorf("sample %d: %s, want %s", i, got[0], want)
		}
	}
	if n := f.opened.Load(); n != 0 {
		t.Errorf("%d bodies were read, want none", n)
	}
}

func TestFindReadsEachBodyOnce(t *testing.T) {
	f := newFakeTape()
	for range 20 {
		f.add("POST", chatPath, chat("m", "tide", ""), nil)
	}
	ix := f.index(t, Options{})
	for range 20 {
		if got := answers(t, ix, ask("POST", chatPath, chat("m", "tide", "")+" ")); got[0] == "miss" {
			t.Fatal("miss")
		}
	}
	if n := f.opened.Load(); n != 1 {
		t.Errorf("bodies were read %d times, want once: all are equal", n)
	}
}

func TestFindHoldsNoPieces(t *testing.T) {
	f := newFakeTape()
	x := f.add("GET", "/models", "", nil)
	hit, err := f.index(t, Options{}).Find(t.Context(), ask("GET", "/models", ""))
	if err != nil {
		t.Fatal(err)
	}
	if hit.Exchange.Pieces != nil || len(x.Pieces) == 0 {
		t.Errorf("pieces: %d in the hit, %d in the source's own exchange", len(hit.Exchange.Pieces), len(x.Pieces))
	}
}

func TestQuery(t *testing.T) {
	f := newFakeTape()
	f.add("GET", "/models", "", nil)
	f.add("GET", "/models", "", func(x *tape.Exchange) { x.Session = "s2" })
	ix := f.index(t, Options{Query: tape.Query{Session: "s2"}})
	if got := answers(t, ix, ask("GET", "/models", "")); got[0] != "2 exact" || ix.Len() != 1 {
		t.Errorf("got %s of %d exchanges, want the one of session s2", got[0], ix.Len())
	}
}

func TestSourceFails(t *testing.T) {
	broken := errors.New("disk gone")
	f := newFakeTape()
	f.add("POST", chatPath, chat("m", "tide", ""), nil)
	ix := f.index(t, Options{})
	f.err = broken
	_, err := ix.Find(t.Context(), ask("POST", chatPath, chat("m", "wind", "")))
	var miss *Miss
	if !errors.Is(err, broken) || errors.As(err, &miss) {
		t.Fatalf("error %v, want the source's and no miss", err)
	}
	if !strings.Contains(err.Error(), "exchange s1/1") {
		t.Errorf("error %q does not say which exchange", err)
	}
	f.err = nil
	if got := answers(t, ix, ask("POST", chatPath, chat("m", "tide", "")+" ")); got[0] != "1 exact" {
		t.Errorf("after the source is well again: %s, want 1 exact", got[0])
	}
}

// Whatever the order and the concurrency of asking, a labelled request gets the exchange of its labels.
func TestLabelsMakeOrderAndConcurrencyIrrelevant(t *testing.T) {
	const samples, repeats = 13, 8
	f := newFakeTape()
	want := map[string]int64{}
	var requests []Request
	order := rand.New(rand.NewPCG(1, 2)).Perm(samples * repeats)
	for _, n := range order {
		// Two samples share each body, all repeats do.
		sample, repeat := fmt.Sprint(n%samples), fmt.Sprint(n/samples)
		body := chat("m", fmt.Sprint(n%samples/2), "")
		x := f.add("POST", chatPath, body, labels("sample", sample, "repeat", repeat))
		want["sample="+sample+"/repeat="+repeat] = x.Seq
	}
	for repeat := range repeats {
		for sample := range samples {
			requests = append(requests, ask("POST", chatPath, chat("m", fmt.Sprint(sample/2), ""), "sample", fmt.Sprint(sample), "repeat", fmt.Sprint(repeat)))
		}
	}
	for round := range 5 {
		ix := f.index(t, Options{})
		got := map[string]int64{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for worker := range 16 {
			wg.Go(func() {
				for i := worker; i < len(requests); i += 16 {
					hit, err := ix.Find(t.Context(), requests[i])
					if err != nil {
						t.Errorf("request %d: %v", i, err)
						return
					}
					mu.Lock()
					got[strings.Join(requests[i].Header[record.LabelHeader], "/")] = hit.Exchange.Seq
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("round %d (-want +got)\n%s", round, diff)
		}
		if r := ix.Report(); r.Answered(Label) != samples*repeats || len(r.Unused) != 0 {
			t.Fatalf("round %d: %s", round, r)
		}
	}
}

// Without labels a sequential run over the same tape is answered the same way each time.
func TestUnlabelledSequenceIsDeterministic(t *testing.T) {
	f := newFakeTape()
	for i := range 60 {
		f.add("POST", chatPath, chat("m", fmt.Sprint(i%7), ""), nil)
	}
	var requests []Request
	for i := range 60 {
		requests = append(requests, ask("POST", chatPath, chat("m", fmt.Sprint(i%6), ""), "sample", fmt.Sprint(i)))
	}
	first := answers(t, f.index(t, Options{}), requests...)
	for range 3 {
		if diff := cmp.Diff(first, answers(t, f.index(t, Options{}), requests...)); diff != "" {
			t.Fatalf("(-first +now)\n%s", diff)
		}
	}
}

func TestReport(t *testing.T) {
	f := newFakeTape()
	f.add("GET", "/models", "", nil)
	f.add("POST", chatPath, chat("m", "tide", ""), labels("sample", "a"))
	f.add("POST", chatPath, chat("m", "wind", ""), nil)
	f.add("POST", chatPath, chat("m", "moon", ""), nil)
	ix := f.index(t, Options{})
	answers(t, ix,
		ask("GET", "/models", ""), ask("GET", "/models", ""),
		ask("POST", chatPath, chat("m", "tide", ""), "sample", "a"),
		ask("POST", chatPath, chat("m", "wind", "")),
		ask("POST", chatPath, chat("m", "snow", "")),
	)
	r := ix.Report()
	if got, want := r.String(), "4 answered (1 label, 3 exact), 1 missed, 1 recorded exchange unused"; got != want {
		t.Errorf("report %q, want %q", got, want)
	}
	if len(r.Unused) != 1 || r.Unused[0].Seq != 4 {
		t.Errorf("unused: %v, want exchange 4", r.Unused)
	}
	if len(r.Missed) != 1 || r.Missed[0].API != tape.OpenAI {
		t.Errorf("missed: %v, want the question about snow", r.Missed)
	}
	if len(r.Used) != 3 || r.Used[0].Times != 2 {
		t.Errorf("used: %+v, want the list of models twice", r.Used)
	}
}
