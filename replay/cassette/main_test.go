package cassette_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain has properties checked less often than rapid would: each check writes two tapes.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	checks := "15"
	if raceDetector {
		checks = "4"
	}
	if !asked {
		if err := flag.Set("rapid.checks", checks); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
