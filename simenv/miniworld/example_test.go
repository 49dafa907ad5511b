package miniworld_test

import (
	"fmt"
	"io/fs"

	"github.com/exodeck/exodeck/simenv/miniworld"
)

func Example() {
	err := fs.WalkDir(miniworld.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			fmt.Println(path)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// data_all/data_en/data_agent_multi_step.json
	// data_all/data_en/data_agent_multi_turn.json
	// data_all/data_en/possible_answer/data_agent_multi_step.json
	// data_all/data_en/possible_answer/data_agent_multi_turn.json
	// data_all/data_zh/data_agent_multi_step.json
	// data_all/data_zh/data_agent_multi_turn.json
	// data_all/data_zh/possible_answer/data_agent_multi_step.json
	// data_all/data_zh/possible_answer/data_agent_multi_turn.json
	// prompts.json
	// world-en.json
	// world-zh.json
}
