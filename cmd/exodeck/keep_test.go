package main

import (
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int64 // 0: an error
	}{
		{"10GB", 10_000_000_000},
		{"10GiB", 10 << 30},
		{"1.5 mb", 1_500_000},
		{"512MiB", 512 << 20},
		{"3kb", 3000},
		{"2TiB", 2 << 40},
		{"20000B", 20000},
		{"10", 0},
		{"GB", 0},
		{"", 0},
		{"-1GB", 0},
		{"0GB", 0},
		{"NaNGB", 0},
		{"infTB", 0},
		{"1e30TB", 0},
		{"10 gigabytes", 0},
	} {
		if got, err := parseSize(tt.in); got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("parseSize(%q) = %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
}

func TestParseAge(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		in   string
		want time.Duration // 0: an error
	}{
		{"30d", 30 * day},
		{"1d12h", 36 * time.Hour},
		{"12h", 12 * time.Hour},
		{"90m", 90 * time.Minute},
		{"1h30m", 90 * time.Minute},
		{"2s", 2 * time.Second},
		{"30", 0},
		{"d", 0},
		{"0d", 0},
		{"-1d", 0},
		{"1d-1h", 0},
		{"-2h", 0},
		{"1w", 0},
		{"99999999d", 0},
		{"", 0},
	} {
		if got, err := parseAge(tt.in); got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("parseAge(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"10GB", "1.5 MiB", "0x1pGB", "-1b", "kb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parseSize(s); (err == nil) != (n > 0) {
			t.Errorf("parseSize(%q) = %d, %v", s, n, err)
		}
	})
}

func FuzzParseAge(f *testing.F) {
	for _, s := range []string{"30d", "1d12h", "1.5h", "-1d", "65535d2562047h", "d1h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := parseAge(s); (err == nil) != (d > 0) {
			t.Errorf("parseAge(%q) = %v, %v", s, d, err)
		}
	})
}
