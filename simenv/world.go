package simenv

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// World holds the tables that the APIs of one language start from: who there is, what the merchants sell, which flights go. It is never changed
// after it was read, so environments may be made from it concurrently.
type World struct {
	Language string // "en" or "zh"
	tables   map[string]tables
}

// Worlds holds a world for each language.
type Worlds map[string]*World

// languages are what the simulator speaks.
var languages = []string{"en", "zh"}

// LoadWorlds reads the worlds of a data bundle: world-en.json and world-zh.json in the root of fsys. One of the two may be absent.
func LoadWorlds(fsys fs.FS) (Worlds, error) {
	worlds := Worlds{}
	for _, language := range languages {
		name := "world-" + language + ".json"
		data, err := fs.ReadFile(fsys, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading world tables: %w", err)
		}
		if worlds[language], err = ReadWorld(language, data); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
	}
	if len(worlds) == 0 {
		return nil, errors.New("no world tables: neither world-en.json nor world-zh.json is in the bundle; make one with `exodeck data import`")
	}
	return worlds, nil
}

// For returns the world of a language.
func (ws Worlds) For(language string) (*World, error) {
	if w := ws[language]; w != nil {
		return w, nil
	}
	return nil, fmt.Errorf("no world tables for language %q, only for %s", language, strings.Join(slices.Sorted(maps.Keys(ws)), " and "))
}

// ReadWorld reads the tables of one language and checks them. For each class the file holds, under "after_load", the attributes of a
// fresh instance; other keys beside it are ignored. Classes without an entry are not part of the world.
func ReadWorld(language string, data []byte) (*World, error) {
	if !slices.Contains(languages, language) {
		return nil, fmt.Errorf("language %q: the simulator speaks %s", language, strings.Join(languages, " and "))
	}
	v, err := pyjson.Decode(data)
	if err != nil {
		return nil, err
	}
	file, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil, mustBe("an object", v)
	}
	w := &World{Language: language, tables: map[string]tables{}}
	for _, c := range classes {
		entry, found := file.GetStr(c.name)
		if !found {
			continue
		}
		kept, err := record{"after_load": c.shape.check}.check(entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		w.tables[c.name] = tables{asDict(field(kept, "after_load"))}
	}
	return w, nil
}

// tables are the checked attributes of one class.
type tables struct{ attributes *pyvalue.Dict }

// dict returns a copy of an attribute that an environment may change.
func (t tables) dict(name string) *pyvalue.Dict {
	return asDict(pyvalue.DeepCopy(field(t.attributes, name)))
}

// list is as dict.
func (t tables) list(name string) *pyvalue.List {
	return pyvalue.DeepCopy(field(t.attributes, name)).(*pyvalue.List)
}

func (t tables) int(name string) int {
	n, _ := field(t.attributes, name).(pyvalue.Int).Int64()
	return int(n)
}
