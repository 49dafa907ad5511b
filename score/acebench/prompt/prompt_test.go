package prompt_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/prompt"
)

func builder(t *testing.T, d *dataset.Dataset, l dataset.Language) *prompt.Builder {
	t.Helper()
	templates, err := d.Templates()
	if err != nil {
		t.Fatal(err)
	}
	b, err := prompt.New(templates, l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func samples(t *testing.T, d *dataset.Dataset, l dataset.Language) *dataset.Set {
	t.Helper()
	set, err := d.Load(l)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestPromptVectors(t *testing.T) {
	type row struct {
		Language dataset.Language `json:"language"`
		ID       string           `json:"id"`
		System   string           `json:"system_sha256"`
		User     string           `json:"user_sha256"`
	}
	d, err := dataset.Open(shared.Dir(t, "data", "acebench"))
	if err != nil {
		t.Fatal(err)
	}
	sets := map[dataset.Language]*dataset.Set{}
	builders := map[dataset.Language]*prompt.Builder{}
	for _, l := range dataset.Languages() {
		sets[l], builders[l] = samples(t, d, l), builder(t, d, l)
	}
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	}
	n := 0
	shared.Lines(t, "golden/acebench/prompts.jsonl", func(_ int, r row) {
		n++
		system, user := builders[r.Language].Build(sets[r.Language].Sample(r.ID))
		if hash(system) != r.System || hash(user) != r.User {
			t.Errorf("%s %s: the prompts have other hashes than evalscope's", r.Language, r.ID)
		}
	})
	if n != 1940 {
		t.Errorf("%d prompts, want 1940", n)
	}
}

func TestRealSamplesWithTheSamePrompt(t *testing.T) {
	d, err := dataset.Open(shared.Dir(t, "data", "acebench"))
	if err != nil {
		t.Fatal(err)
	}
	for l, want := range map[dataset.Language]int{dataset.English: 4, dataset.Chinese: 3} {
		b, set := builder(t, d, l), samples(t, d, l)
		x := prompt.NewIndex(b, set.Samples)
		pairs := 0
		for _, s := range set.Samples {
			if s.Category.Family() == dataset.Agent {
				continue
			}
			switch found := x.Find(b.Build(s)); len(found) {
			case 1:
			case 2:
				pairs++
			default:
				t.Errorf("%s: %d samples have its prompt", s.ID, len(found))
			}
		}
		if pairs != 2*want {
			t.Errorf("%s: %d samples share their prompt, want %d", l, pairs, 2*want)
		}
	}
}

func TestBuildPutsTheSampleIntoItsTemplate(t *testing.T) {
	d := dataset.Mini()
	b, set := builder(t, d, dataset.English), samples(t, d, dataset.English)
	for _, tt := range []struct{ id, system, user string }{
		{"normal_single_turn_single_function_0", "The current time is May 04, 2024, Saturday.", "The conversation so far:\nuser: When is high tide at Vela tomorrow?\n"},
		{"normal_preference_0", "'home_port': 'Vela'", "The conversation so far:\nuser: When is high tide where I live?\n"},
		{"special_incomplete_0", "Missing necessary parameters (key1, key2) for the api (Name)", "The conversation so far:\nuser: Reserve a berth for Tern.\n"},
	} {
		system, user := b.Build(set.Sample(tt.id))
		if !strings.Contains(system, tt.system) || !strings.Contains(system, "[{'name': '") || strings.Contains(system, "{function}") {
			t.Errorf("%s: system message\n%s", tt.id, system)
		}
		if user != tt.user {
			t.Errorf("%s: user message %q, want %q", tt.id, user, tt.user)
		}
	}
}

func TestFindToleratesKnownVariants(t *testing.T) {
	d := dataset.Mini()
	for _, l := range dataset.Languages() {
		b, set := builder(t, d, l), samples(t, d, l)
		x := prompt.NewIndex(b, set.Samples)
		for _, s := range set.Samples {
			if s.Category.Family() == dataset.Agent {
				continue
			}
			system, user := b.Build(s)
			for name, messages := range map[string][2]string{
				"as built":            {system, user},
				"blanks at line ends": {strings.ReplaceAll(system, "\n", "  \n"), user},
				"CRLF":                {strings.ReplaceAll(system, "\n", "\r\n"), strings.ReplaceAll(user, "\n", "\r\n")},
				"trimmed":             {strings.TrimSpace(system), strings.TrimSpace(user)},
				"one message":         {"", system + "\n\n" + user},
			} {
				found := x.Find(messages[0], messages[1])
				if len(found) != 1 || found[0] != s {
					t.Errorf("%s %s: found %d samples", s.ID, name, len(found))
				}
			}
			if found := x.Find(system, user+"And something else."); len(found) != 0 {
				t.Errorf("%s: another question is taken for it", s.ID)
			}
		}
	}
}

func TestNewSaysWhatIsWrongWithATemplate(t *testing.T) {
	good, err := dataset.Mini().Templates()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"unknown field", "{time} {functions}", `prompt template USER_PROMPT_EN: the field {time} at byte 0 is not one of question`},
		{"open brace", "see {question", "prompt template USER_PROMPT_EN: a { without its } at byte 4; write it twice where it is meant as text"},
		{"closing brace", "see }", "prompt template USER_PROMPT_EN: a } without its { at byte 4; write it twice where it is meant as text"},
		{"missing", "", "the data set has no prompt template USER_PROMPT_EN"},
	} {
		templates := dataset.Templates{}
		for name, text := range good {
			templates[name] = text
		}
		templates["USER_PROMPT_EN"] = tt.text
		if tt.text == "" {
			delete(templates, "USER_PROMPT_EN")
		}
		_, err := prompt.New(templates, dataset.English)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestBracesOfATemplate(t *testing.T) {
	templates, err := dataset.Mini().Templates()
	if err != nil {
		t.Fatal(err)
	}
	templates["USER_PROMPT_EN"] = "{{as JSON}} {question}"
	b, err := prompt.New(templates, dataset.English)
	if err != nil {
		t.Fatal(err)
	}
	_, user := b.Build(&dataset.Sample{Question: "what {time} is it?", Function: samples(t, dataset.Mini(), dataset.English).Samples[0].Function})
	if diff := cmp.Diff("{as JSON} what {time} is it?", user); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
