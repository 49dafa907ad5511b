package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// env is what the outside gives to a command.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, e env) int {
	if nothingToComplete(args) {
		return 0
	}
	args, wrapped := splitWrapped(expandScenarios(args))
	app := newApp(e, wrapped)
	app.Metadata = map[string]any{commandLine: args}
	return e.exitStatus(app.RunContext(ctx, args))
}

// commandLine is where the application keeps the words it was called with.
const commandLine = "command line"

// newApp lists all commands there are.
func newApp(e env, wrapped []string) *cli.App {
	app := &cli.App{
		Name:    "exodeck",
		Usage:   "a tape deck for the exo API: record live traffic, score it offline",
		Version: build(),
		Description: "Results go to stdout, everything else to stderr. Exit status: 0 all passed, 1 something failed a check, 2 usage, " +
			"3 nothing to score or the tape lacks answers, 4 cannot run or something went unrecorded, 130 interrupted, 141 whoever reads the output has left.",
		Commands: []*cli.Command{
			demoCommand(e),
			recordCommand(e, wrapped),
			replayCommand(e, wrapped),
			group("run", "ask a live API through the recorder, then score",
				runExoCommand(e),
				runACEBenchCommand(e),
			),
			group("score", "score a recording, without any model",
				scoreExoCommand(e),
				scoreACEBenchCommand(e),
				scoreConformanceCommand(e),
			),
			group("conformance", "what score conformance judges by",
				conformanceCodesCommand(e),
			),
			group("tape", "look at a tape",
				tapeLsCommand(e),
				tapeShowCommand(e),
				tapeStatsCommand(e),
				tapeTimingsCommand(e),
				tapePruneCommand(e),
				tapeMergeCommand(e),
				tapeGrepCommand(e),
				tapeTailCommand(e),
				tapeThreadsCommand(e),
			),
			askCommand(e),
			bugreportCommand(e),
			doctorCommand(e),
			group("cassette", "small text files of exchanges, for git and CI",
				cassetteExportCommand(e),
				cassetteImportCommand(e),
				cassetteVerifyCommand(e),
				cassetteRedactCommand(e),
				cassetteDiffCommand(e),
			),
			parseCommand(e),
			group("data", "look at ACEBench data sets, and make bundles of them",
				dataImportCommand(e),
				dataLsCommand(e),
				dataShowCommand(e),
				dataAuditCommand(e),
			),
			group("simenv", "the simulated APIs of ACEBench's agents",
				simenvCallCommand(e),
				simenvMethodsCommand(e),
			),
			completionCommand(e),
			manCommand(e),
		},
		Action:                    unknownCommand,
		Reader:                    e.stdin,
		Writer:                    e.stdout,
		ErrWriter:                 e.stderr,
		DisableSliceFlagSeparator: true,
		EnableBashCompletion:      true,
		OnUsageError:              usageError,
		// Both would end the process or write to stdout by themselves; exitStatus does that, in one place.
		ExitErrHandler:  func(*cli.Context, error) {},
		HideHelpCommand: true,
	}
	return app
}

// group is a command that only has subcommands.
func group(name, usage string, commands ...*cli.Command) *cli.Command {
	return &cli.Command{
		Name:            name,
		Usage:           usage,
		Subcommands:     commands,
		Action:          unknownCommand,
		OnUsageError:    usageError,
		HideHelpCommand: true,
	}
}

// leaf is a command that does something. It takes at most maxArgs arguments, named in argsUsage, behind its flags.
func leaf(name, usage, argsUsage string, maxArgs int, flags []cli.Flag, action func(*cli.Context) error) *cli.Command {
	for _, f := range flags {
		if b, ok := f.(*cli.BoolFlag); ok {
			b.DisableDefaultText = true // all are off
		}
	}
	return &cli.Command{
		Name:            name,
		Usage:           usage,
		ArgsUsage:       argsUsage,
		Flags:           flags,
		OnUsageError:    usageError,
		HideHelpCommand: true,
		Action: func(c *cli.Context) error {
			if slices.ContainsFunc(c.Args().Slice(), func(arg string) bool { return arg == "--help" || arg == "-h" }) {
				cli.HelpPrinter(c.App.Writer, cli.CommandHelpTemplate, c.Command) // also behind arguments
				return nil
			}
			if err := checkArgs(c, maxArgs); err != nil {
				return err
			}
			return action(c)
		},
	}
}

// checkArgs refuses flags behind arguments, which the CLI library would take for arguments, and arguments nobody reads.
func checkArgs(c *cli.Context, most int) error {
	args := c.Args().Slice()
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") && arg != "-" {
			words, _ := c.App.Metadata[commandLine].([]string)
			line := c.App.Name
			for _, word := range slices.Concat(words[1:len(words)-len(args)], args[i:], args[:i]) {
				line += " " + shellWord(word)
			}
			return usagef("flags go before arguments; write: %s", line)
		}
	}
	if len(args) > most {
		return usagef("%s takes %s, got %q", c.Command.HelpName, plural(most, "argument"), args)
	}
	return nil
}

// shellWord quotes a word for a shell when it needs to be.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func plural(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "at most one " + noun
	}
	return fmt.Sprintf("at most %d %ss", n, noun)
}

// unknownCommand is the action of the application and of groups: no command was named, or one that does not exist.
func unknownCommand(c *cli.Context) error {
	if c.NArg() == 0 {
		help := cli.ShowSubcommandHelp
		if c.Command.Name == c.App.Name || len(c.Lineage()) <= 2 && c.Command.Name == "" {
			help = cli.ShowAppHelp
		}
		c.App.Writer = c.App.ErrWriter
		if err := help(c); err != nil {
			return err
		}
		return usagef("name a command")
	}
	return usagef("there is no command %q; %s --help lists those there are", strings.TrimSpace(c.Command.HelpName+" "+c.Args().First()), c.Command.HelpName)
}

// splitWrapped cuts the command behind "--" off the arguments, so that the CLI library cannot mistake its flags for ours.
func splitWrapped(args []string) (own, wrapped []string) {
	i := slices.Index(args, "--")
	if i < 0 {
		return args, nil
	}
	return args[:i], args[i+1:]
}

// expandScenarios turns exo's "--scenarios a b c" into a flag for each name, and drops one without a name: it means all.
func expandScenarios(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		if args[i] != "--scenarios" {
			out = append(out, args[i])
			continue
		}
		for ; i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"); i++ {
			out = append(out, "--scenarios", args[i+1])
		}
	}
	return out
}
