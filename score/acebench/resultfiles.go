package acebench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// ResultFiles holds the answers that another runner wrote into files.
type ResultFiles struct {
	Answers  []Answer
	Problems []dataset.Problem // lines that could not be used
	Digest   string            // of all files, as the digest of a data set is made
	Language dataset.Language  // that evalscope's predictions, else the folders, say the answers are in; "" when neither does
}

// ErrNoResults is wrapped by the error of reading a folder that holds no result files.
var ErrNoResults = errors.New("no result files")

// ReadResults reads the result files at a path: a folder with the official runner's data_<category>_result.json or with
// evalscope's acebench_<category>.jsonl, a folder somewhere above a single such folder (for the language, when there is one for
// each), or one such file. Categories that are not named are passed over; without a name all are read.
func ReadResults(name string, language dataset.Language, categories ...dataset.Category) (*ResultFiles, error) {
	if len(categories) == 0 {
		categories = dataset.Categories()
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	r := &ResultFiles{}
	sums := map[string]string{}
	if !info.IsDir() {
		if err := r.file(os.DirFS(filepath.Dir(name)), filepath.Base(name), name, sums); err != nil {
			return nil, fmt.Errorf("reading results: %w", err)
		}
		r.finish(filepath.Dir(name), sums)
		return r, nil
	}
	fsys := os.DirFS(name)
	folder, err := resultFolder(fsys, language)
	if err != nil {
		return nil, fmt.Errorf("reading results in %s: %w", name, err)
	}
	for _, c := range categories {
		for _, file := range []string{officialName(c), evalscopeName(c)} {
			file = path.Join(folder, file)
			if _, err := fs.Stat(fsys, file); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err := r.file(fsys, file, filepath.Join(name, file), sums); err != nil {
				return nil, fmt.Errorf("reading results: %w", err)
			}
		}
	}
	r.finish(filepath.Join(name, filepath.FromSlash(folder)), sums)
	return r, nil
}

// finish fills in what all files of the folder together tell.
func (r *ResultFiles) finish(folder string, sums map[string]string) {
	r.Digest = dataset.Digest(sums)
	if r.Language == "" {
		r.Language = folderLanguage(folder)
	}
}

// folderLanguage is the language that a folder lies under, as in result_en/model or en/model; "" when its path names none.
func folderLanguage(folder string) dataset.Language {
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	for _, element := range slices.Backward(strings.Split(filepath.ToSlash(folder), "/")) {
		if l, err := dataset.ParseLanguage(strings.TrimPrefix(element, "result_")); err == nil {
			return l
		}
	}
	return ""
}

func officialName(c dataset.Category) string  { return "data_" + string(c) + "_result.json" }
func evalscopeName(c dataset.Category) string { return "acebench_" + string(c) + ".jsonl" }

// reviewsFolder is where evalscope keeps its verdicts, in files that are called as those of the predictions beside it.
const reviewsFolder = "reviews"

// resultFolder finds the folder that holds the result files.
func resultFolder(fsys fs.FS, language dataset.Language) (string, error) {
	names := map[string]bool{}
	for _, c := range dataset.Categories() {
		names[officialName(c)], names[evalscopeName(c)] = true, true
	}
	var folders []string
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == reviewsFolder {
			return fs.SkipDir
		}
		if folder := path.Dir(name); !entry.IsDir() && names[path.Base(name)] && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if slices.Contains(folders, ".") {
		return ".", nil
	}
	if of := ofLanguage(folders, language); len(folders) > 1 && len(of) > 0 {
		folders = of
	}
	switch len(folders) {
	case 0:
		return "", fmt.Errorf("%w: expected files such as %s or %s", ErrNoResults, officialName(dataset.AtomBool), evalscopeName(dataset.AtomBool))
	case 1:
		return folders[0], nil
	}
	return "", fmt.Errorf("there are result files in several folders, give one of them: %s", strings.Join(folders, ", "))
}

// ofLanguage returns the folders whose path names the language, as in result_en/model or en/model.
func ofLanguage(folders []string, language dataset.Language) []string {
	var of []string
	for _, folder := range folders {
		words := strings.FieldsFunc(folder, func(r rune) bool { return strings.ContainsRune("/_-.", r) })
		if slices.Contains(words, string(language)) {
			of = append(of, folder)
		}
	}
	return of
}

// file reads one result file. Messages call it by shown.
func (r *ResultFiles) file(fsys fs.FS, name, shown string, sums map[string]string) error {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	sums[path.Base(name)] = hex.EncodeToString(sum[:])
	n := 0
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		a, err := r.line(line)
		if err != nil {
			r.Problems = append(r.Problems, dataset.Problem{File: shown, Line: n, Text: err.Error()})
			continue
		}
		a.Place = fmt.Sprintf("%s:%d", shown, n)
		r.Answers = append(r.Answers, a)
	}
	return nil
}

// line reads one line of either form.
func (r *ResultFiles) line(line []byte) (Answer, error) {
	v, err := pyjson.Decode(line)
	if err != nil {
		return Answer{}, fmt.Errorf("the line is not JSON, it may have been cut: %w", err)
	}
	record, ok := v.(*pyvalue.Dict)
	if !ok {
		return Answer{}, fmt.Errorf("the line is not an object but %s", pyvalue.TypeName(v))
	}
	if _, ok := record.GetStr("model_output"); ok {
		if err := r.spoken(record); err != nil {
			return Answer{}, err
		}
		return evalscopeResult(record)
	}
	if _, ok := record.GetStr("sample_score"); ok {
		return Answer{}, errors.New("the line is a verdict of evalscope and holds no answer: give the folder of its predictions")
	}
	return officialResult(record)
}

// spoken notes the language of one of evalscope's predictions.
func (r *ResultFiles) spoken(record *pyvalue.Dict) error {
	v, _ := object(record, "metadata").GetStr("language")
	text, ok := v.(pyvalue.Str)
	if !ok {
		return nil
	}
	l, err := dataset.ParseLanguage(string(text))
	switch {
	case err != nil:
		return fmt.Errorf("the prediction's metadata: %w", err)
	case r.Language == "":
		r.Language = l
	case r.Language != l:
		return fmt.Errorf("the prediction is of language %s, those before it of %s", l, r.Language)
	}
	return nil
}

// officialResult reads {"id", "result"}, and for agents "process" too, where the result is the end state.
func officialResult(record *pyvalue.Dict) (Answer, error) {
	a := Answer{Status: OK}
	id, _ := record.GetStr("id")
	text, ok := id.(pyvalue.Str)
	if !ok {
		return a, errors.New(`the result has no "id"`)
	}
	a.ID = string(text)
	result, ok := record.GetStr("result")
	if !ok {
		return a, fmt.Errorf(`the result of %s has no "result"`, a.ID)
	}
	if dataset.CategoryOf(a.ID, "").Family() == dataset.Agent {
		a.State = result
		a.Trace, _ = record.GetStr("process")
		return a, nil
	}
	said, ok := result.(pyvalue.Str)
	a.Text, a.NotText = string(said), !ok
	return a, nil
}

// evalscopeResult reads a line of evalscope's prediction files: the text of the first choice, and what a rollout left in the
// metadata.
func evalscopeResult(record *pyvalue.Dict) (Answer, error) {
	a := Answer{Status: OK}
	metadata := object(record, "metadata")
	id, _ := metadata.GetStr("id")
	text, ok := id.(pyvalue.Str)
	if !ok {
		return a, errors.New(`the prediction has no "id" in its "metadata": evalscope was run without saving metadata, so its samples cannot be told apart`)
	}
	a.ID = string(text)
	if dataset.CategoryOf(a.ID, "").Family() == dataset.Agent {
		if state, ok := metadata.GetStr("end_state"); ok && pyvalue.TypeName(state) != "NoneType" {
			a.State = state
		}
		a.Trace, _ = metadata.GetStr("process")
		return a, nil
	}
	choices, _ := object(record, "model_output").GetStr("choices")
	if list, ok := choices.(*pyvalue.List); ok && list.Len() > 0 {
		if choice, ok := list.Items[0].(*pyvalue.Dict); ok {
			a.Text = contentText(object(choice, "message"))
		}
	}
	return a, nil
}

// contentText joins the text parts of a message, without its reasoning.
func contentText(message *pyvalue.Dict) string {
	content, _ := message.GetStr("content")
	switch c := content.(type) {
	case pyvalue.Str:
		return WithoutReasoning(string(c))
	case *pyvalue.List:
		var texts []string
		for _, item := range c.Items {
			part, ok := item.(*pyvalue.Dict)
			if !ok {
				continue
			}
			kind, _ := part.GetStr("type")
			text, _ := part.GetStr("text")
			if s, ok := text.(pyvalue.Str); ok && pyvalue.Equal(kind, pyvalue.Str("text")) {
				texts = append(texts, string(s))
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

// object returns an object inside another, empty when it is not there.
func object(in *pyvalue.Dict, name string) *pyvalue.Dict {
	v, _ := in.GetStr(name)
	if d, ok := v.(*pyvalue.Dict); ok {
		return d
	}
	return pyvalue.NewDict()
}
