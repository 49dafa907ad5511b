package record_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/exodeck/exodeck/proxy/record"
)

func TestLoadKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "exodeck")
	key, err := record.LoadKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(key) != 32 || bytes.Equal(key, make([]byte, 32)) {
		t.Errorf("the key is %x", key)
	}
	again, err := record.LoadKey(dir)
	if err != nil || !bytes.Equal(again, key) {
		t.Errorf("the second time the key is %x, %v", again, err)
	}
	other, err := record.LoadKey(t.TempDir())
	if err != nil || bytes.Equal(other, key) {
		t.Errorf("the key of another folder is %x, %v", other, err)
	}
	if runtime.GOOS == "windows" {
		return // it has no such permissions
	}
	for name, want := range map[string]os.FileMode{filepath.Join(dir, "fingerprint.key"): 0o600, dir: 0o700} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
}

// TestLoadKeyAtOnce has many recorders start for the first time at the same moment.
func TestLoadKeyAtOnce(t *testing.T) {
	dir := t.TempDir()
	keys := make([][]byte, 16)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			<-start
			var err error
			if keys[i], err = record.LoadKey(dir); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	wg.Wait()
	for _, key := range keys {
		if !bytes.Equal(key, keys[0]) {
			t.Fatalf("two keys: %x and %x", keys[0], key)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestLoadKeyFails(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(dir string) string
		want []string // what the error says
	}{
		{"damaged", func(dir string) string {
			os.WriteFile(filepath.Join(dir, "fingerprint.key"), []byte("short"), 0o600)
			return dir
		}, []string{"fingerprint.key", "5 bytes instead of 32", "remove the file and a new key is made"}},
		{"empty", func(dir string) string {
			os.WriteFile(filepath.Join(dir, "fingerprint.key"), nil, 0o600)
			return dir
		}, []string{"0 bytes instead of 32", "remove the file"}},
		{"not readable", func(dir string) string {
			os.Mkdir(filepath.Join(dir, "fingerprint.key"), 0o700)
			return dir
		}, []string{"reading the fingerprint key", "fingerprint.key"}},
		{"a file in the folder's place", func(dir string) string {
			dir = filepath.Join(dir, "state")
			os.WriteFile(dir, nil, 0o600)
			return dir
		}, []string{"fingerprint key", "state", "not a directory"}},
		{"a folder that cannot be written", func(dir string) string {
			if os.Geteuid() == 0 {
				return ""
			}
			os.Chmod(dir, 0o500)
			return dir
		}, []string{"making a fingerprint key", "permission denied"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("the messages are those of Unix")
			}
			dir := tt.make(t.TempDir())
			if dir == "" {
				t.Skip("root can write everywhere")
			}
			key, err := record.LoadKey(dir)
			if err == nil {
				t.Fatalf("got the key %x", key)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q: %v", want, err)
				}
			}
		})
	}
}

func TestStateDir(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the wanted paths are written with slashes")
	}
	for _, tt := range []struct {
		name, goos string
		env        map[string]string
		want       string
	}{
		{"linux", "linux", map[string]string{"HOME": "/home/ada"}, "/home/ada/.local/state/exodeck"},
		{"linux with XDG_STATE_HOME", "linux", map[string]string{"HOME": "/home/ada", "XDG_STATE_HOME": "/var/ada"}, "/var/ada/exodeck"},
		{"linux with XDG_STATE_HOME only", "linux", map[string]string{"XDG_STATE_HOME": "/var/ada"}, "/var/ada/exodeck"},
		{"XDG paths must be absolute", "linux", map[string]string{"HOME": "/home/ada", "XDG_STATE_HOME": "state"}, "/home/ada/.local/state/exodeck"},
		{"darwin", "darwin", map[string]string{"HOME": "/Users/ada", "XDG_STATE_HOME": "/var/ada"}, "/Users/ada/.exodeck"},
		{"windows", "windows", map[string]string{"USERPROFILE": "/C/Users/ada", "HOME": "/home/ada"}, "/C/Users/ada/.exodeck"},
		{"EXODECK_HOME on linux", "linux", map[string]string{"EXODECK_HOME": "/deck", "HOME": "/home/ada", "XDG_STATE_HOME": "/var/ada"}, "/deck"},
		{"EXODECK_HOME on darwin", "darwin", map[string]string{"EXODECK_HOME": "/deck", "HOME": "/Users/ada"}, "/deck"},
		{"EXODECK_HOME on windows", "windows", map[string]string{"EXODECK_HOME": "/deck"}, "/deck"},
		{"nothing on linux", "linux", nil, ""},
		{"nothing on darwin", "darwin", map[string]string{"XDG_STATE_HOME": "/var/ada"}, ""},
		{"nothing on windows", "windows", map[string]string{"HOME": "/home/ada"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := record.StateDir(func(name string) string { return tt.env[name] }, tt.goos)
			if tt.want == "" {
				if err == nil || !strings.Contains(err.Error(), "set EXODECK_HOME") {
					t.Errorf("got %q, %v", got, err)
				}
				return
			}
			if got != tt.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
