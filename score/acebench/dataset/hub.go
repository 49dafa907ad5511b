package dataset

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// hubFiles lists the files that look like the hub's: JSON Lines under a folder or with a name that says the language, such as
// en/normal.jsonl, data/zh/agent-0001.jsonl or en_special.jsonl. The value is the language.
func hubFiles(fsys fs.FS) map[string]Language {
	files := map[string]Language{}
	// An unreadable folder only hides files, and opening then says that there is no data.
	_ = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".jsonl" {
			return nil
		}
		words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("/_-.", r) })
		for _, l := range Languages() {
			if slices.Contains(words, string(l)) {
				files[name] = l
			}
		}
		return nil
	})
	return files
}

// loadHub reads every file of the language and sorts the records by their sub-category.
func (d *Dataset) loadHub(language Language, wanted []Category) []part {
	var names []string
	for name, l := range hubFiles(d.fsys) {
		if l == language {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	read := part{category: categories[0], files: map[string]string{}}
	by := map[Category]*part{}
	for _, c := range wanted {
		by[c] = &part{category: c}
	}
	for _, name := range names {
		for _, r := range d.records(&read, name) {
			subCategory, _ := r.fields["sub_category"].(pyvalue.Str)
			c := CategoryOf(r.id, string(subCategory))
			if !c.Known() {
				read.problems = append(read.problems, Problem{r.file, r.line, fmt.Sprintf("the record %s is of the unknown category %s", r.id, c)})
				continue
			}
			p := by[c]
			if p == nil {
				continue
			}
			r.unpack()
			s, err := r.sample(language, c)
			if err != nil {
				p.problems = append(p.problems, Problem{r.file, r.line, err.Error()})
				continue
			}
			p.samples = append(p.samples, s)
		}
	}
	parts := []part{read}
	for _, c := range wanted {
		if p := by[c]; len(p.samples) == 0 && len(p.problems) == 0 {
			p.problems = append(p.problems, Problem{File: d.name, Text: fmt.Sprintf("no record of category %s in language %s", c, language)})
		}
		parts = append(parts, *by[c])
	}
	return parts
}

// unpack reads the JSON inside the strings of a hub record, and takes ground truth and milestones out of its rubric. What is
// missing, empty or not JSON becomes the empty list or object that evalscope takes for it.
func (r *record) unpack() {
	r.fields["function"] = unpacked(r.fields["function"], pyvalue.NewList())
	r.fields["initial_config"] = unpacked(r.fields["initial_config"], pyvalue.NewDict())
	r.fields["involved_classes"] = unpacked(r.fields["involved_classes"], pyvalue.NewList())
	rubric, ok := unpacked(r.fields["rubric"], pyvalue.NewDict()).(*pyvalue.Dict)
	if !ok {
		return // the record has no ground truth then, and is reported
	}
	r.fields["ground_truth"], r.fields["mile_stone"] = pyvalue.NewDict(), pyvalue.NewList()
	for _, key := range []string{"ground_truth", "mile_stone"} {
		if v, ok := rubric.GetStr(key); ok {
			r.fields[key] = v
		}
	}
}

func unpacked(v, missing pyvalue.Value) pyvalue.Value {
	switch v := v.(type) {
	case nil, pyvalue.None:
		return missing
	case pyvalue.Str:
		inner, err := pyjson.DecodeString(string(v))
		if err != nil {
			return missing
		}
		return inner
	}
	return v
}
