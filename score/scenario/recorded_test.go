package scenario

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
)

// fakeTape is a tape of what Recorded asks of one.
type fakeTape struct {
	sessions []tape.Session
	groups   []tape.Group
	host     string
}

func (f fakeTape) Sessions(context.Context) ([]tape.Session, error) { return f.sessions, nil }

func (f fakeTape) Summary(context.Context, tape.Query) (*tape.Summary, error) {
	return &tape.Summary{Groups: f.groups}, nil
}

func (f fakeTape) Exchanges(context.Context, tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		yield(&tape.Exchange{Request: tape.Request{Host: f.host}}, nil)
	}
}

func group(api tape.API, model string) tape.Group {
	return tape.Group{Kind: tape.Kind{Facts: tape.Facts{API: api, Model: model}}}
}

func TestRecorded(t *testing.T) {
	first := Settings{BaseURL: "http://a:1", Model: "m1", APIs: []tape.API{tape.Claude}, Repeat: 2, Stream: StreamBoth, Scenarios: []string{"x, then y", `"z"`, "7"}}
	second := Settings{BaseURL: "http://b:2", Model: "m2", APIs: AllAPIs, Repeat: 1, Stream: StreamOff}
	own := fakeTape{sessions: []tape.Session{
		{Name: "s1", Labels: first.Labels()},
		{Name: "s2", Labels: second.Labels()},
		{Name: "s3", Labels: map[string]string{"who": "somebody"}},
	}}
	foreign := fakeTape{
		sessions: []tape.Session{{Name: "s1"}},
		groups:   []tape.Group{group(tape.Control, ""), group(tape.Ollama, "m"), group(tape.OllamaGenerate, "m"), group(tape.OpenAI, "m")},
		host:     "localhost:52416",
	}
	seen := Settings{BaseURL: "http://localhost:52416", Model: "m", APIs: []tape.API{tape.OpenAI, tape.Ollama}, Repeat: 1, Stream: StreamOff}
	old := first
	old.Scenarios = []string{"x", "y"}
	commas := first.Labels()
	commas["scenarios"] = "x,y"
	two := foreign
	two.groups = slices.Concat(two.groups, []tape.Group{group(tape.Claude, "n")})
	for _, tt := range []struct {
		name           string
		tape           fakeTape
		session, model string
		wantSession    string
		want           Settings
	}{
		{"the latest run of the suite", own, "", "", "s2", second},
		{"the latest run of a model", own, "", "m1", "s1", first},
		{"a session by name", own, "s1", "", "s1", first},
		{"a session that has commas between names", fakeTape{sessions: []tape.Session{{Name: "s1", Labels: commas}}}, "", "", "s1", old},
		{"another client", foreign, "", "", "", seen},
		{"another client, one of its models", two, "", "n", "", Settings{BaseURL: "http://localhost:52416", Model: "n", APIs: []tape.API{tape.Claude}, Repeat: 1, Stream: StreamOff}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			session, got, err := Recorded(t.Context(), tt.tape, tt.session, tt.model)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || session != tt.wantSession {
				t.Errorf("session %q, settings (-want +got):\n%s", session, diff)
			}
		})
	}
	t.Run("several models", func(t *testing.T) {
		_, _, err := Recorded(t.Context(), two, "", "")
		if open, ok := errors.AsType[*score.AmbiguousError](err); !ok || !slices.Equal(open.Choices, []string{"m", "n"}) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no model calls", func(t *testing.T) {
		if _, _, err := Recorded(t.Context(), fakeTape{}, "", ""); !errors.Is(err, ErrNothingRecorded) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no such session", func(t *testing.T) {
		if _, _, err := Recorded(t.Context(), own, "s9", ""); !errors.Is(err, ErrNothingRecorded) {
			t.Errorf("got %v", err)
		}
	})
}
