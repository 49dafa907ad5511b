package simenv

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/exodeck/exodeck/simenv/miniworld"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func miniTables(t testing.TB) string {
	t.Helper()
	data, err := miniworld.FS.ReadFile("world-en.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestReadWorldRefuses checks that a damaged table is refused with the place and the reason, since methods trust what was read.
func TestReadWorldRefuses(t *testing.T) {
	good := miniTables(t)
	for _, tt := range []struct{ name, old, new, want string }{
		{"not JSON", "{", "", "Extra data"},
		{"list", good, "[]", "must be an object, is []"},
		{"class without attributes", `"after_load": {
   "users"`, `"after": {
   "users"`, "FoodPlatform: after_load is missing"},
		{"class is a list", `"BaseApi": {`, `"BaseApi": [], "was": {`, "BaseApi: must be an object, is []"},
		{"missing attribute", `"inbox": {`, `"inbix": {`, "MessageApi: after_load: inbox is missing"},
		{"missing field", `"user_id": "P2",`, ``, "MessageApi: after_load: user_list: Bruno: user_id is missing"},
		{"key", `"2": {
     "sender_id"`, `"two": {
     "sender_id"`, "inbox: must be a whole number as key, is 'two'"},
		{"date", `"2024-05-03"`, `"3 May"`, "inbox: 2: time: must be a time such as 2006-01-02, is '3 May'"},
		{"departure", `"2024-07-16 17:00:00"`, `7`, "flights: 1: depart_time: must be a time such as 2006-01-02 15:04:05, is 7"},
		{"text", `"fern-7"`, `7`, "password: must be a text, is 7"},
		{"whole number", `"max_capacity": 3`, `"max_capacity": 3000000000`, "max_capacity: must be a whole number of at most 32 bits, is 3000000000"},
		{"float", `60.0`, `60`, "Ada: balance: must be a number with a decimal point, such as 500.0, is 60"},
		{"number", `8.5`, `"8.5"`, "menu: 0: price: must be a number, is '8.5'"},
		{"bool", `"notified": false`, `"notified": 0`, "notified: must be true or false, is 0"},
		{"list of flights", `"flights": [`, `"flights": 1, "was": [`, "flights: must be a list, is 1"},
		{"users", `"user_list": {`, `"user_list": [], "was": {`, "user_list: must be an object, is []"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			damaged := strings.Replace(good, tt.old, tt.new, 1)
			if damaged == good {
				t.Fatal("the damage did not take")
			}
			_, err := ReadWorld("en", []byte(damaged))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestReadWorldLanguage(t *testing.T) {
	_, err := ReadWorld("fr", []byte(miniTables(t)))
	if want := `language "fr": the simulator speaks en and zh`; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestLoadWorlds(t *testing.T) {
	good := miniTables(t)
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"none", fstest.MapFS{}, "no world tables: neither world-en.json nor world-zh.json is in the bundle; make one with `exodeck data import`"},
		{"damaged", fstest.MapFS{"world-en.json": {Data: []byte("{}x")}}, "reading world-en.json: Extra data"},
		{"folder", fstest.MapFS{"world-en.json/x": {}}, "reading world tables: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := LoadWorlds(tt.files)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
	worlds, err := LoadWorlds(fstest.MapFS{"world-en.json": {Data: []byte(good)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := worlds.For("en"); err != nil {
		t.Error(err)
	}
	_, err = worlds.For("zh")
	if want := `no world tables for language "zh", only for en`; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// TestPartialWorld plays a class that the tables leave out.
func TestPartialWorld(t *testing.T) {
	w, err := ReadWorld("en", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.NewEnv([]string{"Travel"}, pyvalue.None{})
	if want := "ValueError: the world tables have no class Travel"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// FuzzReadWorld: a world is refused, or every method works on it: a call that it does not suit is told an error, as any other.
func FuzzReadWorld(f *testing.F) {
	for _, language := range languages {
		data, err := miniworld.FS.ReadFile("world-" + language + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"BaseApi":{"after_load":{}},"Travel":{"after_load":{"users":{},"flights":[],"reservations":[]}}}`))
	data, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	lines := slices.Collect(bytes.Lines(data))
	f.Fuzz(func(t *testing.T, world []byte) {
		w, err := ReadWorld("en", world)
		if err != nil {
			return
		}
		worlds := Worlds{"en": w, "zh": w}
		for _, line := range lines {
			if out, err := worlds.RunLine(line); err != nil || len(out) == 0 {
				t.Errorf("%s: %s, %v", line, out, err)
			}
		}
	})
}
