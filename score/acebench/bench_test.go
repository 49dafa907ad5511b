package acebench_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/fixtures/shared"
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// BenchmarkJudge decodes and checks the answers of one result set, over and over. Run it with -cpu 1; what it reports are samples
// for each second of processor time.
func BenchmarkJudge(b *testing.B) {
	set := load(b, dataset.English)
	answers := results(b, dataset.English, "mixed").Answers
	inOrder := make([]*acebench.Answer, len(set.Samples))
	for i := range answers {
		for j, sample := range set.Samples {
			if sample.ID == answers[i].ID {
				inOrder[j] = &answers[i]
			}
		}
	}
	for _, r := range rules.All() {
		b.Run(r.String(), func(b *testing.B) {
			s := acebench.NewScorer(set, r)
			b.ReportAllocs()
			n, start := 0, cpuTime()
			for b.Loop() {
				for i, a := range inOrder {
					s.Judge(i, a)
				}
				n += len(inOrder)
			}
			b.ReportMetric(float64(n)/(cpuTime()-start).Seconds(), "samples/cpu-s")
		})
	}
}

// BenchmarkWhole does all that scoring a result set needs, from opening the data to the bytes of the run file, and beside it what
// reading the same files and looking whether they are JSON takes.
func BenchmarkWhole(b *testing.B) {
	data, answers := shared.Dir(b, "data", "acebench"), shared.Dir(b, "golden", "acebench", "results", "en", "mixed")
	b.Run("score", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			whole(b, data, answers)
		}
	})
	b.Run("json.Valid", func(b *testing.B) {
		for b.Loop() {
			for _, folder := range []string{filepath.Join(data, "data_all", "data_en"), answers} {
				valid(b, folder)
			}
		}
	})
}

func whole(b *testing.B, data, answers string) {
	d, err := dataset.Open(data)
	if err != nil {
		b.Fatal(err)
	}
	set, err := d.Load(dataset.English)
	if err != nil {
		b.Fatal(err)
	}
	r, err := acebench.ReadResults(answers, dataset.English)
	if err != nil {
		b.Fatal(err)
	}
	f, err := acebench.Score(set, r.Answers, acebench.Options{}).RunFile("v0", r.Digest)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.Encode(); err != nil {
		b.Fatal(err)
	}
}

func valid(b *testing.B, folder string) {
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if line != "" && !json.Valid([]byte(line)) {
				return fmt.Errorf("%s is not JSON", name)
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCopies scores more and more copies of one result set: the time for a sample stays the same.
func BenchmarkCopies(b *testing.B) {
	set := load(b, dataset.English)
	answers := results(b, dataset.English, "mixed").Answers
	for _, copies := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(copies), func(b *testing.B) {
			many, all := copied(set, answers, copies)
			s := acebench.NewScorer(many, rules.Evalscope)
			n, start := 0, cpuTime()
			for b.Loop() {
				s.Score(all, acebench.Options{})
				n += len(many.Samples)
			}
			b.ReportMetric(float64((cpuTime()-start).Nanoseconds())/float64(n), "cpu-ns/sample")
		})
	}
}

// copied makes a set of several copies of the samples, with answers, under ids of their own.
func copied(set *dataset.Set, answers []acebench.Answer, copies int) (*dataset.Set, []acebench.Answer) {
	var samples []*dataset.Sample
	var all []acebench.Answer
	for i := range copies {
		for _, s := range set.Samples {
			c := *s
			c.ID = fmt.Sprintf("%d-%s", i, s.ID)
			samples = append(samples, &c)
		}
		for _, a := range answers {
			a.ID = fmt.Sprintf("%d-%s", i, a.ID)
			all = append(all, a)
		}
	}
	return dataset.NewSet(set.Language, samples, set.Digest), all
}
