package scenario

import (
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/exodeck/exodeck/fixtures"
	"github.com/google/go-cmp/cmp"
)

func TestKeyLines(t *testing.T) {
	doc := strings.Join([]string{
		`# a = 1`,
		`"a = b" = 1 # c = 2`,
		``,
		`[t."x ] y".z]`,
		`s = """`,
		`k = 1`,
		`""" `,
		`l = [`,
		`  { p = 1, q = { r = 2 } },`,
		`  # m = 1`,
		`  { "p" = '}' },`,
		`]`,
		`[[u]]`,
		`d.e = 2020-01-01 00:00:00`,
	}, "\n")
	var raw map[string]any
	meta, err := toml.Decode(doc, &raw)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, key := range meta.Keys() {
		keys = append(keys, key.String())
	}
	wantKeys := []string{`"a = b"`, `t."x ] y".z`, `t."x ] y".z.s`, `t."x ] y".z.l`, `t."x ] y".z.l.p`, `t."x ] y".z.l.q`,
		`t."x ] y".z.l.q.r`, `t."x ] y".z.l.p`, "u", "u.d.e"}
	if diff := cmp.Diff(wantKeys, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{2, 4, 5, 8, 9, 9, 9, 11, 13, 14}, keyLines(doc)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// FuzzKeyLines: of every document that the decoder accepts, each key has a line.
func FuzzKeyLines(f *testing.F) {
	f.Add(string(fixtures.Scenarios[:2000]))
	f.Add("a.'b'.\"c\" = {x = [1, {y = '''\n'''}], z = \"\\\"\"}\n[[q]]\n[q.\"]\"]\n")
	f.Add("\xfe\xff")
	f.Fuzz(func(t *testing.T, doc string) {
		var raw map[string]any
		meta, err := toml.Decode(doc, &raw)
		if err != nil {
			return
		}
		lines := keyLines(doc)
		if len(lines) != len(meta.Keys()) {
			t.Fatalf("%d lines for %d keys %v", len(lines), len(meta.Keys()), meta.Keys())
		}
		for i, line := range lines {
			if line < 1 || line > 1+strings.Count(doc, "\n") || i > 0 && line < lines[i-1] {
				t.Fatalf("lines %v", lines)
			}
		}
		if _, err := readDocument(doc); err != nil {
			t.Fatal(err)
		}
	})
}
