package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/exodeck/exodeck/score/acebench/pysource"
	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// worldClasses lists the simulated classes and where the official repository keeps them, below scenariosen and scenarioszh.
var worldClasses = []struct{ name, file string }{
	{"BaseApi", "phone_platform/base_api.py"},
	{"MessageApi", "phone_platform/message.py"},
	{"ReminderApi", "phone_platform/reminder.py"},
	{"FoodPlatform", "phone_platform/food_services.py"},
	{"Travel", "travel.py"},
}

func worldFile(language Language) string { return fmt.Sprintf("world-%s.json", language) }

// World returns the tables of the simulated world as the JSON that package simenv loads: for each class what its attributes hold
// after a scenario was loaded into it. The hub's files do not hold them: the error is then [ErrNotHeld].
func (d *Dataset) World(language Language) ([]byte, error) {
	switch {
	case d.form == Bundle:
		data, _, err := d.read(worldFile(language))
		if errors.Is(err, fs.ErrNotExist) && d.under != nil {
			return d.under.World(language)
		}
		if err != nil {
			return nil, fmt.Errorf("reading world tables: %w", err)
		}
		return data, nil
	case d.form == Checkout && exists(d.fsys, sourceFolder):
		return d.sourceWorld(language)
	}
	return nil, fmt.Errorf("world tables: %w: %s holds samples only; give a whole checkout of ACEBench/ACEBench, or a bundle made of one", ErrNotHeld, d.name)
}

// LoadWorld returns the simulated world of a language, ready for use. The error is as that of [Dataset.World].
func (d *Dataset) LoadWorld(language Language) (*simenv.World, error) {
	tables, err := d.World(language)
	if err != nil {
		return nil, err
	}
	world, err := simenv.ReadWorld(string(language), tables)
	if err != nil {
		return nil, fmt.Errorf("reading the world tables of %s, language %s: %w", d.name, language, err)
	}
	return world, nil
}

// LoadWorlds returns the worlds of the languages that the data set has samples in.
func (d *Dataset) LoadWorlds() (simenv.Worlds, error) {
	worlds := simenv.Worlds{}
	for _, language := range d.Languages() {
		var err error
		if worlds[string(language)], err = d.LoadWorld(language); err != nil {
			return nil, err
		}
	}
	return worlds, nil
}

// sourceWorld reads the tables out of the constructors of the repository's Python classes.
func (d *Dataset) sourceWorld(language Language) ([]byte, error) {
	world := pyvalue.NewDict()
	known := map[string]*pysource.Class{}
	for _, c := range worldClasses {
		file := path.Join(sourceFolder, "multi_step", "scenarios"+string(language), c.file)
		source, err := fs.ReadFile(d.fsys, file)
		if err != nil {
			return nil, fmt.Errorf("reading world tables: %w", err)
		}
		class, err := pysource.ReadClass(string(source), c.name)
		if err != nil {
			return nil, fmt.Errorf("reading world tables: %s: %w", file, err)
		}
		known[c.name] = class
		built, loaded := attributes(class, known)
		world.SetStr(c.name, pyvalue.DictOf(
			"constructor_attribute_order", names(built),
			"after_load_attribute_order", names(loaded),
			"after_load", loaded,
		))
	}
	data, err := pyjson.Encode(world, pyjson.Options{Indent: " "})
	if err != nil {
		return nil, fmt.Errorf("writing world tables: %w", err)
	}
	return append(bytes.TrimSpace(data), '\n'), nil
}

// attributes returns what an instance holds after its constructor, and after an empty scenario was loaded into it. A constructor
// that calls its base's constructor has those attributes too.
func attributes(c *pysource.Class, known map[string]*pysource.Class) (built, loaded *pyvalue.Dict) {
	built = pyvalue.NewDict()
	if base := known[c.Base]; c.CallsBase && base != nil {
		built, _ = attributes(base, known)
	}
	set(built, c.Init)
	loaded = built.Copy()
	set(loaded, c.Load)
	return built, loaded
}

func set(d *pyvalue.Dict, all []pysource.Assignment) {
	for _, a := range all {
		d.SetStr(a.Name, a.Value)
	}
}

func names(d *pyvalue.Dict) *pyvalue.List {
	list := pyvalue.NewList()
	for name := range d.All() {
		list.Append(name)
	}
	return list
}
