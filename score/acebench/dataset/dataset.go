// Package dataset reads ACEBench's data: samples, prompt templates and the tables of the simulated worlds.
//
// [Open] takes the data in any of the forms people have it in:
//
//   - a checkout of the ACEBench repository: data_all/data_en and data_all/data_zh, each with possible_answer beside the questions.
//     Prompts and worlds are read out of the repository's Python files, without running them;
//   - the JSON Lines of the hub that evalscope loads, where a record holds its answers as JSON inside a string. They hold no
//     prompts and no worlds;
//   - a bundle, which [Import] makes of either: data_all as in the repository, prompts.json, world-en.json, world-zh.json, and
//     SHA256SUMS over all of them.
//
// [Mini] is a small data set of our own wording with every category in both languages.
//
// Nothing is skipped silently: a record that cannot be used is a [Problem] with file and line, and the good ones are returned
// beside the error.
package dataset

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/exodeck/exodeck/simenv/miniworld"
)

// Env is the environment variable that names the data when the command line does not.
const Env = "EXODECK_ACEBENCH"

// A Form is what the data of a data set looks like on disk.
type Form string

// The forms.
const (
	Checkout Form = "checkout"
	Hub      Form = "hub"
	Bundle   Form = "bundle"
)

// ErrNoData is wrapped by the error of opening a folder that holds no ACEBench data.
var ErrNoData = errors.New("no ACEBench data")

// ErrNotHeld is wrapped by the error of asking a data set for prompts or worlds that its form does not hold.
var ErrNotHeld = errors.New("not in this data set")

// A Dataset is a data set on disk or embedded. It holds nothing open and may be used from several goroutines.
type Dataset struct {
	fsys  fs.FS
	name  string
	form  Form
	sums  map[string]string // of a bundle with SHA256SUMS: path to SHA-256
	under *Dataset          // prompts and worlds that this one lacks are looked up there; nil for data on disk
}

//go:embed mini
var miniFS embed.FS

// Mini returns the embedded data set. Its agents live in the simulator's small world.
func Mini() *Dataset {
	sub, err := fs.Sub(miniFS, "mini")
	if err != nil {
		panic(err) // the name is valid
	}
	world := &Dataset{fsys: miniworld.FS, name: "miniworld", form: Bundle}
	return &Dataset{fsys: sub, name: "mini", form: Bundle, under: world}
}

// Open looks what form of the data is in the folder and returns it. No sample is read yet.
func Open(folder string) (*Dataset, error) {
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("opening data set: %w", err)
	}
	return OpenFS(os.DirFS(folder), folder)
}

// OpenFS is [Open] on a file system. Messages call it by name.
func OpenFS(fsys fs.FS, name string) (*Dataset, error) {
	d := &Dataset{fsys: fsys, name: name}
	switch {
	case exists(fsys, "data_all/data_en") || exists(fsys, "data_all/data_zh"):
		d.form = Checkout
		if exists(fsys, promptsFile) {
			d.form = Bundle
		}
	case len(hubFiles(fsys)) > 0:
		d.form = Hub
	default:
		return nil, fmt.Errorf("opening data set %s: %w: give the folder that holds data_all (a checkout of ACEBench/ACEBench or a bundle), "+
			"or the hub's en and zh JSON Lines", name, ErrNoData)
	}
	sums, err := readSums(fsys)
	if err != nil {
		return nil, fmt.Errorf("opening data set %s: %w", name, err)
	}
	d.sums = sums
	return d, nil
}

// Name returns the folder the data set was opened from.
func (d *Dataset) Name() string { return d.name }

// Form tells what form the data is in.
func (d *Dataset) Form() Form { return d.form }

// Load reads the samples of some categories, all of them when none is named. When part of the data cannot be used the error is
// [Problems] and the set holds the rest.
func (d *Dataset) Load(language Language, categories ...Category) (*Set, error) {
	if len(categories) == 0 {
		categories = Categories()
	}
	var parts []part
	if d.form == Hub {
		parts = d.loadHub(language, categories)
	} else {
		parts = make([]part, len(categories))
		var wg sync.WaitGroup
		for i, c := range categories {
			wg.Go(func() { parts[i] = d.loadCategory(language, c) })
		}
		wg.Wait()
	}
	return join(language, parts)
}

// Find returns the sample with an id, in the first of the languages that has it, nil when none has. The error then tells what could not be
// read, where the sample may be.
func (d *Dataset) Find(id string, languages ...Language) (*Sample, error) {
	var wanted []Category
	if c := CategoryOf(id, ""); c.Known() {
		wanted = append(wanted, c)
	}
	var problems error
	for _, language := range languages {
		// Problems with other samples do not matter when this one is there.
		set, err := d.Load(language, wanted...)
		if sample := set.Sample(id); sample != nil {
			return sample, nil
		}
		problems = errors.Join(problems, err)
	}
	return nil, problems
}

// A part is what one file, or one pair of files, gave.
type part struct {
	category Category
	samples  []*Sample
	problems Problems
	files    map[string]string // path to SHA-256
}

// join puts the parts together in canonical order and looks for ids that occur twice.
func join(language Language, parts []part) (*Set, error) {
	slices.SortStableFunc(parts, func(a, b part) int {
		return slices.Index(categories, a.category) - slices.Index(categories, b.category)
	})
	var problems Problems
	var samples []*Sample
	files := map[string]string{}
	first := map[string]*Sample{}
	for _, p := range parts {
		problems = append(problems, p.problems...)
		for name, sum := range p.files {
			files[name] = sum
		}
		for _, s := range p.samples {
			if other := first[s.ID]; other != nil {
				problems = append(problems, Problem{s.File, s.Line, fmt.Sprintf("the id %s was used before, at %s:%d", s.ID, other.File, other.Line)})
				continue
			}
			first[s.ID] = s
			samples = append(samples, s)
		}
	}
	return NewSet(language, samples, Digest(files)), problems.err()
}

// Digest returns the digest of a number of files, given the SHA-256 of each by its path: the SHA-256 over a line
// "<SHA-256>  <path>" for each, by path.
func Digest(files map[string]string) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%s  %s\n", files[name], name)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// read returns a file and its SHA-256, and compares that with the bundle's list.
func (d *Dataset) read(name string) (data []byte, sum string, err error) {
	data, err = fs.ReadFile(d.fsys, name)
	if err != nil {
		return nil, "", err
	}
	hash := sha256.Sum256(data)
	sum = hex.EncodeToString(hash[:])
	if want, ok := d.sums[name]; ok && want != sum {
		return nil, "", fmt.Errorf("the file is not what %s says (SHA-256 %s…, expected %s…): it was changed after the import, import the data again",
			sumsFile, sum[:12], want[:12])
	}
	return data, sum, nil
}

// eachLine calls f with every line that is not blank, and its number from 1.
func eachLine(data []byte, f func(line int, text []byte)) {
	n := 0
	for text := range bytes.SplitSeq(data, []byte("\n")) {
		n++
		if text = bytes.TrimSpace(text); len(text) > 0 {
			f(n, text)
		}
	}
}

const (
	sumsFile    = "SHA256SUMS"
	promptsFile = "prompts.json"
)

func readSums(fsys fs.FS) (map[string]string, error) {
	file, err := fsys.Open(sumsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sums := map[string]string{}
	sc := bufio.NewScanner(file)
	for n := 1; sc.Scan(); n++ {
		sum, name, ok := strings.Cut(sc.Text(), "  ")
		if !ok || len(sum) != 64 {
			return nil, fmt.Errorf("%s:%d: not a line of \"SHA-256  path\"", sumsFile, n)
		}
		sums[path.Clean(name)] = sum
	}
	return sums, sc.Err()
}

func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, name)
	return err == nil
}
