package record

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	keyFile = "fingerprint.key"
	keySize = 32
)

// StateDir is where exodeck keeps what belongs to the user and not to a tape: EXODECK_HOME when set, else
// $XDG_STATE_HOME/exodeck or ~/.local/state/exodeck on Linux, else ~/.exodeck. It follows exo's own rule.
func StateDir(getenv func(string) string, goos string) (string, error) {
	if dir := getenv("EXODECK_HOME"); dir != "" {
		return dir, nil
	}
	home := getenv("HOME")
	if goos == "windows" {
		home = getenv("USERPROFILE")
	}
	if goos == "linux" {
		if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "exodeck"), nil
		}
		if home != "" {
			return filepath.Join(home, ".local", "state", "exodeck"), nil
		}
	}
	if home == "" {
		return "", errors.New("no home folder is known: set EXODECK_HOME to a folder for exodeck's own files")
	}
	return filepath.Join(home, ".exodeck"), nil
}

// LoadKey reads the key of the fingerprints from dir, and makes one there when there is none. Only its owner can read it.
func LoadKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, keyFile)
	for range 2 {
		key, err := os.ReadFile(path)
		switch {
		case err == nil && len(key) != keySize:
			return nil, fmt.Errorf("reading the fingerprint key %s: %d bytes instead of %d: remove the file and a new key is made", path, len(key), keySize)
		case err == nil:
			return key, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reading the fingerprint key: %w", err)
		}
		if err := makeKey(dir, path); err != nil {
			return nil, fmt.Errorf("making a fingerprint key: %w", err)
		}
	}
	return nil, fmt.Errorf("the fingerprint key %s vanished while it was read", path)
}

// makeKey writes a whole key under a temporary name and links it into place, so that two recorders that start at once end up with
// the same key and none ever reads half of one.
func makeKey(dir, path string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, keyFile+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	key := make([]byte, keySize)
	rand.Read(key)
	_, err = tmp.Write(key)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		// File systems without hard links: the rename may replace a key made at the same moment, which is harmless
		// for whoever reads it from now on.
		return os.Rename(tmp.Name(), path)
	}
	return nil
}
