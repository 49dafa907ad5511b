package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeResult writes a result file whole or not at all.
func writeResult(path string, data []byte) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeWhole writes a file whole or not at all; "" stands for standard output.
func writeWhole(path string, e env, write func(io.Writer) error) error {
	if path != "" {
		return writeFile(path, write)
	}
	return buffered(e.stdout, write)
}

// buffered has something written to w in large pieces.
func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriter(w)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// checkWritable finds out whether a result file can be written, before hours are spent on what would go into it.
func checkWritable(path string) error {
	if special(path) {
		return nil
	}
	tmp, err := createBeside(path)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	return tmp.Close()
}

// createBeside makes a temporary file in the folder of path, and the folders above it.
func createBeside(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("writing %s: it is a folder; name a file", path)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder of %s: %w; name another file", path, err)
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w; name another file", path, err)
	}
	return tmp, nil
}

// special reports whether there is something at path that is written to and never replaced: /dev/null, a pipe.
func special(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// writeSpecial writes to what is there, as a shell's > does.
func writeSpecial(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("writing %s: %w; name another file", path, err)
	}
	err = buffered(f, write)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// writeFile has a file written whole or not at all, and makes the folders above it. Where a link stands, what it points to is written.
func writeFile(path string, write func(io.Writer) error) error {
	if special(path) {
		return writeSpecial(path, write)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	tmp, err := createBeside(path)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	err = buffered(tmp, write)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("writing %s: %w; name another file", path, err)
	}
	return nil
}
