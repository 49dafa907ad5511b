package main

import (
	"cmp"
	"runtime/debug"
)

// release is set by release builds: -ldflags "-X main.release=v1.2.3".
var release string

// version is the release, else what the Go toolchain knows of the build: a module version, or "(devel)".
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(release, "unknown")
	}
	return cmp.Or(release, info.Main.Version, "(devel)")
}
