package recorded_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/exodeck/exodeck/fixtures/standin"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/recorded"
)

// A model's answers to one category are recorded, then found on the tape. Nobody is asked the second time.
func Example() {
	folder, err := os.MkdirTemp("", "exodeck-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	if err := recordAndPlay(context.Background(), filepath.Join(folder, "a.tape")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// special_irrelevant_0: ok, "I cannot do that."
	// special_irrelevant_1: ok, "I cannot do that."
	// special_irrelevant_2: ok, "I cannot do that."
}

func recordAndPlay(ctx context.Context, path string) error {
	set, err := dataset.Mini().Load(dataset.English, dataset.Irrelevant)
	if err != nil {
		return err
	}
	materials, err := ask.LoadMaterials(dataset.Mini(), dataset.English, false)
	if err != nil {
		return err
	}
	if err := recordAnswers(ctx, path, set, materials); err != nil {
		return err
	}

	t, err := tape.Open(ctx, path)
	if err != nil {
		return err
	}
	defer t.Close()
	found, err := recorded.Find(ctx, t, recorded.Choice{})
	if err != nil {
		return err
	}
	game := recorded.Game{Tape: t, Found: found, Samples: set.Samples, Materials: materials}
	played, err := game.Play(ctx)
	if err != nil {
		return err
	}
	for _, o := range played.Outcomes {
		fmt.Printf("%s: %s, %q\n", o.Answer.ID, o.Answer.Status, o.Answer.Text)
	}
	return nil
}

func recordAnswers(ctx context.Context, path string, set *dataset.Set, materials *ask.Materials) error {
	server := standin.New(standin.Options{Script: standin.Always(standin.Say("I cannot do that."))})
	if err := server.Start(ctx); err != nil {
		return err
	}
	defer server.Close()
	settings := recorded.Settings{
		Language: dataset.English,
		Repeat:   1,
		Agent:    ask.Endpoint{BaseURL: server.URL(), API: tape.Ollama, Model: standin.DefaultModel},
	}
	recorder, err := tape.OpenRecorder(ctx, path, tape.RecorderOptions{})
	if err != nil {
		return err
	}
	session, err := recorder.StartSession(ctx, tape.Session{Upstream: server.URL(), Labels: settings.Labels()})
	if err != nil {
		recorder.Close()
		return err
	}
	suite := settings.Suite(set.Samples, materials)
	suite.Client = &record.Transport{Base: http.DefaultTransport, Session: session}
	if _, err := suite.Run(ctx, nil); err != nil {
		recorder.Close()
		return err
	}
	return recorder.Close()
}
