package scenario

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/score/scenario/cluster"
)

// Labels of a session that this suite recorded, beside "suite".
const (
	labelModel    = "model"
	labelEndpoint = "endpoint"
	labelAPIs     = "apis"
	labelRepeats  = "repeats"
	labelStream   = "stream"
	labelNames    = "scenarios"
	labelCluster  = "cluster"
)

// Settings are what a run of the suite asked. A run keeps them as the labels of its session, so that scoring the tape needs no flags.
type Settings struct {
	// BaseURL is the address that was asked; it shows in error texts.
	BaseURL string
	Model   string
	APIs    []tape.API
	Repeat  int
	Stream  Stream
	// Scenarios are the names that were selected; none means all.
	Scenarios []string
	// Cluster says how the model is brought up; nil means that it is asked as it is.
	Cluster *cluster.Options
}

// Labels are the settings as labels of a session.
func (s Settings) Labels() map[string]string {
	apis := make([]string, len(s.APIs))
	for i, api := range s.APIs {
		apis[i] = string(api)
	}
	labels := map[string]string{
		"suite":       Name,
		labelModel:    s.Model,
		labelEndpoint: s.BaseURL,
		labelAPIs:     strings.Join(apis, ","),
		labelRepeats:  strconv.Itoa(s.Repeat),
		labelStream:   string(s.Stream),
	}
	if len(s.Scenarios) > 0 {
		// Names hold commas if they like. Texts always encode.
		text, _ := json.Marshal(s.Scenarios)
		labels[labelNames] = string(text)
	}
	if s.Cluster != nil {
		// Strings, numbers and booleans always encode.
		text, _ := json.Marshal(s.Cluster)
		labels[labelCluster] = string(text)
	}
	return labels
}

func settingsOf(labels map[string]string) (s Settings, ok bool) {
	if labels["suite"] != Name || labels[labelModel] == "" {
		return s, false
	}
	s = Settings{BaseURL: labels[labelEndpoint], Model: labels[labelModel], Stream: Stream(labels[labelStream])}
	for _, api := range strings.Split(labels[labelAPIs], ",") {
		if api != "" {
			s.APIs = append(s.APIs, tape.API(api))
		}
	}
	// A number that is none reads as 0, which means once.
	s.Repeat, _ = strconv.Atoi(labels[labelRepeats])
	if text := labels[labelNames]; text != "" && json.Unmarshal([]byte(text), &s.Scenarios) != nil {
		// Recordings from before names were written as JSON have commas between them.
		s.Scenarios = strings.Split(text, ",")
	}
	if text := labels[labelCluster]; text != "" {
		s.Cluster = new(cluster.Options)
		if json.Unmarshal([]byte(text), s.Cluster) != nil {
			return s, false // not written by a run of this suite
		}
	}
	return s, true
}

// Tape is what [Recorded] reads; a [tape.Tape] is one.
type Tape interface {
	Sessions(ctx context.Context) ([]tape.Session, error)
	Summary(ctx context.Context, q tape.Query) (*tape.Summary, error)
	Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error]
}

// ErrNothingRecorded means that a tape holds no model calls that the suite could score.
var ErrNothingRecorded = errors.New("the tape holds no calls of a model API that this suite asks")

// Recorded finds out what a tape can be scored for: the session and what was asked in it. With an empty session it takes the latest
// one that this suite recorded or, when another client filled the tape, all of it, with the APIs and the model that occur. A model that
// is given settles which of several is meant. In a session that is not there is nothing: [ErrNothingRecorded].
func Recorded(ctx context.Context, t Tape, session, model string) (string, Settings, error) {
	sessions, err := t.Sessions(ctx)
	if err != nil {
		return "", Settings{}, err
	}
	for _, s := range slices.Backward(sessions) {
		settings, ok := settingsOf(s.Labels)
		switch {
		case session != "" && s.Name != session:
		case ok && (model == "" || model == settings.Model):
			return s.Name, settings, nil
		}
	}
	settings, err := foreign(ctx, t, session, model)
	return session, settings, err
}

// foreign are the settings of a tape that another client filled.
func foreign(ctx context.Context, t Tape, session, model string) (Settings, error) {
	sum, err := t.Summary(ctx, tape.Query{Session: session})
	if err != nil {
		return Settings{}, err
	}
	s := Settings{Repeat: 1, Stream: StreamOff}
	var models []string
	for _, g := range sum.Groups {
		if g.Model == "" || !slices.Contains(scorable, g.API) {
			continue
		}
		if !slices.Contains(models, g.Model) {
			models = append(models, g.Model)
		}
		if (model == "" || model == g.Model) && !slices.Contains(s.APIs, g.API) {
			s.APIs = append(s.APIs, g.API)
		}
	}
	slices.Sort(models)
	slices.SortFunc(s.APIs, func(a, b tape.API) int {
		return cmp.Compare(slices.Index(scorable, a), slices.Index(scorable, b))
	})
	switch {
	case model != "":
		s.Model = model
	case len(models) == 1:
		s.Model = models[0]
	case len(models) > 1:
		return s, &score.AmbiguousError{What: "model", Flag: "--model", Choices: models}
	}
	if len(s.APIs) == 0 {
		return s, ErrNothingRecorded
	}
	for x, err := range t.Exchanges(ctx, tape.Query{Session: session, API: s.APIs[0], Model: s.Model}) {
		if err != nil {
			return s, err
		}
		// What the client called the server: its error texts name it.
		s.BaseURL = "http://" + x.Request.Host
		break
	}
	return s, nil
}

// scorable are the APIs that scenarios can be asked through.
var scorable = append(slices.Clone(AllAPIs), tape.Ollama)
