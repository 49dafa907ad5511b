package main

import (
	"context"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/show"
)

type tapeMergeConfig struct {
	Out    string
	Tapes  []string
	Format string
}

func tapeMergeCommand(e env) *cli.Command {
	return leaf("merge", "make one tape of several", "TAPE...", maxMerged, []cli.Flag{
		&cli.StringFlag{Name: "out", Usage: "`FILE` to make, which must not be there yet; needed"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text` or json"},
	}, func(c *cli.Context) error {
		cfg := tapeMergeConfig{Out: c.String("out"), Tapes: c.Args().Slice(), Format: c.String("format")}
		switch {
		case cfg.Out == "":
			return usagef("--out names the tape to make; write: exodeck tape merge --out FILE TAPE...")
		case len(cfg.Tapes) == 0:
			return usagef("name the tapes to merge; write: exodeck tape merge --out %s TAPE...", cfg.Out)
		}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		return runTapeMerge(c.Context, cfg, e)
	})
}

// maxMerged is how many tapes one call merges: each is a file that is held open.
const maxMerged = 200

// mergedTape is what the command prints.
type mergedTape struct {
	Tape      string           `json:"tape"`
	Sessions  int64            `json:"sessions"`
	Exchanges int64            `json:"exchanges"`
	Doubled   int64            `json:"doubled"`
	Bytes     int64            `json:"bytes"`
	Renamed   []renamedSession `json:"renamed"`
}

type renamedSession struct {
	Tape string `json:"tape"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

func runTapeMerge(ctx context.Context, cfg tapeMergeConfig, e env) error {
	m, err := tape.Merge(ctx, cfg.Out, cfg.Tapes...)
	if err != nil {
		return err
	}
	info, err := os.Stat(cfg.Out)
	if err != nil {
		return err
	}
	merged := mergedTape{Tape: cfg.Out, Sessions: m.Sessions, Exchanges: m.Exchanges, Doubled: m.Doubled, Bytes: info.Size(), Renamed: []renamedSession{}}
	for _, r := range m.Renamed {
		merged.Renamed = append(merged.Renamed, renamedSession(r))
	}
	if cfg.Format == "json" {
		return jsonLines(e.stdout).Encode(merged)
	}
	text := fmt.Sprintf("%s: %s in %s, %s", merged.Tape, show.Count(merged.Exchanges, "exchange"), show.Count(merged.Sessions, "session"), formatBytes(merged.Bytes))
	if merged.Doubled > 0 {
		text += fmt.Sprintf("; %s left out that were there already", show.Count(merged.Doubled, "exchange"))
	}
	for _, r := range merged.Renamed {
		text += fmt.Sprintf("\nsession %s of %s is called %s here: another session has its name", r.Old, r.Tape, r.New)
	}
	_, err = fmt.Fprintln(e.stdout, text)
	return err
}
