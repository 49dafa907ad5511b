package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/score/report"
)

// checkTextOrJSON refuses a --format that a command for people and programs does not have.
func checkTextOrJSON(format string) error {
	if format != "text" && format != "json" {
		return usagef("--format is text or json, not %q", format)
	}
	return nil
}

// printJSON prints the one object that a command has to say.
func (e env) printJSON(object any) error {
	enc := jsonLines(e.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(object)
}

// jsonLines prints objects, one a line.
func jsonLines(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// scoreFormats are the formats of all score commands: for people, for programs, and for CI systems.
var scoreFormats = []string{"text", "json", "junit", "md", "github"}

func scoreFormatFlag() cli.Flag {
	return &cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT`: text; json, the run file; junit; md, markdown; " +
		"github, annotations for the log of a GitHub job, and markdown for its summary"}
}

func checkScoreFormat(format string) error {
	if slices.Contains(scoreFormats, format) {
		return nil
	}
	last := len(scoreFormats) - 1
	return usagef("--format is %s or %s, not %q", strings.Join(scoreFormats[:last], ", "), scoreFormats[last], format)
}

// printReport prints a report in one of the formats for CI systems. text is the report for people, which the log of a GitHub job is to
// show too.
func (e env) printReport(format string, r *report.Report, text []byte) error {
	switch format {
	case "junit":
		return report.JUnit(e.stdout, r)
	case "md":
		return report.Markdown(e.stdout, r)
	}
	if err := report.GitHub(e.stdout, r, text); err != nil {
		return err
	}
	path := e.getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		_, err := e.stdout.Write(report.Summary(r, report.SummaryLimit))
		return err
	}
	return addSummary(path, r)
}

// addSummary adds a report to the summary of a step, which earlier commands of the step may have begun.
func addSummary(path string, r *report.Report) (err error) {
	info, err := os.Stat(path)
	used := 0
	switch {
	case err == nil:
		used = int(info.Size())
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("writing the job summary (GITHUB_STEP_SUMMARY): %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("writing the job summary (GITHUB_STEP_SUMMARY): %w", err)
	}
	_, err = f.Write(report.Summary(r, report.SummaryLimit-used))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing the job summary (GITHUB_STEP_SUMMARY): %w", err)
	}
	return nil
}
