package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/score/acebench/pysource"
)

// Templates are the texts that prompts are made of, by the names evalscope gives them, such as SYSTEM_PROMPT_FOR_NORMAL_DATA_EN.
// No line of them ends in blanks: evalscope removes those that the official repository has.
type Templates map[string]string

// A templateSource says where the official repository keeps a template: a string constant in a Python file.
type templateSource struct {
	name     string // of the template
	file     string
	constant string // in that file
}

// templateSources lists all templates. Both agent files of the repository use the same names for different texts.
func templateSources() []templateSource {
	var all []templateSource
	for _, l := range []string{"EN", "ZH"} {
		add := func(file string, pairs ...string) {
			for pair := range slices.Chunk(pairs, 2) {
				all = append(all, templateSource{pair[0] + l, path.Join(sourceFolder, file), pair[1] + l})
			}
		}
		add("prompt_"+strings.ToLower(l)+".py",
			"SYSTEM_PROMPT_FOR_NORMAL_DATA_", "SYSTEM_PROMPT_FOR_NORMAL_DATA_",
			"SYSTEM_PROMPT_FOR_PREFERENCE_DATA_", "SYSTEM_PROMPT_FOR_PREFERENCE_DATA_",
			"SYSTEM_PROMPT_FOR_SPECIAL_DATA_", "SYSTEM_PROMPT_FOR_SPECIAL_DATA_",
			"USER_PROMPT_", "USER_PROMPT_",
			"TRAVEL_PROMPT_", "TRAVEL_PROMPT_",
			"BASE_PROMPT_", "BASE_PROMPT_")
		add("multi_step/APIModel_agent.py",
			"MULTI_STEP_AGENT_SYSTEM_", "MULTI_TURN_AGENT_PROMPT_SYSTEM_",
			"MULTI_STEP_AGENT_USER_", "MULTI_TURN_AGENT_PROMPT_USER_")
		add("multi_turn/APIModel_agent.py",
			"MULTI_TURN_AGENT_SYSTEM_", "MULTI_TURN_AGENT_PROMPT_SYSTEM_",
			"MULTI_TURN_AGENT_USER_", "MULTI_TURN_AGENT_PROMPT_USER_")
		add("multi_turn/APIModel_user.py",
			"USER_SIMULATOR_BASE_", "SYSTEM_PROMPT_BASE_",
			"USER_SIMULATOR_TRAVEL_", "SYSTEM_PROMPT_TRAVEL_")
	}
	return all
}

// sourceFolder holds the Python files of the official repository.
const sourceFolder = "model_inference"

// Templates returns the prompt templates. The hub's files do not hold them: the error is then [ErrNotHeld].
func (d *Dataset) Templates() (Templates, error) {
	switch {
	case d.form == Bundle:
		return d.bundledTemplates()
	case d.form == Checkout && exists(d.fsys, sourceFolder):
		return d.sourceTemplates()
	}
	return nil, fmt.Errorf("prompt templates: %w: %s holds samples only; give a whole checkout of ACEBench/ACEBench, or a bundle made of one", ErrNotHeld, d.name)
}

func (d *Dataset) bundledTemplates() (Templates, error) {
	data, _, err := d.read(promptsFile)
	if err != nil {
		return nil, fmt.Errorf("reading prompt templates: %w", err)
	}
	t := Templates{}
	if d.under != nil {
		if t, err = d.under.bundledTemplates(); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(data, &t); err != nil { // adds to what is there
		return nil, fmt.Errorf("reading prompt templates: %s: %w", promptsFile, err)
	}
	return t.trimmed(), nil
}

// sourceTemplates reads the templates out of the repository's Python files.
func (d *Dataset) sourceTemplates() (Templates, error) {
	t := Templates{}
	constants := map[string]map[string]string{}
	var missing []error
	for _, s := range templateSources() {
		if constants[s.file] == nil {
			source, err := fs.ReadFile(d.fsys, s.file)
			if err != nil {
				return nil, fmt.Errorf("reading prompt templates: %w", err)
			}
			constants[s.file], err = pysource.Constants(string(source))
			if err != nil {
				return nil, fmt.Errorf("reading prompt templates: %s: %w", s.file, err)
			}
		}
		text, ok := constants[s.file][s.constant]
		if !ok {
			missing = append(missing, fmt.Errorf("%s has no text %s", s.file, s.constant))
		}
		t[s.name] = text
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("reading prompt templates: %w", errors.Join(missing...))
	}
	return t.trimmed(), nil
}

func (t Templates) trimmed() Templates {
	for name, text := range t {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = strings.TrimRight(line, " \t\r\f\v")
		}
		t[name] = strings.Join(lines, "\n")
	}
	return t
}
