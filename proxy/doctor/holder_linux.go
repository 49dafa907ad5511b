package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockedBy names the process that holds the lock on a file, "" when that cannot be told. Linux lists locks by the number of their file; that
// it is this file the process itself shows, when it is one of this user's.
func lockedBy(lock string) string {
	path, err := filepath.EvalSymlinks(lock)
	if err != nil {
		return ""
	}
	if path, err = filepath.Abs(path); err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	inode := fmt.Sprintf(":%d", info.Sys().(*syscall.Stat_t).Ino)
	for line := range strings.Lines(string(locks)) {
		// 1: FLOCK  ADVISORY  WRITE 4711 08:01:131073 0 EOF
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || !strings.HasSuffix(f[5], inode) {
			continue
		}
		open, err := filepath.Glob("/proc/" + f[4] + "/fd/*")
		if err != nil {
			continue
		}
		for _, fd := range open {
			if target, err := os.Readlink(fd); err != nil || target != path {
				continue
			}
			name, err := os.ReadFile("/proc/" + f[4] + "/comm")
			if err != nil {
				return "process " + f[4]
			}
			return fmt.Sprintf("process %s (%s)", f[4], strings.TrimSpace(string(name)))
		}
	}
	return ""
}
