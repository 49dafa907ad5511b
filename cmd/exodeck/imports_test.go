package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/exodeck/exodeck"

// layers are the folders in the order in which they may import each other: a package imports only from its own folder and from
// those before it.
var layers = []string{"fixtures", "simenv", "proxy", "replay", "score", "cmd"}

// pkg is a package of the module, or of a library.
type pkg struct {
	path string
	// imports and deps are what the package itself imports and what that comes to in the end; testImports is what its tests import.
	imports, testImports, deps []string
}

// listPackages asks the Go tool for all packages of the module.
func listPackages(t *testing.T) []pkg {
	t.Helper()
	const format = `{{.ImportPath}}|{{join .Imports " "}}|{{join .TestImports " "}} {{join .XTestImports " "}}|{{join .Deps " "}}`
	cmd := exec.Command("go", "list", "-f", format, module+"/...")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var pkgs []pkg
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "|")
		pkgs = append(pkgs, pkg{f[0], strings.Fields(f[1]), strings.Fields(f[2]), strings.Fields(f[3])})
	}
	for _, name := range layers {
		if !slices.ContainsFunc(pkgs, func(p pkg) bool { return within(p.path, module+"/"+name) }) {
			t.Fatalf("go list knows no package of %s", name)
		}
	}
	return pkgs
}

// within reports whether a package is the given one or lies below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// layerOf is the place of a package's folder in layers, -1 for a package of a library.
func layerOf(path string) int {
	return slices.IndexFunc(layers, func(name string) bool { return within(path, module+"/"+name) })
}

// TestImportOrder: a folder imports only what stands before it, its tests included.
func TestImportOrder(t *testing.T) {
	for _, p := range listPackages(t) {
		from := layerOf(p.path)
		if from < 0 {
			t.Errorf("%s: a top-level folder that has no place in the order %v", p.path, layers)
			continue
		}
		for _, imported := range append(p.imports, p.testImports...) {
			if to := layerOf(imported); to > from || within(imported, module) && to < 0 {
				t.Errorf("%s imports %s, which stands behind it in the order %v", p.path, imported, layers)
			}
		}
	}
}

// TestLeaves: fixtures import nothing of ours but each other, so that they can be oracles for it.
func TestLeaves(t *testing.T) {
	for _, p := range listPackages(t) {
		if !within(p.path, module+"/fixtures") {
			continue
		}
		for _, imported := range p.deps {
			if within(imported, module) && !within(imported, module+"/fixtures") {
				t.Errorf("%s depends on %s", p.path, imported)
			}
		}
		for _, imported := range p.testImports {
			if within(imported, module) && !within(imported, module+"/fixtures") {
				t.Errorf("a test of %s imports %s", p.path, imported)
			}
		}
	}
}

// TestLibraries: a library that shapes what is around it is imported in one place only.
func TestLibraries(t *testing.T) {
	tests := []struct {
		module string
		by     string // the package that may, or the folder when it ends in "/..."
	}{
		{"github.com/elazarl/goproxy", "proxy"},
		{"modernc.org/sqlite", "proxy/tape"},
		{"github.com/urfave/cli/v2", "cmd/..."},
		{"github.com/prometheus/client_golang", "proxy/admin"},
	}
	pkgs := listPackages(t)
	for _, tt := range tests {
		t.Run(tt.module, func(t *testing.T) {
			used := false
			for _, p := range pkgs {
				folder, below := strings.CutSuffix(module+"/"+tt.by, "/...")
				may := p.path == folder || below && within(p.path, folder)
				for _, imported := range append(p.imports, p.testImports...) {
					if !within(imported, tt.module) {
						continue
					}
					used = true
					if !may {
						t.Errorf("%s imports %s, which only %s may", p.path, imported, tt.by)
					}
				}
			}
			if !used {
				t.Errorf("nothing imports %s: the test looks for what is not there", tt.module)
			}
		})
	}
}

// TestNeverReached: what a folder must not come to depend on by any way.
func TestNeverReached(t *testing.T) {
	tests := []struct {
		folder, never, why string
	}{
		{"simenv", module + "/proxy", "the simulator knows no proxy"},
		{"simenv", "net/http", "the simulator knows no HTTP"},
		{"replay", module + "/proxy", "what works offline needs no proxy"},
		{"score", module + "/proxy", "what works offline needs no proxy"},
		{"score", "github.com/elazarl/goproxy", "what works offline needs no proxy"},
		{"simenv", "modernc.org/sqlite", "the simulator knows no tape"},
	}
	pkgs := listPackages(t)
	for _, tt := range tests {
		t.Run(tt.folder+" "+tt.never, func(t *testing.T) {
			for _, p := range pkgs {
				// Only the very package: what lies below proxy is there for all.
				if within(p.path, module+"/"+tt.folder) && slices.Contains(p.deps, tt.never) {
					t.Errorf("%s depends on %s: %s", p.path, tt.never, tt.why)
				}
			}
		})
	}
}
