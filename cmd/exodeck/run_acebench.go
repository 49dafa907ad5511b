package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/ask"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/offline"
	"github.com/exodeck/exodeck/score/acebench/recorded"
	"github.com/exodeck/exodeck/simenv/rollout"
)

type runACEBenchConfig struct {
	acebenchRules
	Data        string
	Language    string
	API         string
	Host, Port  string
	BaseURL     string // "" means host and port
	Key         string
	UserModel   string
	UserURL     string
	UserKey     string
	Tape        string
	Concurrency int
	Timeout     time.Duration
	JSONOut     string
	Settings    recorded.Settings
}

// serverText is what the help gives as the default of flags that are sent only when they are given.
const serverText = "the server's own"

func runACEBenchCommand(e env) *cli.Command {
	flags := append([]cli.Flag{
		dataFlag(),
		&cli.StringFlag{Name: "model", Usage: "the `MODEL` to ask, as the server's /models lists it; needed"},
		&cli.StringFlag{Name: "api", Value: string(tape.OpenAI), Usage: "the `API` to ask: openai, claude, responses or ollama"},
		&cli.StringFlag{Name: "language", Value: string(dataset.English), Usage: "`en` or zh"},
		categoriesFlag(),
		&cli.IntFlag{Name: "limit", DefaultText: "all", Usage: "only the first `N` samples of each category"},
		&cli.IntFlag{Name: "repeat", Value: 1, Usage: "ask each sample `N` times"},
		&cli.StringFlag{Name: "host", Value: exoHost(e.getenv), Usage: "`HOST` of exo"},
		&cli.StringFlag{Name: "port", Value: exoPort(e.getenv), Usage: "`PORT` of exo"},
		&cli.StringFlag{Name: "base-url", Usage: "base `URL` of another server, in place of --host and --port"},
		&cli.StringFlag{Name: "key-env", Usage: "environment variable that holds the server's key, its `NAME`"},
		&cli.BoolFlag{Name: "stream", Usage: "ask for streams"},
		&cli.IntFlag{Name: "concurrency", Value: 1, Usage: "ask `N` samples at once"},
		&cli.Float64Flag{Name: "temperature", DefaultText: serverText, Usage: "sampling temperature, a `NUMBER`"},
		&cli.Float64Flag{Name: "top-p", DefaultText: serverText, Usage: "nucleus sampling, a `NUMBER`"},
		&cli.Int64Flag{Name: "max-tokens", DefaultText: serverText, Usage: "longest answer in `TOKENS`"},
		&cli.Int64Flag{Name: "seed", DefaultText: serverText, Usage: "seed of sampling, a `NUMBER`, over openai and ollama"},
		&cli.Float64Flag{Name: "timeout", Value: ask.DefaultTimeout.Seconds(), Usage: "how long the server may be silent, in `SECONDS`"},
		&cli.StringFlag{Name: "user-model", Usage: "the `MODEL` that plays the user in agent_multi_turn; without one those samples are not asked, and count as wrong"},
		&cli.StringFlag{Name: "user-model-api-url", Usage: "base `URL` of its Chat Completions API (default: it is asked like the model)"},
		&cli.StringFlag{Name: "user-model-key-env", Usage: "environment variable that holds its key, its `NAME`"},
		&cli.IntFlag{Name: "max-dialog-turns", Value: rollout.DefaultMaxSteps, Usage: "budget of a rollout in `STEPS`"},
		tapeFlag(),
		&cli.StringFlag{Name: "json-out", Usage: "write the run file, as JSON, to this `FILE`"},
	}, acebenchScoringFlags()...)
	return leaf("acebench", "ask ACEBench's samples, agents included, and judge the answers", "", 0, flags, func(c *cli.Context) error {
		cfg := runACEBenchConfig{
			acebenchRules: acebenchRulesOf(c),
			Data:          c.String("data"),
			Language:      c.String("language"),
			API:           c.String("api"),
			Host:          c.String("host"),
			Port:          c.String("port"),
			BaseURL:       c.String("base-url"),
			UserModel:     c.String("user-model"),
			UserURL:       c.String("user-model-api-url"),
			Tape:          c.String("tape"),
			Concurrency:   c.Int("concurrency"),
			Timeout:       time.Duration(c.Float64("timeout") * float64(time.Second)),
			JSONOut:       c.String("json-out"),
			Settings: recorded.Settings{
				Limit:    c.Int("limit"),
				Repeat:   c.Int("repeat"),
				Stream:   c.Bool("stream"),
				MaxSteps: c.Int("max-dialog-turns"),
				Agent:    ask.Endpoint{Model: c.String("model"), Sampling: samplingOf(c)},
			},
		}
		var err error
		if cfg.Settings.Categories, err = categoriesOf(c); err != nil {
			return err
		}
		if cfg.Key, err = keyOf(c, "key-env", e); err != nil {
			return err
		}
		if cfg.UserKey, err = keyOf(c, "user-model-key-env", e); err != nil {
			return err
		}
		if err := cfg.validate(); err != nil {
			return err
		}
		return runRunACEBench(c.Context, cfg, e)
	})
}

// samplingOf holds the flags that were given.
func samplingOf(c *cli.Context) ask.Sampling {
	var s ask.Sampling
	if c.IsSet("temperature") {
		s.Temperature = new(c.Float64("temperature"))
	}
	if c.IsSet("top-p") {
		s.TopP = new(c.Float64("top-p"))
	}
	if c.IsSet("max-tokens") {
		s.MaxTokens = new(c.Int64("max-tokens"))
	}
	if c.IsSet("seed") {
		s.Seed = new(c.Int64("seed"))
	}
	return s
}

// keyOf reads a key from the environment variable that a flag names.
func keyOf(c *cli.Context, flag string, e env) (string, error) {
	name := c.String(flag)
	if name == "" {
		return "", nil
	}
	key := e.getenv(name)
	if key == "" {
		return "", usagef("--%s: the environment variable %s is not set", flag, name)
	}
	return key, nil
}

func (cfg *runACEBenchConfig) validate() error {
	s := &cfg.Settings
	switch {
	case s.Agent.Model == "":
		return usagef("--model is needed: the model to ask, as the server's /models lists it")
	case s.Limit < 0:
		return usagef("--limit must be >= 0 (got %d)", s.Limit)
	case s.Repeat < 1:
		return usagef("--repeat must be >= 1 (got %d)", s.Repeat)
	case s.MaxSteps < 1:
		return usagef("--max-dialog-turns must be >= 1 (got %d)", s.MaxSteps)
	case cfg.Concurrency < 1:
		return usagef("--concurrency must be >= 1 (got %d)", cfg.Concurrency)
	case cfg.Timeout <= 0:
		return usagef("--timeout must be above 0")
	}
	if err := cfg.acebenchRules.validate(); err != nil {
		return err
	}
	var err error
	if s.Language, err = dataset.ParseLanguage(cfg.Language); err != nil {
		return usagef("--language: %v", err)
	}
	if s.Agent.API, err = ask.APIOf(cfg.API); err != nil {
		return usagef("--api: %v", err)
	}
	if cfg.BaseURL == "" {
		if s.Agent.BaseURL, err = exoURL(cfg.Host, cfg.Port); err != nil {
			return &exitError{exitUsage, err}
		}
	} else if s.Agent.BaseURL, err = baseURLOf("base-url", cfg.BaseURL); err != nil {
		return err
	}
	s.Agent.Key = cfg.Key
	if err := s.Agent.Validate(); err != nil {
		return &exitError{exitUsage, err}
	}
	if len(s.Categories) == 0 {
		s.Categories = dataset.Categories()
	}
	return cfg.validateUser()
}

// validateUser settles who plays the user: the same server unless another is named.
func (cfg *runACEBenchConfig) validateUser() error {
	s := &cfg.Settings
	if cfg.UserModel == "" {
		if cfg.UserURL != "" || cfg.UserKey != "" {
			return usagef("--user-model is needed to ask a user model: name it too")
		}
		return nil
	}
	user := ask.Endpoint{BaseURL: s.Agent.BaseURL, API: s.Agent.API, Model: cfg.UserModel, Sampling: ask.UserSampling(), Key: cfg.UserKey}
	if cfg.UserURL != "" {
		var err error
		if user.BaseURL, err = baseURLOf("user-model-api-url", cfg.UserURL); err != nil {
			return err
		}
		user.API = tape.OpenAI
	} else if user.Key == "" {
		user.Key = cfg.Key
	}
	s.User = &user
	return nil
}

// baseURLOf checks a server's base URL.
func baseURLOf(flag, s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		// Not quoted: it may hold a password.
		return "", usagef("--%s is no base URL; write it like http://localhost:52415, a key goes into an environment variable", flag)
	}
	return strings.TrimSuffix(s, "/"), nil
}

func runRunACEBench(ctx context.Context, cfg runACEBenchConfig, e env) error {
	if cfg.JSONOut != "" {
		if err := checkWritable(cfg.JSONOut); err != nil {
			return err
		}
	}
	d, err := openData(cfg.Data, e)
	if err != nil {
		return err
	}
	settings := &cfg.Settings
	set, err := loadSet(d, settings.Language, settings.Categories)
	if err != nil {
		return err
	}
	settings.Data = set.Digest
	set.Samples = settings.Select(set.Samples)
	materials, err := ask.MaterialsFor(d, set)
	if err != nil {
		return err
	}
	if n := len(set.Only(dataset.AgentMultiTurn)); n > 0 && settings.User == nil {
		fmt.Fprintf(e.stderr, "warning: %d of %d samples will not be asked, and count as wrong: agent_multi_turn needs a model that plays the user; name one with --user-model\n",
			n, len(set.Samples))
	}
	suite := settings.Suite(set.Samples, materials)
	suite.Concurrency, suite.Timeout = cfg.Concurrency, cfg.Timeout

	done, err := cfg.recordAll(ctx, suite, acebench.NewScorer(set, cfg.options.Rules[0]), e)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			fmt.Fprintf(e.stderr, "stopped with %d of %d answered; the same command goes on from there\n", done, suite.Total())
		}
		return err
	}
	// The result is read off the tape, by the program that scores it offline.
	s, err := scoreTape(ctx, cfg.Tape, offline.Scoring{OnDiverge: cfg.diverge, Sheet: cfg.options}, d, e)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "recorded to %s; exodeck score acebench --tape %s judges it again, offline\n", cfg.Tape, shellWord(cfg.Tape))
	return printSheet(s, "text", cfg.JSONOut, e)
}

// recordAll asks what the tape does not hold yet, onto the tape, and returns how many samples it then has.
func (cfg *runACEBenchConfig) recordAll(ctx context.Context, suite *ask.Suite, scorer *acebench.Scorer, e env) (done int, err error) {
	if _, err := os.Stat(cfg.Tape); !errors.Is(err, fs.ErrNotExist) {
		t, err := tape.Open(ctx, cfg.Tape)
		if err != nil {
			return 0, err
		}
		defer t.Close()
		if suite.Recorded, err = earlier(ctx, t, &cfg.Settings); err != nil {
			return 0, err
		}
	}
	if suite.Recorded == nil {
		flags := "--host and --port, or --base-url"
		if cfg.BaseURL != "" {
			flags = "--base-url" // in whose place the others are not read
		}
		if err := reach(ctx, suite.Agent.BaseURL, flags); err != nil {
			return 0, err
		}
	}
	deck, err := openDeck(ctx, cfg.Tape, tape.Session{Upstream: cfg.Settings.Agent.BaseURL, Version: version(), Labels: cfg.Settings.Labels()}, e)
	if err != nil {
		return 0, err
	}
	base := proxy.NewTransport()
	defer base.CloseIdleConnections()
	suite.Client = &record.Transport{Base: base, Session: deck.session, Redactor: deck.redactor}
	meter := newMeter(e.stderr, suite.Total())
	outcomes, err := suite.Run(ctx, func(o *ask.Outcome) {
		passed := o.Answer.Status == acebench.OK && scorer.Judge(o.Index, &o.Answer).Valid
		meter.add(passed, o.Recorded && len(o.Exchanges) > 0) // a sample that nobody was asked about is on no tape
	})
	meter.stop()
	return len(outcomes), both(err, deck.close())
}

// earlier returns a transport over what runs with the same settings recorded, nil when there was none.
func earlier(ctx context.Context, t *tape.Tape, s *recorded.Settings) (http.RoundTripper, error) {
	sessions, err := recorded.Earlier(ctx, t, s)
	if err != nil || len(sessions) == 0 {
		return nil, err
	}
	return replay.NewTransport(ctx, &recorded.Part{Tape: t, Names: sessions}, match.Default())
}
