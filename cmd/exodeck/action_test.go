package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAction runs the steps of action.yml as a runner does. The program exodeck is this test's, see TestMain.
func TestAction(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	pass, fail := filepath.Join(cassettes, "exo_pass.cassette.jsonl"), filepath.Join(cassettes, "exo_fail.cassette.jsonl")
	ask := `exodeck run exo --no-instance --host "$EXO_HOST" --port "$EXO_PORT" --model standin/Echo-1B-4bit --tape "$RUNNER_TEMP/x.tape" ` +
		`--json-out "$RUNNER_TEMP/x.json" --api openai --scenarios `
	tests := []struct {
		name   string
		step   string
		env    map[string]string
		status int
		files  map[string]string // what files of the runner's folder hold
		output string
	}{
		{
			name: "a recording that passes", step: "score",
			env: map[string]string{"EXODECK_SUITE": "exo", "EXODECK_RECORDING": pass, "EXODECK_ARGS": "--api\nopenai\n"},
			files: map[string]string{"summary": "## exo: 17 of 17 passed", "output": "status=0\n", "results/run.json": `"passed": true`,
				"results/junit.xml": `tests="17" failures="0"`},
			output: "::notice title=exo::exo: 17 of 17 passed",
		},
		{
			name: "a recording that fails", step: "score", status: 1,
			env: map[string]string{"EXODECK_SUITE": "exo", "EXODECK_RECORDING": fail, "EXODECK_ARGS": ""},
			files: map[string]string{"summary": "## exo: 2 of 3 passed, 1 failed", "output": "status=1\n", "results/run.json": `"passed": false`,
				"results/junit.xml": `tests="3" failures="1"`},
			output: "::error title=exo%3A 1 failed",
		},
		{
			name: "arguments with blanks", step: "score", status: 2,
			env:    map[string]string{"EXODECK_SUITE": "exo", "EXODECK_RECORDING": pass, "EXODECK_ARGS": "--scenarios\r\nno such; echo scenario\r\n"},
			files:  map[string]string{"output": "status=2\n"},
			output: "no scenario of built-in scenarios is called no such; echo scenario;",
		},
		{
			name: "a program asks what was recorded", step: "serve",
			env:    map[string]string{"EXODECK_RECORDING": pass, "EXODECK_REPLAY_ARGS": "", "EXODECK_RUN": ask + "tide_simple\necho again: $?"},
			output: "again: 0",
		},
		{
			name: "a program asks what was not", step: "serve", status: 3,
			env:    map[string]string{"EXODECK_RECORDING": fail, "EXODECK_REPLAY_ARGS": "--quiet\n", "EXODECK_RUN": ask + "library_filters || true"},
			output: "library",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command("bash", "../../.ci/action/"+tt.step)
			cmd.Env = append(os.Environ(), "RUNNER_TEMP="+dir, "EXODECK_HOME="+filepath.Join(dir, "home"), "EXODECK_RESULTS="+filepath.Join(dir, "results"),
				"GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"))
			for name, value := range tt.env {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			out, err := cmd.CombinedOutput()
			if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
				t.Fatal(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != tt.status || !strings.Contains(string(out), tt.output) {
				t.Errorf("status %d, want %d; output, which is to have %q:\n%s", got, tt.status, tt.output, out)
			}
			for name, want := range tt.files {
				got, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Error(err)
				} else if !strings.Contains(string(got), want) {
					t.Errorf("%s lacks %q:\n%.500s", name, want, got)
				}
			}
		})
	}
}

// TestActionInstall: a release is downloaded for the runner's system, and refused when it is not what its checksum says.
func TestActionInstall(t *testing.T) {
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("no " + program)
		}
	}
	const program = "#!/bin/sh\necho a release, asked for $1\n"
	sums := fmt.Sprintf("%x  exodeck-linux-arm64\n%x  exodeck-darwin-arm64\n", sha256.Sum256([]byte(program)), sha256.Sum256([]byte("other")))
	releases := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1.2.3/SHA256SUMS":
			fmt.Fprint(w, sums)
		case "/v1.2.3/exodeck-linux-arm64", "/v1.2.3/exodeck-darwin-arm64", "/v1.2.3/exodeck-linux-amd64":
			fmt.Fprint(w, program)
		default:
			http.NotFound(w, r)
		}
	}))
	defer releases.Close()
	tests := []struct {
		name, version, system, machine string
		fails                          bool
		output                         string
	}{
		{"as it was released", "v1.2.3", "Linux", "ARM64", false, "a release, asked for --version\n"},
		{"changed", "v1.2.3", "macOS", "ARM64", true, "FAILED"},
		{"not among the checksums", "v1.2.3", "Linux", "X64", true, "::error title=exodeck::exodeck-linux-amd64 is not among the checksums of v1.2.3"},
		{"no such version", "v9.9.9", "Linux", "ARM64", true, "::error title=exodeck::release v9.9.9 has no exodeck-linux-arm64"},
		{"no such system", "v1.2.3", "Windows", "ARM64", true, "::error title=exodeck::release v1.2.3 has no exodeck-windows-arm64.exe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "path")
			cmd := exec.Command("bash", "../../.ci/action/install")
			cmd.Env = append(os.Environ(), "EXODECK_VERSION="+tt.version, "EXODECK_RELEASES="+releases.URL, "RUNNER_OS="+tt.system,
				"RUNNER_ARCH="+tt.machine, "RUNNER_TEMP="+dir, "GITHUB_PATH="+path, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
			out, err := cmd.CombinedOutput()
			if (err != nil) != tt.fails || !strings.Contains(string(out), tt.output) {
				t.Errorf("error %v; output, which is to have %q:\n%s", err, tt.output, out)
			}
			if added, err := os.ReadFile(path); (err != nil) != tt.fails || err == nil && string(added) != filepath.Join(dir, "exodeck-bin")+"\n" {
				t.Errorf("the path gets %q, %v", added, err)
			}
		})
	}
}
