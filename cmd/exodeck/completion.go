package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// The scripts ask exodeck itself what can follow, so they need no change when a command gets a flag. They leave out what the CLI library
// generates for fish, which takes the flags of `run exo` and `score exo` for the same.
var (
	//go:embed completion/exodeck.bash
	bashCompletion string
	//go:embed completion/exodeck.zsh
	zshCompletion string
	//go:embed completion/exodeck.fish
	fishCompletion string
)

// askedToComplete is the flag that completion scripts put last. The CLI library then prints what can follow in place of doing something.
const askedToComplete = "--generate-bash-completion"

// nothingToComplete reports whether a script asks for what can follow the command behind "--", of which exodeck knows nothing. It must
// not be run for that.
func nothingToComplete(args []string) bool {
	return args[len(args)-1] == askedToComplete && slices.Contains(args, "--")
}

func completionCommand(e env) *cli.Command {
	scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	shells := []string{"bash", "zsh", "fish"}
	c := leaf("completion", "print a script that completes exodeck's commands and flags: bash, zsh or fish", "SHELL", 1, nil, func(c *cli.Context) error {
		script, ok := scripts[c.Args().First()]
		if !ok {
			return usagef("name a shell: %s; `source <(exodeck completion bash)` in ~/.bashrc is all it takes", strings.Join(shells, ", "))
		}
		_, err := fmt.Fprint(e.stdout, script)
		return err
	})
	c.BashComplete = func(*cli.Context) { fmt.Fprintln(e.stdout, strings.Join(shells, "\n")) }
	return c
}
