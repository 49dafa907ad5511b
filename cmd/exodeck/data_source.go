package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

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
	d, err := openDataset(source, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; without %s a small built-in set is taken", err, source)
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(e.stderr, "data: %s (%s)\n", folder, d.Form())
	return d, nil
}

// openDataset opens the data set that a flag or a variable names.
func openDataset(source, folder string) (*dataset.Dataset, error) {
	d, err := dataset.Open(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w; git clone https://github.com/ACEBench/ACEBench and name its folder, or that of the hub's JSON Lines or of a bundle", source, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return d, nil
}

// openLanguages opens a data set as [openData] does, and chooses those of its languages that a command works on.
func openLanguages(folder, only string, e env) (*dataset.Dataset, []dataset.Language, error) {
	d, err := openData(folder, e)
	if err != nil {
		return nil, nil, err
	}
	languages, err := chosenLanguages(d, only)
	return d, languages, err
}

// loadWorldIfHeld returns the world of a language, nil for data that holds samples only.
func loadWorldIfHeld(d *dataset.Dataset, language dataset.Language) (*simenv.World, error) {
	world, err := d.LoadWorld(language)
	if errors.Is(err, dataset.ErrNotHeld) {
		return nil, nil
	}
	return world, err
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
	if slices.Contains(held, language) {
		return []dataset.Language{language}, nil
	}
	return nil, fmt.Errorf("%s has no samples in language %s, only in %v", d.Name(), language, held)
}
