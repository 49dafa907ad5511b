//go:build linux || darwin

package doctor

import "syscall"

// freeSpace returns how many bytes this user may still write to the disk of a folder.
func freeSpace(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
