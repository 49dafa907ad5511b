//go:build unix

package tape

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// stranger is a user that owns nothing.
const stranger = 65534

const readEnv = "EXODECK_TEST_READ_TAPE"

// TestReadOnlyFolder reads tapes as a user who may write neither them nor beside them, which is also what a read-only disk is like.
func TestReadOnlyFolder(t *testing.T) {
	if path := os.Getenv(readEnv); path != "" {
		readAsStranger(t, path)
		return
	}
	for name, path := range map[string]string{"closed": newTape(t, 5), "killed": killedTape(t, 5)} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Dir(path)
			files, err := filepath.Glob(path + "*")
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				if err := os.Chmod(file, 0o444); err != nil {
					t.Fatal(err)
				}
			}
			for up := dir; up != os.TempDir() && len(up) > 1; up = filepath.Dir(up) {
				if err := os.Chmod(up, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(path+".secret", []byte("not for strangers"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, 0o555); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(dir, 0o755)
			if os.Getuid() != 0 {
				readAsStranger(t, path)
				return
			}
			// Nothing is forbidden to root: another user has to do it, with a copy of this program that it may run.
			program := filepath.Join(t.TempDir(), "tape.test")
			data, err := os.ReadFile(os.Args[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, data, 0o755); err != nil {
				t.Fatal(err)
			}
			for up := filepath.Dir(program); up != os.TempDir() && len(up) > 1; up = filepath.Dir(up) {
				if err := os.Chmod(up, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestReadOnlyFolder$", "-test.v")
			cmd.Dir = "/"
			cmd.Env = append(os.Environ(), readEnv+"="+path)
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
			if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("read as a stranger")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func readAsStranger(t *testing.T, path string) {
	before, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := os.Create(filepath.Join(filepath.Dir(path), "probe")); err == nil {
		f.Close()
		t.Fatal("the folder can be written")
	}
	tp := openTape(t, path)
	found := all(t, tp, Query{})
	if len(found) < 5 {
		t.Errorf("%d exchanges", len(found))
	}
	for _, x := range found {
		body, err := tp.Body(t.Context(), x.Response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			t.Error(err)
		}
		if x.Ended == InFlight {
			t.Errorf("exchange %d is in flight on a tape nobody records", x.Seq)
		}
	}
	if err := tp.Close(); err != nil {
		t.Error(err)
	}
	after, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(after) != len(before) {
		t.Errorf("files beside the tape: %v, before %v", after, before)
	}
	_, err = OpenRecorder(t.Context(), path, RecorderOptions{})
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("recording where one may not write: %v", err)
	}
	if os.Getenv(readEnv) != "" { // the files are another user's
		_, err = Open(t.Context(), path+".secret")
		var e *Error
		if !errors.Is(err, fs.ErrPermission) || !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("reading what one may not read: %v", err)
		}
	}
	t.Log("read as a stranger")
}
