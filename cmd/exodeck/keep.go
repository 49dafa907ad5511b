package main

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
)

// keepFlags are the flags that say how much a tape keeps.
func keepFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "max-size", Usage: "remove the oldest exchanges while the tape is larger than this `SIZE` (10GB, 512MiB)"},
		&cli.StringFlag{Name: "max-age", Usage: "remove exchanges that started longer ago than this `AGE` (30d, 12h, 90m)"},
	}
}

// keepOf reads the flags of keepFlags.
func keepOf(c *cli.Context) (keep tape.Retention, err error) {
	if s := c.String("max-size"); s != "" {
		if keep.MaxBytes, err = parseSize(s); err != nil {
			return keep, fmt.Errorf("--max-size: %w", err)
		}
	}
	if s := c.String("max-age"); s != "" {
		if keep.MaxAge, err = parseAge(s); err != nil {
			return keep, fmt.Errorf("--max-age: %w", err)
		}
	}
	return keep, nil
}

// sizeUnits are those a size may have, as people and disks count.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1},
}

// parseSize reads a size with its unit, such as 10GB, 1.5 GiB or 512mb.
func parseSize(s string) (int64, error) {
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(strings.ToLower(s), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if n *= unit.bytes; err != nil || !(n >= 1 && n < math.MaxInt64) {
			break
		}
		return int64(n), nil
	}
	return 0, fmt.Errorf("%q is no size; write a number and its unit: 10GB, 512MiB, 1.5TB", s)
}

// parseAge reads a span of time in days, hours and minutes, such as 30d, 1d12h or 90m.
func parseAge(s string) (time.Duration, error) {
	days, rest, ok := strings.Cut(s, "d")
	if !ok {
		days, rest = "0", s
	}
	n, err := strconv.ParseUint(days, 10, 16)
	var d time.Duration
	if err == nil && rest != "" {
		d, err = time.ParseDuration(rest)
	}
	d += time.Duration(n) * 24 * time.Hour
	if err != nil || d <= 0 || strings.HasPrefix(rest, "-") {
		return 0, fmt.Errorf("%q is no age; write days, hours or minutes: 30d, 12h, 90m", s)
	}
	return d, nil
}

// warnings carries what a recorder has to say to a log that is there only once the recorder is.
type warnings chan error

// add never blocks.
func (w warnings) add(err error) {
	select {
	case w <- err:
	default:
	}
}

// pass logs warnings until the channel is closed.
func (w warnings) pass(log *slog.Logger) {
	for err := range w {
		log.Warn("the tape is not kept to its limits", "error", err)
	}
}
