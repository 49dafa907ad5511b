package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/decode"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// acebenchAPI is the value of --api that stands for the text of an answer to ACEBench.
const acebenchAPI = "acebench"

type parseConfig struct {
	API    tape.API
	Stream bool
	// Of acebench: whose reading it is, and of a sample of which category.
	Rules    rules.Rules
	Category dataset.Category
	File     string // "" or "-" is stdin
}

func parseCommand(e env) *cli.Command {
	c := leaf("parse", "print what the parser sees in a response body, or in the text of an answer to ACEBench, as JSON", "[FILE]", 1, []cli.Flag{
		&cli.StringFlag{Name: "api", Usage: "the `API` family of the body: openai, claude, responses, ollama or ollama-generate; or acebench, for the calls in the text of an answer; needed"},
		&cli.BoolFlag{Name: "stream", Usage: "the body is an event stream, or NDJSON for Ollama"},
		&cli.StringFlag{Name: "rules", DefaultText: rules.Evalscope.String(), Usage: "with --api acebench: read as these `RULES` do, evalscope, official or strict"},
		&cli.StringFlag{Name: "category", DefaultText: string(dataset.SingleTurnSingle), Usage: "with --api acebench: the `CATEGORY` of the sample; in dialogues the text is read in another way"},
	}, func(c *cli.Context) error {
		cfg := parseConfig{API: tape.API(c.String("api")), Stream: c.Bool("stream"), File: c.Args().First()}
		switch {
		case cfg.API == "":
			return usagef("--api is needed: whose body it is; openai, claude, responses, ollama, ollama-generate or acebench")
		case cfg.API == acebenchAPI:
			if cfg.Stream {
				return usagef("--stream is for the body of an API; acebench is the text of an answer")
			}
			if err := cfg.acebench(cmp.Or(c.String("rules"), rules.Evalscope.String()), cmp.Or(c.String("category"), string(dataset.SingleTurnSingle))); err != nil {
				return err
			}
		case !cfg.API.Model():
			return usagef("--api is openai, claude, responses, ollama, ollama-generate or acebench, not %q", cfg.API)
		case c.IsSet("rules") || c.IsSet("category"):
			return usagef("--rules and --category are for --api acebench")
		}
		return runParse(c.Context, cfg, e)
	})
	c.Description = inputNames
	return c
}

// acebench reads the flags that only answers to ACEBench have.
func (cfg *parseConfig) acebench(set, category string) error {
	list, err := rules.Parse(set)
	if err != nil {
		return usagef("--rules: %v", err)
	}
	if len(list) != 1 {
		return usagef("--rules: name one set of rules; each reads the text in its own way")
	}
	cfg.Rules, cfg.Category = list[0], dataset.Category(category)
	if !cfg.Category.Known() {
		return usagef("--category: there is no category %q; exodeck data ls lists those there are", category)
	}
	return nil
}

func runParse(ctx context.Context, cfg parseConfig, e env) error {
	in, err := openInput(cfg.File, "a response body", e)
	if err != nil {
		return err
	}
	defer in.Close()
	if cfg.API == acebenchAPI {
		return parseCalls(interruptible(ctx, in), cfg, e)
	}
	answer, err := wire.ParseResponse(cfg.API, cfg.Stream, interruptible(ctx, in))
	if err != nil {
		return fmt.Errorf("reading the response body: %w", err)
	}
	_, err = io.WriteString(e.stdout, string(answer.Normalized())+"\n")
	return err
}

// parseCalls prints the calls in the text of an answer. The line break that an editor puts at the end of a file is none of the answer's.
func parseCalls(in io.Reader, cfg parseConfig, e env) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	calls, err := decode.Calls(cfg.Rules, cfg.Category.Dialogues(), strings.TrimSuffix(string(text), "\n"))
	_, err = e.stdout.Write(append(decode.AppendOutcome(nil, calls, err), '\n'))
	return err
}
