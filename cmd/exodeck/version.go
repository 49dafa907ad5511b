package main

import (
	"cmp"
	"fmt"
	"runtime"
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

// build is what --version prints: the version, the commit, what it was built with and for.
func build() string {
	var settings []debug.BuildSetting
	if info, ok := debug.ReadBuildInfo(); ok {
		settings = info.Settings
	}
	return fmt.Sprintf("%s (commit %s, %s, %s/%s)", version(), commit(settings), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commit is that of the checkout the program was built in. A module that was fetched has none; its version says what it is.
func commit(settings []debug.BuildSetting) string {
	revision, modified := "unknown", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	return revision + modified
}
