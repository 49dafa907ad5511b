// Package offline scores the answers to ACEBench that a recording holds, without any model: it finds out what was asked, plays that again
// from the recording alone, and puts the outcome on a sheet. Result files of other runners it scores as well.
//
// It joins the packages that do the parts: recorded finds and plays, acebench judges, fault says whose fault it is, sheet counts.
package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/recorded"
	"github.com/exodeck/exodeck/score/acebench/rules"
	"github.com/exodeck/exodeck/score/acebench/sheet"
	"github.com/exodeck/exodeck/score/fault"
)

// Scoring says what of a recording is scored, and how. The zero value scores the latest run of exodeck's own, or else what another client
// recorded, by the rules of evalscope.
type Scoring struct {
	Choice recorded.Choice
	// Categories are those to score; none means those that were asked, or all where the recording does not say.
	Categories []dataset.Category
	// MaxSteps is the budget of another client's rollouts; 0 is that of package recorded. A run of exodeck keeps its own.
	MaxSteps  int
	OnDiverge recorded.OnDivergence
	// Sheet says how the outcome is counted. Its Digest and Faults are filled in.
	Sheet sheet.Options
	// Tell, when it is not nil, is called with what to know beside the sheet, a line without its end.
	Tell func(line string)
}

// Score plays a recording and scores what it holds. The error is [recorded.ErrNothingRecorded] or a [*score.AmbiguousError] where the
// recording lacks answers, and [dataset.Problems] where the data set cannot be read whole.
func (s Scoring) Score(ctx context.Context, t cassette.Source, d *dataset.Dataset) (*sheet.Sheet, error) {
	if len(s.Sheet.Rules) == 0 {
		s.Sheet.Rules = []rules.Rules{rules.Evalscope}
	}
	found, err := recorded.Find(ctx, t, s.Choice)
	if err != nil {
		return nil, err
	}
	set, err := s.load(ctx, t, d, found)
	if err != nil {
		return nil, err
	}
	materials, err := ask.MaterialsFor(d, set)
	if err != nil {
		return nil, err
	}
	scorers := make([]*acebench.Scorer, len(s.Sheet.Rules))
	for i, r := range s.Sheet.Rules {
		scorers[i] = acebench.NewScorer(set, r)
	}
	matching, err := cassette.Matching(ctx, t, match.Default())
	if err != nil {
		return nil, err
	}
	game := &recorded.Game{
		Tape:      t,
		Found:     found,
		Samples:   set.Samples,
		Materials: materials,
		OnDiverge: s.OnDiverge,
		Model:     s.Choice.Model,
		MaxSteps:  s.MaxSteps,
		Match:     matching,
		Same:      func(i int, x, y *acebench.Answer) bool { return sheet.Same(scorers, i, x, y) },
	}
	played, err := game.Play(ctx)
	if errors.Is(err, recorded.ErrNothingRecorded) && s.Choice.Language != "" {
		return nil, s.elsewhere(ctx, t, d, found, err)
	}
	if err != nil {
		return nil, err
	}
	o := s.Sheet
	o.Digest = func(outcomes []ask.Outcome) (string, error) { return sheet.RecordingDigest(ctx, t, outcomes) }
	o.Faults = func(failed []ask.Outcome) ([]*score.Fault, error) {
		samples := make([]fault.Sample, len(failed))
		for i := range failed {
			samples[i] = fault.Sample{Exchanges: failed[i].Exchanges, Played: failed[i].Played, Without: withoutMarkup(scorers, &failed[i])}
			if failed[i].Rollout != nil {
				samples[i].Takes = taken
			}
		}
		return fault.Find(ctx, t, samples)
	}
	result, err := sheet.New(set, played.Outcomes, o)
	if err != nil {
		return nil, err
	}
	result.Remarks = played.Remarks
	return result, nil
}

// load reads the samples that a recording can be scored for.
func (s *Scoring) load(ctx context.Context, t cassette.Source, d *dataset.Dataset, found *recorded.Found) (*dataset.Set, error) {
	run, language, categories := found.Settings, s.Choice.Language, s.Categories
	switch {
	case run != nil:
		language = run.Language
		if len(categories) == 0 {
			categories = run.Categories
		}
	case language == "":
		var err error
		if language, err = s.spoken(ctx, t, d, found); err != nil {
			return nil, err
		}
		s.tell("language: %s, by the recorded prompts", language)
	}
	set, err := d.Load(language, categories...)
	if err != nil {
		return nil, err
	}
	if run != nil {
		set.Samples = run.Select(set.Samples)
		if len(s.Categories) == 0 && run.Data != set.Digest {
			s.tell("the data differ from those that were asked (%s, now %s): the answers may not be found", run.Data, set.Digest)
		}
	}
	return set, nil
}

func (s *Scoring) tell(format string, args ...any) {
	if s.Tell != nil {
		s.Tell(fmt.Sprintf(format, args...))
	}
}

// spoken tells by the prompts which language a recording of another client is in.
func (s *Scoring) spoken(ctx context.Context, t cassette.Source, d *dataset.Dataset, found *recorded.Found) (dataset.Language, error) {
	counts, err := s.questions(ctx, t, d, found, d.Languages())
	if err != nil {
		return "", err
	}
	var spoken []string
	for _, l := range dataset.Languages() {
		if counts[l] > 0 {
			spoken = append(spoken, string(l))
		}
	}
	switch len(spoken) {
	case 0:
		return "", recorded.ErrNothingRecorded
	case 1:
		return dataset.Language(spoken[0]), nil
	}
	return "", &score.AmbiguousError{What: "language", Flag: "--language", Choices: spoken}
}

// elsewhere adds to the error about a language that is not on a recording which other one is.
func (s *Scoring) elsewhere(ctx context.Context, t cassette.Source, d *dataset.Dataset, found *recorded.Found, nothing error) error {
	others := slices.DeleteFunc(slices.Clone(d.Languages()), func(l dataset.Language) bool { return l == s.Choice.Language })
	counts, err := s.questions(ctx, t, d, found, others)
	if err != nil {
		return err
	}
	for _, l := range others {
		if counts[l] > 0 {
			return fmt.Errorf("%w in %s, but to %d questions in %s: --language %s scores them", nothing, s.Choice.Language, counts[l], l, l)
		}
	}
	return nothing
}

// questions counts the questions on a recording that samples of each of some languages ask.
func (s *Scoring) questions(ctx context.Context, t cassette.Source, d *dataset.Dataset, found *recorded.Found, languages []dataset.Language) (map[dataset.Language]int, error) {
	samples := map[dataset.Language][]*dataset.Sample{}
	materials := map[dataset.Language]*ask.Materials{}
	for _, l := range languages {
		set, err := d.Load(l, s.Categories...)
		if err != nil {
			return nil, err
		}
		samples[l] = set.Samples
		if materials[l], err = ask.MaterialsFor(d, set); err != nil {
			return nil, err
		}
	}
	return recorded.Languages(ctx, t, found, samples, materials)
}

// taken is what a rollout takes for the answer in an exchange: the text without the reasoning, where evalscope takes that off.
func taken(x *reading.Exchange) string {
	said, err := ask.Read(x.Facts.API, x.Response.Status, x.Response.Header.Get("Content-Type"), x.ResponseBody, nil)
	if err != nil {
		return "" // there is no answer in it
	}
	return said.Text
}

// withoutMarkup returns whether some of the scorers that fail an answer pass it without the markup in its text. It returns nil for a
// rollout, which would have gone another way without markup that stayed in it; for what did not stay see taken.
func withoutMarkup(scorers []*acebench.Scorer, o *ask.Outcome) func() bool {
	if o.Rollout != nil || o.Answer.Status != acebench.OK {
		return nil
	}
	return func() bool {
		plain := o.Answer
		plain.Text = fault.Plain(cmp.Or(o.Answer.Sent, o.Answer.Text))
		plain.Sent = plain.Text
		return slices.ContainsFunc(scorers, func(s *acebench.Scorer) bool {
			return !s.Judge(o.Index, &o.Answer).Valid && s.Judge(o.Index, &plain).Valid
		})
	}
}
