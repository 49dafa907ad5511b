//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWriteResultSpecial: what stands at the place of a result and is no file is written to, never replaced; of a link, its target is.
func TestWriteResultSpecial(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	came := make(chan string)
	go func() {
		data, err := os.ReadFile(pipe)
		if err != nil {
			t.Error(err)
		}
		came <- string(data)
	}()
	if err := checkWritable(pipe); err != nil {
		t.Error(err)
	}
	if err := writeResult(pipe, []byte("verdicts")); err != nil {
		t.Fatal(err)
	}
	if got := <-came; got != "verdicts" {
		t.Errorf("%q came through the pipe", got)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe has become %v, %v", info.Mode(), err)
	}

	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old and longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := writeResult(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "new" {
		t.Errorf("behind the link is %q, %v", got, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link has become %v, %v", info.Mode(), err)
	}
}
