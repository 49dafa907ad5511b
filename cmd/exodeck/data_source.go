package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv"
)

// dataFlag names the ACEBench data of a command.
func dataFlag() cli.Flag {
	return &cli.StringFlag{Name: "data", Usage: "a checkout of ACEBench/ACEBench, the hub's JSON Lines or a bundle, in this `DIR` (default: $" + dataset.Env +
		", else a small built-in set)"}
}

// openData opens the data set that the command line or the environment names, else the built-in one, and says on stderr which it is.
func openData(folder string, e env) (*dataset.Dataset, error) {
	source := "--data"
	if folder == "" {
		folder, source = e.getenv(dataset.Env), "$"+dataset.Env
	}
	if folder == "" {
		fmt.Fprintf(e.stderr, "data: the small built-in set; --data DIR or $%s takes the benchmark's own\n", dataset.Env)
		return dataset.Mini(), nil
	}
	d, err := dataset.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	fmt.Fprintf(e.stderr, "data: %s (%s)\n", folder, d.Form())
	return d, nil
}

// loadWorlds reads the world tables of the languages that the data set holds.
func loadWorlds(d *dataset.Dataset) (simenv.Worlds, error) {
	worlds := simenv.Worlds{}
	for _, language := range d.Languages() {
		tables, err := d.World(language)
		if err != nil {
			return nil, err
		}
		if worlds[string(language)], err = simenv.ReadWorld(string(language), tables); err != nil {
			return nil, fmt.Errorf("reading the world tables of %s, language %s: %w", d.Name(), language, err)
		}
	}
	return worlds, nil
}

// loadWorldsIfHeld is as loadWorlds, without any for data that holds samples only.
func loadWorldsIfHeld(d *dataset.Dataset) (simenv.Worlds, error) {
	worlds, err := loadWorlds(d)
	if errors.Is(err, dataset.ErrNotHeld) {
		return simenv.Worlds{}, nil
	}
	return worlds, err
}

// languageFlag restricts a command to one of the data set's languages.
func languageFlag() cli.Flag {
	return &cli.StringFlag{Name: "language", Usage: "only this one, `en` or zh (default: both)"}
}

// chosenLanguages are the languages of a data set that a command works on.
func chosenLanguages(d *dataset.Dataset, only string) ([]dataset.Language, error) {
	held := d.Languages()
	if only == "" {
		return held, nil
	}
	language, err := dataset.ParseLanguage(only)
	if err != nil {
		return nil, usagef("--language: %v", err)
	}
	for _, l := range held {
		if l == language {
			return []dataset.Language{language}, nil
		}
	}
	return nil, fmt.Errorf("%s has no samples in language %s, only in %v", d.Name(), language, held)
}
