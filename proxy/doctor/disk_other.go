//go:build !linux && !darwin && !windows

package doctor

import "errors"

// freeSpace would return how many bytes this user may still write to the disk of a folder.
func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
