package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/har"
	"github.com/exodeck/exodeck/replay/cassette/pairs"
	"github.com/exodeck/exodeck/replay/cassette/vcr"
)

type cassetteImportConfig struct {
	File   string
	Format string
	Tape   string
}

func cassetteImportCommand(e env) *cli.Command {
	return leaf("import", "put the exchanges of a cassette, or of another kind of recording, on a tape", "FILE", 1, []cli.Flag{
		tapeFlag(),
		&cli.StringFlag{Name: "format", Usage: "`cassette`, har, vcr (YAML of go-vcr or VCR.py), or pairs: JSON Lines of OpenAI requests and responses (default: what the file looks like)"},
	}, func(c *cli.Context) error {
		cfg := cassetteImportConfig{File: c.Args().First(), Format: c.String("format"), Tape: c.String("tape")}
		if cfg.File == "" {
			return usagef("say which cassette: exodeck cassette import x.cassette.jsonl")
		}
		if cfg.Format != "" && importers[cfg.Format] == nil {
			return usagef("--format is cassette, har, vcr or pairs, not %q", cfg.Format)
		}
		return runCassetteImport(c.Context, cfg, e)
	})
}

// importers read the kinds of recordings that can be imported.
var importers = map[string]func(path string) (*cassette.Cassette, error){
	"cassette": cassette.Open,
	"har":      fromFile(har.Read),
	"pairs":    fromFile(pairs.Read),
	"vcr":      fromFile(vcr.Read),
}

// fromFile makes a function that reads a file of one that reads.
func fromFile(read func(io.Reader, string) (*cassette.Cassette, error)) func(path string) (*cassette.Cassette, error) {
	return func(path string) (c *cassette.Cassette, err error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		return read(f, path)
	}
}

func runCassetteImport(ctx context.Context, cfg cassetteImportConfig, e env) error {
	format := cfg.Format
	if format == "" {
		var err error
		if format, err = recordingFormat(cfg.File); err != nil {
			return fmt.Errorf("importing: %w; check the path", err)
		}
	}
	c, err := importers[format](cfg.File)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := cassette.Import(ctx, c, cfg.Tape); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "imported %s to %s\n", counted(c.Head().Exchanges, "exchange"), cfg.Tape)
	return nil
}

// recordingFormat tells what kind of recording a file is, by its beginning.
func recordingFormat(path string) (format string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	head = head[:n]
	line, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	squeezed := strings.Join(strings.Fields(string(head[:min(n, 400)])), "")
	switch {
	case strings.HasPrefix(squeezed, `{"log":`):
		return "har", nil
	case bytes.Contains(line, []byte(`"response"`)) && bytes.Contains(line, []byte(`"request"`)) && !bytes.Contains(line, []byte(`"method"`)):
		return "pairs", nil
	case bytes.HasPrefix(head, []byte("interactions:")) || bytes.Contains(head, []byte("\ninteractions:")):
		return "vcr", nil
	}
	return "cassette", nil
}
