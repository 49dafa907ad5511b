package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what scripts expect with what they got")

// TestMain makes programs of functions in this file, for scripts to run: exodeck itself, and clients to record.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"exodeck": main,
		"ask":     askMain,
		"suite":   suiteMain,
		"status":  statusMain,
		"unread":  unreadMain,
	})
}

// TestScript runs the scripts of testdata, each in an empty folder and with an environment of its own. Beside the commands of
// testscript they have those below, and four programs: ask (one question through every base URL), suite (the scenarios, asked in
// another manner than exodeck's own), status (runs a program in the background and prints its exit status) and unread (does so and
// reads only the beginning of its output).
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXODECK_HOME", filepath.Join(e.WorkDir, ".exodeck"))
			e.Values[exoKey{}] = &exo{}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":     cmdExits,
			"under":     cmdUnder,
			"until":     cmdUntil,
			"standin":   cmdStandin,
			"release":   cmdRelease,
			"asked":     cmdAsked,
			"heard":     cmdHeard,
			"port":      cmdPort,
			"listening": cmdListening,
			"seed":      cmdSeed,
			"taped":     cmdTaped,
			"patch":     cmdPatch,
			"hide":      cmdHide,
		},
	})
}

// cmdExits runs a program and checks its exit status: exits STATUS PROGRAM [ARGS...].
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// statusMain runs a program, hands an interrupt on to it, and says how it ended. It does itself end well.
func statusMain() {
	printStatus(exec.Command(os.Args[1], os.Args[2:]...), os.Stdout, os.Stderr)
}

// unreadMain runs a program as statusMain does, but reads its output only until a line has the given text, as head does behind a
// pipe: unread TEXT PROGRAM [ARGS...].
func unreadMain() {
	r, w, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		defer r.Close()
		lines := bufio.NewScanner(r)
		for lines.Scan() && !strings.Contains(lines.Text(), os.Args[1]) {
		}
	}()
	printStatus(exec.Command(os.Args[2], os.Args[3:]...), w, w)
}

func printStatus(cmd *exec.Cmd, stdout, stderr *os.File) {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		for s := range interrupts {
			_ = cmd.Process.Signal(s) // it may just have ended
		}
	}()
	_ = cmd.Wait() // its status is what is asked for
	fmt.Printf("exit status %d\n", cmd.ProcessState.ExitCode())
}

// cmdUnder runs a program that has to succeed within a time: under DURATION PROGRAM [ARGS...]. The machine may be busy with other things,
// so there are three attempts at the time, each of which finds the folder as it was.
func cmdUnder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: under DURATION PROGRAM [ARGS...]")
	}
	limit, err := time.ParseDuration(args[0])
	ts.Check(err)
	dir := ts.MkAbs(".")
	before, err := os.ReadDir(dir)
	ts.Check(err)
	for range 3 {
		now, err := os.ReadDir(dir)
		ts.Check(err)
		for _, entry := range now {
			if !slices.ContainsFunc(before, func(e os.DirEntry) bool { return e.Name() == entry.Name() }) {
				ts.Check(os.RemoveAll(filepath.Join(dir, entry.Name())))
			}
		}
		start := time.Now()
		ts.Check(ts.Exec(args[1], args[2:]...))
		took := time.Since(start)
		if took <= limit {
			return
		}
		ts.Logf("took %v, more than %v", took, limit)
	}
	ts.Fatalf("it never took less than %v", limit)
}

// cmdUntil runs a program again and again until its standard output matches: until REGEXP PROGRAM [ARGS...].
func cmdUntil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP PROGRAM [ARGS...]")
	}
	re, err := regexp.Compile(args[0])
	ts.Check(err)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		ts.Check(ts.Exec(args[1], args[2:]...))
		if re.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("it never printed %s", args[0])
}

// patience is how long a script waits for what has to come: far longer than that takes on a busy machine.
const patience = time.Minute

// Ports that scripts are given lie below those that systems give to whoever asks for any (from 32768 up on Linux, from 49152 up
// elsewhere): nobody gets one of them between two uses in a script.
const (
	firstPort = 20000
	lastPort  = 32000
)

// nextPort is the port that may be given next. The first is any, since other tests on the machine may be given ports too.
var (
	nextPort = firstPort + rand.IntN(lastPort-firstPort)
	portMu   sync.Mutex
)

// cmdPort puts a port of the loopback interface that is free now, and given to no other script, into an environment variable: port NAME.
func cmdPort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: port NAME")
	}
	portMu.Lock()
	defer portMu.Unlock()
	for range lastPort - firstPort {
		port := nextPort
		if nextPort++; nextPort == lastPort {
			nextPort = firstPort
		}
		if ln, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			ts.Check(ln.Close())
			ts.Setenv(args[0], fmt.Sprint(port))
			return
		}
	}
	ts.Fatalf("no port from %d to %d is free", firstPort, lastPort-1)
}

// cmdListening waits until an HTTP server is at work behind a port of the loopback interface, or nothing listens there any longer:
// [!] listening PORT.
func cmdListening(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] listening PORT")
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		listens, answers := knock(net.JoinHostPort("127.0.0.1", args[0]))
		if neg && !listens || !neg && answers {
			return
		}
	}
	ts.Fatalf("port %s: waited for %v", args[0], patience)
}

// knock reports whether somebody listens at an address, and whether an HTTP server is at work there. A listener alone may belong to a
// program that has not opened its tape yet; and what is no request is answered without being recorded.
func knock(address string) (listens, answers bool) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return false, false
	}
	defer c.Close()
	// A server that does not answer in time is asked again.
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(c, "listening\r\n\r\n"); err != nil {
		return true, false
	}
	_, err = c.Read(make([]byte, 1))
	return true, err == nil
}

// cmdHide writes the last standard output to a file in a form that can be compared: without carriage returns, and with what differs
// from run to run replaced: hide FILE [TEXT=NAME...].
func cmdHide(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: hide FILE [TEXT=NAME...]")
	}
	text := strings.ReplaceAll(ts.ReadFile("stdout"), "\r", "")
	for _, arg := range args[1:] {
		old, name, _ := strings.Cut(arg, "=")
		text = strings.ReplaceAll(text, old, name)
	}
	ts.Check(writeResult(ts.MkAbs(args[0]), []byte(text)))
}
