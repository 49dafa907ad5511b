package redact

import (
	"math/rand/v2"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var sampleHole = regexp.MustCompile(`\{([aAxd]):([0-9]+)\}`)

// sampleOf writes out a sample of patterns.toml. The same seed gives the same secret.
func sampleOf(sample string, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	alphabets := map[string]string{
		"a": "abcdefghijklmnopqrstuvwxyz0123456789", "x": "0123456789abcdef", "d": "123456789",
		"A": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	}
	return sampleHole.ReplaceAllStringFunc(sample, func(hole string) string {
		m := sampleHole.FindStringSubmatch(hole)
		n, _ := strconv.Atoi(m[2])
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabets[m[1]][rng.IntN(len(alphabets[m[1]]))]
		}
		b[n-1] = alphabets[m[1]][len(alphabets[m[1]])-1] // a digit, but for x
		return string(b)
	})
}

// TestPatterns: every pattern finds its sample, alone and inside a sentence, knows where it ends, leaves its near miss alone and
// names its source.
func TestPatterns(t *testing.T) {
	kinds := map[string]bool{}
	for _, p := range Patterns() {
		t.Run(p.Kind, func(t *testing.T) {
			if kinds[p.Kind] {
				t.Error("there are two of this kind")
			}
			kinds[p.Kind] = true
			if u, err := url.Parse(strings.Fields(p.Source)[0]); err != nil || u.Scheme != "https" {
				t.Errorf("source %q is no address", p.Source)
			}
			f := newFinder([]*Pattern{p})
			for seed := range uint64(20) {
				sample := sampleOf(p.Sample, seed)
				for _, around := range [][2]string{{"", ""}, {"My key is ", ", keep it."}, {"\"", "\""}, {"<", ">"}, {"\n", "\n"}, {"订购", "外卖"}} {
					text := around[0] + sample + around[1]
					hits := f.find([]byte(text))
					if len(hits) != 1 {
						t.Fatalf("%d hits in %q, want 1", len(hits), text)
					}
					// All of the sample is the secret, or its end behind what tells that it is one.
					got := text[hits[0].start:hits[0].end]
					if p.secret == 0 && got != sample || len(got) < 8 || !strings.HasSuffix(strings.TrimRight(sample, "@"), got) {
						t.Fatalf("found %q in %q", got, text)
					}
				}
			}
			for _, text := range []string{p.Not, "say " + p.Not + "!", "[redacted:" + p.Kind + ":1]"} {
				if hits := f.find([]byte(text)); p.Not == "" || len(hits) > 0 {
					t.Errorf("%q is taken for one", text)
				}
			}
		})
	}
	if len(kinds) < 50 {
		t.Errorf("%d patterns were tested", len(kinds))
	}
}

// TestProse: what models say all day holds no secret.
func TestProse(t *testing.T) {
	s := NewScanner(Rules{})
	for _, text := range []string{
		`{"id":"chatcmpl-9f8e7d6c5b4a39281706f5e4d3c2b1a0","object":"chat.completion","model":"mlx-community/Qwen3-30B-A3B-4bit","system_fingerprint":"fp_44709d6fcb"}`,
		`{"id":"call_0123456789abcdef01234567","type":"function","function":{"name":"get_current_weather","arguments":"{\"city\": \"Whitby\", \"password\": \"swordfish\"}"}}`,
		"The bearer of this letter may pass; basic functionality comes first. See https://user.example.org:8080/a@b and task-sk-1.",
		`Authorization: Bearer [fingerprint:2be851969212bc6b]`, `{"usage":{"prompt_tokens":40}}`,
		"msg_01XFDUDYJgAACzvnptvVoYEL toolu_01A09q90qw90lq917835lq9 resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
		strings.Repeat("YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo", 100),
	} {
		if found := s.Scan([]byte(text), 2); len(found) > 0 {
			t.Errorf("%v in %q", found, text)
		}
	}
}
