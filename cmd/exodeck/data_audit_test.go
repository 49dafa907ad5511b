package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/simenv/miniworld"
)

// TestDataAuditOneWorld: only the world of a language that is looked at is needed.
func TestDataAuditOneWorld(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundle")
	if err := os.CopyFS(dir, os.DirFS("../../score/acebench/dataset/mini")); err != nil {
		t.Fatal(err)
	}
	world, err := miniworld.FS.ReadFile("world-en.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "world-en.json"), world, 0o666); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := exodeck(t.Context(), t, "data", "audit", "--data", dir, "--language", "en"); status != 0 {
		t.Errorf("en: status %d\n%s\n%s", status, stdout, stderr)
	}
	if status, _, stderr := exodeck(t.Context(), t, "data", "audit", "--data", dir, "--language", "zh"); status != exitCannotRun || !strings.Contains(stderr, "world-zh.json") {
		t.Errorf("zh: status %d\n%s", status, stderr)
	}
}
