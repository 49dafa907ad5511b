package dataset_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/exodeck/exodeck/score/acebench/dataset"
)

func TestLoadWorlds(t *testing.T) {
	worlds, err := dataset.Mini().LoadWorlds()
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range dataset.Languages() {
		if world, err := worlds.For(string(language)); err != nil || world.Language != string(language) {
			t.Errorf("world %+v, error %v", world, err)
		}
	}
}

func TestLoadWorldErrors(t *testing.T) {
	question := &fstest.MapFile{Data: []byte(`{"id":"normal_atom_bool_0","question":"q","function":[],"time":"","profile":""}`)}
	bundle := func(world string) fstest.MapFS {
		return fstest.MapFS{"data_all/data_en/data_normal_atom_bool.json": question, "prompts.json": {Data: []byte("{}")}, "world-en.json": {Data: []byte(world)}}
	}
	tests := []struct {
		name string
		data fstest.MapFS
		is   error
		says string
	}{
		{"a broken file", bundle("{"), nil, "reading the world tables of data, language en: "},
		{"samples only", fstest.MapFS{"data_all/data_en/data_normal_atom_bool.json": question}, dataset.ErrNotHeld, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := dataset.OpenFS(tt.data, "data")
			if err != nil {
				t.Fatal(err)
			}
			world, err := d.LoadWorld(dataset.English)
			if err == nil || world != nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s: world %v, error %v", d.Form(), world, err)
			}
			if worlds, err := d.LoadWorlds(); err == nil {
				t.Errorf("worlds %v", worlds)
			}
		})
	}
}

func TestFind(t *testing.T) {
	d := dataset.Mini()
	for _, l := range dataset.Languages() {
		s, err := d.Find("normal_atom_bool_0", l)
		if err != nil || s == nil || s.Language != l {
			t.Errorf("%s: sample %+v, error %v", l, s, err)
		}
	}
	if s, err := d.Find("normal_atom_bool_0", dataset.Chinese, dataset.English); err != nil || s == nil || s.Language != dataset.Chinese {
		t.Errorf("sample %+v, error %v; want that of the first language", s, err)
	}
	if s, err := d.Find("normal_atom_bool_0"+"99", dataset.Languages()...); s != nil || err != nil {
		t.Errorf("sample %+v, error %v of one that is not there", s, err)
	}
	broken, err := dataset.OpenFS(fstest.MapFS{"data_all/data_en/data_normal_atom_bool.json": {Data: []byte("{\n")}, "prompts.json": {Data: []byte("{}")}}, "data")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := broken.Find("normal_atom_bool_0", dataset.English); s != nil || err == nil {
		t.Errorf("sample %+v, error %v of data that cannot be read", s, err)
	}
}
