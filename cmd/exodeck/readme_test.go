package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score"
)

// readmeBlock is the first block of the README behind a text.
func readmeBlock(t *testing.T, text string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), text)
	_, rest, begins := strings.Cut(rest, "\n\n    ")
	block, _, ends := strings.Cut(rest, "\n\n")
	if !found || !begins || !ends {
		t.Fatalf("the README has no block behind %q", text)
	}
	return strings.ReplaceAll(block, "\n    ", "\n") + "\n"
}

// session is the name of a session.
var session = regexp.MustCompile(`\d{8}T\d{6}Z-[a-z0-9]{6}`)

// TestReadmeWatch compares what the README shows of a command with what it prints, all of it. Only session names differ.
func TestReadmeWatch(t *testing.T) {
	const command = "exodeck demo --watch --tape watch.tape"
	shown := readmeBlock(t, "`"+command+"`")
	var printed bytes.Buffer
	e := testEnv(t.TempDir(), &printed)
	e.stdout = &printed
	t.Chdir(t.TempDir())
	if status := run(t.Context(), strings.Fields(command), e); status != 0 {
		t.Fatalf("exit status %d: %s", status, printed.String())
	}
	want, got := session.ReplaceAllString(shown, "SESSION"), session.ReplaceAllString(printed.String(), "SESSION")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-README +printed):\n%s", command, diff)
	}
	if n := strings.Count(got, "\n"); n != 10 {
		t.Errorf("it prints %d lines, where ten are enough", n)
	}
}

// TestReadmeFaults compares the faults that the README shows of the demo with those that are found. The demo asks several questions at
// once, so that the numbers of exchanges differ, too.
func TestReadmeFaults(t *testing.T) {
	shown := readmeBlock(t, "`exodeck score exo` says")
	t.Chdir(t.TempDir())
	if status, _, stderr := exodeck(t.Context(), t, "demo", "--tape", "exodeck.tape"); status != 0 {
		t.Fatalf("demo: exit status %d: %s", status, stderr)
	}
	status, _, stderr := exodeck(t.Context(), t, "score", "exo")
	_, printed, _ := strings.Cut(stderr, "unused\n")
	exchange := regexp.MustCompile(session.String() + `/\d+`)
	want, got := exchange.ReplaceAllString(shown, "EXCHANGE"), exchange.ReplaceAllString(printed, "EXCHANGE")
	if diff := cmp.Diff(want, got); diff != "" || status != score.ExitFailed {
		t.Errorf("status %d (-README +printed):\n%s", status, diff)
	}
}
