package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/simenv"
)

type simenvCallConfig struct {
	Data string
	File string // "" or "-" is stdin
}

func simenvCallCommand(e env) *cli.Command {
	c := leaf("call", "run calls against the simulator, JSON Lines in and out", "[FILE]", 1, []cli.Flag{
		dataFlag(),
	}, func(c *cli.Context) error {
		return runSimenvCall(c.Context, simenvCallConfig{Data: c.String("data"), File: c.Args().First()}, e)
	})
	c.Description = inputNames
	return c
}

// runSimenvCall answers every line as soon as it has come, so that a program can hold a conversation over two pipes. A line that is not
// of the right form gets an answer too: {"line": its number, "error": what is wrong}.
func runSimenvCall(ctx context.Context, cfg simenvCallConfig, e env) error {
	d, err := openData(cfg.Data, e)
	if err != nil {
		return err
	}
	worlds, err := d.LoadWorlds()
	if err != nil {
		return err
	}
	in, err := openInput(cfg.File, "calls, one JSON object a line,", e)
	if err != nil {
		return err
	}
	defer in.Close()
	f := callFilter{worlds: worlds, name: cfg.File, e: e}
	if f.name == "" || f.name == "-" {
		f.name = "stdin"
	}
	if err := f.run(ctx, in); err != nil {
		return err
	}
	if f.bad > 0 {
		return fmt.Errorf("%d of %d lines could not be run; a line is {\"id\", \"language\", \"involved_classes\", \"initial_config\", \"calls\": [{\"name\", \"args\"}]}", f.bad, f.lines)
	}
	return nil
}

// callFilter answers lines.
type callFilter struct {
	worlds     simenv.Worlds
	name       string // of the input, for messages
	e          env
	lines, bad int
}

func (f *callFilter) run(ctx context.Context, in io.Reader) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	lines := readLines(reading, in)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			if err := f.line(line); err != nil {
				return err
			}
		}
	}
}

func (f *callFilter) line(line inputLine) error {
	f.lines++
	if line.err != nil {
		return fmt.Errorf("reading %s: %w", f.name, line.err)
	}
	if len(bytes.TrimSpace(line.text)) == 0 {
		return nil
	}
	answer, err := f.worlds.RunLine(line.text)
	if err != nil {
		f.bad++
		fmt.Fprintf(f.e.stderr, "exodeck: %s:%d: %v\n", f.name, f.lines, err)
		answer = lineError(f.lines, err)
	}
	// One write a line: whoever waits for the answer has it now.
	if _, err := f.e.stdout.Write(append(answer, '\n')); err != nil {
		return fmt.Errorf("writing the answer to line %d: %w", f.lines, err)
	}
	return nil
}

func lineError(number int, err error) []byte {
	answer, _ := json.Marshal(struct { // a number and a text always have a JSON form
		Line  int    `json:"line"`
		Error string `json:"error"`
	}{number, err.Error()})
	return answer
}

// inputLine is a line without its end, or what kept it from being read.
type inputLine struct {
	text []byte
	err  error
}

// readLines reads lines of any length until the input ends or ctx does. A read from a terminal or pipe cannot be interrupted, so it
// is left behind when ctx ends first.
func readLines(ctx context.Context, in io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			text, err := r.ReadBytes('\n')
			line := inputLine{text: bytes.TrimRight(text, "\r\n")}
			if err != nil && !errors.Is(err, io.EOF) {
				line.err = err
			}
			if len(text) > 0 || line.err != nil {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}
