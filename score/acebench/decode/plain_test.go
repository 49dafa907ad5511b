package decode

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/simenv/pycall"
)

// fullCalls reads a text by the full grammar only.
func fullCalls(text string) ([]Call, error) {
	top, err := parse(text)
	if err != nil {
		return nil, err
	}
	elements, _ := elementsOf(top)
	calls := []Call{}
	for _, e := range elements {
		node, ok := e.(*pycall.Call)
		if !ok {
			return nil, malformed("not a call")
		}
		c, err := evalscopeCall(node)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}

func TestPlainCalls(t *testing.T) {
	var reader Reader // one for all, as a scorer has it
	for _, tt := range []struct {
		text string
		want string // as Python prints the calls; "" where the plain reader gives up
	}{
		{`[]`, `[]`},
		{`[f()]`, `[{'f': {}}]`},
		{`[ f ( ) ]`, ``},
		{`[a.b_2.c(x=1, y='two',)]`, `[{'a.b_2.c': {'x': 1, 'y': 'two'}}]`},
		{"[f(x = 1\n,\ty= -2.50), g(z=\"it's\")]", `[{'f': {'x': 1, 'y': -2.5}}, {'g': {'z': "it's"}}]`},
		{`[f(x=[1, [True, None], {'k': {'l': []}}])]`, `[{'f': {'x': [1, [True, None], {'k': {'l': []}}]}}]`},
		{`[f(x='\'a\\b\n\t"')]`, `[{'f': {'x': '\'a\\b\n\t"'}}]`},
		{`[f(x='', y="")]`, `[{'f': {'x': '', 'y': ''}}]`},
		{`[f(x=1, x=2, y=3)]`, `[{'f': {'x': 2, 'y': 3}}]`},
		{`[f(x=true, y=null, z=Blue)]`, `[{'f': {'x': 'true', 'y': 'null', 'z': 'Blue'}}]`},
		{`[f(x={'a': 1, 'a': 2})]`, `[{'f': {'x': {'a': 2}}}]`},
		{`[f(x=(1, 'a'), y=(1,), z=(), u=(1), v=((2, ), ), w=('b'))]`, `[{'f': {'x': (1, 'a'), 'y': (1,), 'z': (), 'u': 1, 'v': ((2,),), 'w': 'b'}}]`},
		{"[f(x=1,\r\n\fy=2,\\\nz=(3,\n),\\\n\\\n\r)]", `[{'f': {'x': 1, 'y': 2, 'z': (3,)}}]`},
		{`[f(x='你好')]`, `[{'f': {'x': '你好'}}]`},
		{`[f(x=0, y=-0, z=1.)]`, `[{'f': {'x': 0, 'y': 0, 'z': 1.0}}]`},

		{``, ``},
		{` [f()]`, ``},
		{`[f()] `, ``},
		{`[f(),,g()]`, ``},
		{`[f(x='''a''')]`, ``},
		{`[f(x='a' 'b')]`, ``},
		{`[f(x=r'a')]`, ``},
		{`[f(x='\x41')]`, ``},
		{"[f(x='a\nb')]", ``},
		{`[f(x=007)]`, ``},
		{`[f(x=1_000)]`, ``},
		{`[f(x=1e3)]`, ``},
		{`[f(x=1j)]`, ``},
		{`[f(x=1234567890123456789)]`, ``},
		{`[f(x=(,))]`, ``},
		{`[f(x=('a' 'b'))]`, ``},
		{`[f(x=(a for b in c))]`, ``},
		{`[f(x=(1)(2))]`, ``},
		{`[f(x=('a'),'b')]`, ``},
		{`[f(x=1,\ y=2)]`, ``},
		{"[f(x=1,\\\r\ny=2)]", ``},
		{`[f(x={1: 2})]`, ``},
		{`[f(x={'a'})]`, ``},
		{`[f(x=g())]`, ``},
		{`[f(x=a.b)]`, ``},
		{`[f(x=1 + 1)]`, ``},
		{`[f(1)]`, ``},
		{`[f(*a)]`, ``},
		{`[f(**a)]`, ``},
		{`[f(x==1)]`, ``},
		{`[f(lambda=1)]`, ``},
		{`[f(x=lambda)]`, ``},
		{`[if(x=1)]`, ``},
		{`[f(x=1) # c]`, ``},
		{"[f(x='\xff')]", ``},
		{"[f(x='\x00')]", ``},
		{`[f(é=1)]`, ``},
	} {
		calls, ok := reader.plainCalls(tt.text)
		got := ""
		if ok {
			got = string(AppendRepr(nil, calls))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// FuzzPlainCalls holds the plain reader against the full grammar: whatever it reads must mean the same there.
func FuzzPlainCalls(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[f()]`, `[a.b(x=1, y='two',)]`, `[f(x=[1, [True, None], {'k': {'l': []}}])]`, `[f(x='\'a\\b\n\t"')]`, `[f(x=1, x=2)]`,
		`[f(x=true)]`, `[f(x=-0.5)]`, `[f(x='你好')]`, "[f(x = 1\n,\ty=2)]", `[f(x='''')]`, `[f(x=1if y else 2)]`, `[f(x=1.real)]`, `[f(x=-1.e5)]`,
		`[f(x=(1, 'a'), y=(1,), z=(), u=(1))]`, "[f(x=1,\r\n\fy=2,\\\nz=(3,\n),\\\n\\\n\r)]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		calls, ok := new(Reader).plainCalls(text)
		if !ok {
			return
		}
		full, err := fullCalls(text)
		if err != nil {
			t.Fatalf("read %q plainly, the full grammar says %v", text, err)
		}
		if got, want := string(AppendRepr(nil, calls)), string(AppendRepr(nil, full)); got != want {
			t.Errorf("read %q as %s, by the full grammar it is %s", text, got, want)
		}
	})
}
