package recorded

import (
	"maps"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
)

// Settings are what a run asked. A run keeps them as the labels of its session, so that scoring the tape needs no flags.
type Settings struct {
	Language   dataset.Language
	Categories []dataset.Category
	Limit      int // samples of each category; 0 for all
	Repeat     int
	Agent      ask.Endpoint
	User       *ask.Endpoint
	Stream     bool
	MaxSteps   int
	Data       string // digest of the data set
}

// The labels of a session. Those in identity decide what is the same question; the rest only says how much of it was asked, and where.
const (
	labelSuite      = "suite"
	labelLanguage   = "language"
	labelCategories = "categories"
	labelLimit      = "limit"
	labelRepeats    = "repeats"
	labelStream     = "stream"
	labelMaxSteps   = "max_steps"
	labelData       = "data"
	userPrefix      = "user_" // of the labels of the endpoint that plays the user
)

var identity = []string{
	labelSuite, labelLanguage, labelStream,
	"model", "api", "temperature", "top_p", "max_tokens", "seed",
	userPrefix + "model", userPrefix + "api", userPrefix + "temperature", userPrefix + "top_p", userPrefix + "max_tokens", userPrefix + "seed",
}

// Labels are the settings as labels of a session.
func (s *Settings) Labels() map[string]string {
	names := make([]string, len(s.Categories))
	for i, c := range s.Categories {
		names[i] = string(c)
	}
	labels := map[string]string{
		labelSuite:      ask.Name,
		labelLanguage:   string(s.Language),
		labelCategories: strings.Join(names, ","),
		labelLimit:      strconv.Itoa(s.Limit),
		labelRepeats:    strconv.Itoa(s.Repeat),
		labelStream:     strconv.FormatBool(s.Stream),
		labelMaxSteps:   strconv.Itoa(s.MaxSteps),
		labelData:       s.Data,
	}
	putEndpoint(labels, "", &s.Agent)
	if s.User != nil {
		putEndpoint(labels, userPrefix, s.User)
	}
	return labels
}

func putEndpoint(labels map[string]string, prefix string, e *ask.Endpoint) {
	labels[prefix+"model"] = e.Model
	labels[prefix+"api"] = string(e.API)
	labels[prefix+"endpoint"] = e.BaseURL
	for name, v := range map[string]*float64{"temperature": e.Sampling.Temperature, "top_p": e.Sampling.TopP} {
		if v != nil {
			labels[prefix+name] = strconv.FormatFloat(*v, 'g', -1, 64)
		}
	}
	for name, v := range map[string]*int64{"max_tokens": e.Sampling.MaxTokens, "seed": e.Sampling.Seed} {
		if v != nil {
			labels[prefix+name] = strconv.FormatInt(*v, 10)
		}
	}
}

// settingsOf reads the labels of a session. Numbers that are none read as those that are not there.
func settingsOf(labels map[string]string) (*Settings, bool) {
	if labels[labelSuite] != ask.Name || labels["model"] == "" {
		return nil, false
	}
	s := &Settings{
		Language: dataset.Language(labels[labelLanguage]),
		Stream:   labels[labelStream] == "true",
		Data:     labels[labelData],
		Agent:    endpointOf(labels, ""),
	}
	for _, name := range strings.Split(labels[labelCategories], ",") {
		if name != "" {
			s.Categories = append(s.Categories, dataset.Category(name))
		}
	}
	s.Limit, _ = strconv.Atoi(labels[labelLimit])
	s.Repeat, _ = strconv.Atoi(labels[labelRepeats])
	s.MaxSteps, _ = strconv.Atoi(labels[labelMaxSteps])
	if labels[userPrefix+"model"] != "" {
		s.User = new(endpointOf(labels, userPrefix))
	}
	return s, true
}

func endpointOf(labels map[string]string, prefix string) ask.Endpoint {
	float := func(name string) *float64 {
		if v, err := strconv.ParseFloat(labels[prefix+name], 64); err == nil {
			return &v
		}
		return nil
	}
	integer := func(name string) *int64 {
		if v, err := strconv.ParseInt(labels[prefix+name], 10, 64); err == nil {
			return &v
		}
		return nil
	}
	return ask.Endpoint{
		BaseURL:  labels[prefix+"endpoint"],
		API:      tape.API(labels[prefix+"api"]),
		Model:    labels[prefix+"model"],
		Sampling: ask.Sampling{Temperature: float("temperature"), TopP: float("top_p"), MaxTokens: integer("max_tokens"), Seed: integer("seed")},
	}
}

// sameQuestions reports whether the sessions with these labels ask a sample the same.
func sameQuestions(a, b map[string]string) bool {
	of := func(labels map[string]string) map[string]string {
		kept := map[string]string{}
		for _, name := range identity {
			kept[name] = labels[name]
		}
		return kept
	}
	return maps.Equal(of(a), of(b))
}

// Select returns the samples that the settings ask for, given all of their categories.
func (s *Settings) Select(samples []*dataset.Sample) []*dataset.Sample {
	if s.Limit <= 0 {
		return samples
	}
	var selected []*dataset.Sample
	taken := map[dataset.Category]int{}
	for _, sample := range samples {
		if taken[sample.Category]++; taken[sample.Category] <= s.Limit {
			selected = append(selected, sample)
		}
	}
	return selected
}
