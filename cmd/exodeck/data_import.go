package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/score/acebench/dataset"
)

type dataImportConfig struct {
	From, Out string
}

func dataImportCommand(e env) *cli.Command {
	return leaf("import", "make a bundle of ACEBench data: samples, prompts and world tables with their checksums", "", 0, []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: "a checkout of ACEBench/ACEBench or the hub's JSON Lines, in this `DIR`; needed"},
		&cli.StringFlag{Name: "out", Usage: "the bundle, a new `DIR`; needed"},
	}, func(c *cli.Context) error {
		cfg := dataImportConfig{From: c.String("from"), Out: c.String("out")}
		if cfg.From == "" || cfg.Out == "" {
			return usagef("say from where and into what: exodeck data import --from ACEBench --out acebench-bundle")
		}
		return runDataImport(cfg, e)
	})
}

func runDataImport(cfg dataImportConfig, e env) error {
	d, err := openDataset("--from", cfg.From)
	if err != nil {
		return err
	}
	done, err := dataset.Import(d, cfg.Out)
	if err != nil {
		return err
	}
	var samples []string
	for _, language := range dataset.Languages() {
		if n := done.Samples[language]; n > 0 {
			samples = append(samples, fmt.Sprintf("%d %s", n, language))
		}
	}
	if _, err := fmt.Fprintf(e.stdout, "%s: %s samples, %d files\n", cfg.Out, strings.Join(samples, " and "), done.Files); err != nil {
		return err
	}
	if len(done.Missing) > 0 {
		fmt.Fprintf(e.stderr, "%s holds no %s, so the bundle can score answers of normal and special samples but not ask them or run agents; "+
			"import a whole checkout of ACEBench/ACEBench for that\n", cfg.From, strings.Join(done.Missing, " and no "))
	}
	fmt.Fprintf(e.stderr, "use it with --data %s, or export %s=%[1]s\n", shellWord(cfg.Out), dataset.Env)
	return nil
}
