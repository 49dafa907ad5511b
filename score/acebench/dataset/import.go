package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Imported tells what an import put into a bundle.
type Imported struct {
	Samples map[Language]int
	Files   int
	Missing []string // what the source does not hold: "prompt templates", "world tables"
}

// Languages returns the languages that the data set holds.
func (d *Dataset) Languages() []Language {
	var all []Language
	hub := map[Language]bool{}
	if d.form == Hub {
		for _, l := range hubFiles(d.fsys) {
			hub[l] = true
		}
	}
	for _, l := range Languages() {
		if hub[l] || exists(d.fsys, "data_all/data_"+string(l)) {
			all = append(all, l)
		}
	}
	return all
}

// Import writes the data set as a bundle into the folder out, which must not exist or be empty. Every sample is read first; when
// one cannot be used the error is [Problems] and nothing is written.
func Import(d *Dataset, out string) (Imported, error) {
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return Imported{}, fmt.Errorf("importing into %s: the folder is not empty: give a new one", out)
	}
	files, done, err := d.bundle()
	if err != nil {
		return Imported{}, err
	}
	done.Files = len(files)
	if err := writeFolder(out, files); err != nil {
		return Imported{}, fmt.Errorf("importing into %s: %w", out, err)
	}
	return done, nil
}

// bundle makes the files of a bundle in memory.
func (d *Dataset) bundle() (map[string][]byte, Imported, error) {
	files := map[string][]byte{}
	done := Imported{Samples: map[Language]int{}}
	for _, l := range d.Languages() {
		set, err := d.Load(l)
		if err != nil {
			return nil, done, fmt.Errorf("importing %s: %w", d.name, err)
		}
		done.Samples[l] = len(set.Samples)
		for _, c := range categories {
			if d.form == Hub {
				files[questionFile(l, c)], files[answerFile(l, c)], err = officialForm(set.Only(c))
			} else {
				err = d.copyInto(files, questionFile(l, c), answerFile(l, c))
			}
			if err != nil {
				return nil, done, fmt.Errorf("importing %s: %w", d.name, err)
			}
		}
		world, err := d.World(l)
		switch {
		case errors.Is(err, ErrNotHeld):
			done.missing("world tables")
		case err != nil:
			return nil, done, fmt.Errorf("importing %s: %w", d.name, err)
		default:
			files[worldFile(l)] = world
		}
	}
	templates, err := d.Templates()
	switch {
	case errors.Is(err, ErrNotHeld):
		done.missing("prompt templates")
		templates = Templates{} // the file marks the folder as a bundle
	case err != nil:
		return nil, done, fmt.Errorf("importing %s: %w", d.name, err)
	}
	if files[promptsFile], err = encodeTemplates(templates); err != nil {
		return nil, done, fmt.Errorf("importing %s: %w", d.name, err)
	}
	for _, name := range licenceFiles {
		if text, err := fs.ReadFile(d.fsys, name); err == nil {
			files[name] = text
		}
	}
	files[sumsFile] = sumsOf(files)
	return files, done, nil
}

// licenceFiles go into the bundle when the source has them.
var licenceFiles = []string{"LICENSE", "LICENSE.md"}

func (i *Imported) missing(what string) {
	if !slices.Contains(i.Missing, what) {
		i.Missing = append(i.Missing, what)
	}
}

func (d *Dataset) copyInto(files map[string][]byte, names ...string) error {
	for _, name := range names {
		data, _, err := d.read(name)
		if err != nil {
			return err
		}
		files[name] = data
	}
	return nil
}

// officialForm writes samples as the two files of a category in the official repository.
func officialForm(samples []*Sample) (questions, answers []byte, err error) {
	for _, s := range samples {
		q := pyvalue.DictOf("id", pyvalue.Str(s.ID), "question", pyvalue.Str(s.Question))
		a := pyvalue.DictOf("id", pyvalue.Str(s.ID), "ground_truth", s.GroundTruth)
		switch {
		case s.Category.Family() == Agent:
			classes := pyvalue.NewList()
			for _, c := range s.InvolvedClasses {
				classes.Append(pyvalue.Str(c))
			}
			q.SetStr("initial_config", s.InitialConfig)
			q.SetStr("path", pyvalue.NewList())
			q.SetStr("function", s.Function)
			q.SetStr("involved_classes", classes)
			a.SetStr("mile_stone", s.MileStone)
		case s.Category == Preference:
			q.SetStr("function", s.Function)
			q.SetStr("profile", pyvalue.Str(s.Profile))
		default:
			q.SetStr("function", s.Function)
			q.SetStr("time", pyvalue.Str(s.Time))
		}
		if questions, err = appendLine(questions, q); err != nil {
			return nil, nil, err
		}
		if answers, err = appendLine(answers, a); err != nil {
			return nil, nil, err
		}
	}
	return questions, answers, nil
}

func appendLine(dst []byte, v pyvalue.Value) ([]byte, error) {
	dst, err := pyjson.Append(dst, v, pyjson.Options{})
	return append(dst, '\n'), err
}

func encodeTemplates(t Templates) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(t)
	return b.Bytes(), err
}

func sumsOf(files map[string][]byte) []byte {
	var lines []string
	for name, data := range files {
		sum := sha256.Sum256(data)
		lines = append(lines, hex.EncodeToString(sum[:])+"  "+name+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return []byte(strings.Join(lines, ""))
}

// writeFolder writes the files into a folder beside out and renames it, so that a failed import leaves nothing behind.
func writeFolder(out string, files map[string][]byte) (err error) {
	parent := filepath.Dir(filepath.Clean(out))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(parent, ".import-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temporary))
		}
	}()
	if err := os.Chmod(temporary, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		file := filepath.Join(temporary, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(temporary, out)
}
