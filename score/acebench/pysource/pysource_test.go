package pysource_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/score/acebench/pysource"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

const module = `# A module with texts and classes.
from somewhere import thing  # not looked at

GREETING = """Hello "you",
line two\n"""
ESCAPED = 'it''s \x41 # no comment'
JOINED = ("one "
          "two")
NUMBER = 3
COMPUTED = GREETING.strip()
GREETING_TWICE = 'old'
GREETING_TWICE = "new"

def function():
    LOCAL = 'not at the top'
    if a == "b":
        pass

class Base:
    def __init__(self):
        self.wifi = False
        self.logged_in = True

    def _load_scenario(self, scenario: dict, long=False) -> None:

        self.wifi = scenario.get("wifi", False)

class Shop(Base):
    """A shop."""
    def __init__(self):
        super().__init__()
        """A text that nobody reads: self.fake = 1"""
        # A comment with 'quotes
        self.size = 6
        self.users: Dict[str, Dict[str, Union[str, float]]] = {
            "Ada": {"balance": 5.0, "note": """two
lines"""},  # trailing comment
            "Bruno": {"balance": -1, "open": [1, 2]},
        }
        self.ids: Dict[int, str] = {1: 'one'}

    def _load_scenario(self, scenario, long=False):
        self.orders = scenario.get('orders', [])

    def later(self):
        self.size = compute()
`

func TestConstants(t *testing.T) {
	got, err := pysource.Constants(module)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"GREETING":       "Hello \"you\",\nline two\n",
		"ESCAPED":        "its A # no comment",
		"JOINED":         "one two",
		"GREETING_TWICE": "new",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func describe(c *pysource.Class) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%s) calls base: %v\n", c.Name, c.Base, c.CallsBase)
	for _, a := range c.Init {
		fmt.Fprintf(&b, "init %s = %s\n", a.Name, pyvalue.Repr(a.Value))
	}
	for _, a := range c.Load {
		fmt.Fprintf(&b, "load %s = %s\n", a.Name, pyvalue.Repr(a.Value))
	}
	return b.String()
}

func TestReadClass(t *testing.T) {
	for name, want := range map[string]string{
		"Base": `Base() calls base: false
init wifi = False
init logged_in = True
load wifi = False
`,
		"Shop": `Shop(Base) calls base: true
init size = 6
init users = {'Ada': {'balance': 5.0, 'note': 'two\nlines'}, 'Bruno': {'balance': -1, 'open': [1, 2]}}
init ids = {1: 'one'}
load orders = []
`,
	} {
		c, err := pysource.ReadClass(module, name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, describe(c)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"no such class", "class B:\n    pass\n", "the file has no class A"},
		{"no constant", "class A:\n    def __init__(self):\n        self.x = f()\n", "line 3: the attribute x of A is set to something that is not a constant"},
		{"loaded otherwise", "class A:\n    def _load_scenario(self, s):\n        self.x = s['x']\n", "line 3: the attribute x of A is loaded in an unknown way"},
		{"loaded with a name", "class A:\n    def _load_scenario(self, s):\n        self.x = s.get('x', y)\n", "line 3: the attribute x of A is loaded with something that is not a constant"},
		{"open string", "\nX = 'abc\n", "line 2: a string that began with ' is not closed on its line"},
		{"open long string", "X = '''abc\n", "line 1: a string that began with ' is not closed before the file ends"},
		{"open bracket", "\n\nX = (1,\n", "line 3: a bracket is not closed before the file ends"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := pysource.ReadClass(tt.source, "A")
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// FuzzReadClass: a class that is found is the one that was asked for, and any text comes back from where Python writes it.
func FuzzReadClass(f *testing.F) {
	f.Add(module)
	f.Add("class Shop:\n def __init__(self):\n  self.x=1")
	f.Add("X = 'a\\\n'")
	f.Fuzz(func(t *testing.T, source string) {
		if c, err := pysource.ReadClass(source, "Shop"); err == nil && c.Name != "Shop" {
			t.Errorf("read class %s", c.Name)
		}
		if texts, err := pysource.Constants(source); err == nil && texts == nil {
			t.Error("neither texts nor an error")
		}
		texts, err := pysource.Constants("# it's\nX = " + pyvalue.Repr(pyvalue.Str(source)) + "\nY = 1\n")
		if utf8.ValidString(source) && (err != nil || len(texts) != 1 || texts["X"] != source) {
			t.Errorf("%q became %q, %v", source, texts, err)
		}
	})
}

func ExampleConstants() {
	texts, err := pysource.Constants("PROMPT = \"\"\"Answer briefly.\n\"\"\"\nLIMIT = 3\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", texts)
	// Output: map["PROMPT":"Answer briefly.\n"]
}
