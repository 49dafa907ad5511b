package pyvalue_test

import (
	"fmt"
	"testing"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func TestArena(t *testing.T) {
	var a pyvalue.Arena
	one, two := pyvalue.NewInt(1), pyvalue.NewInt(2)
	for round := range 3 { // the later ones in memory that was used before
		items := []pyvalue.Value{one, pyvalue.Str("x")}
		list := a.List(items)
		items[0] = two
		dict := a.Dict([]pyvalue.Value{pyvalue.Str("k"), one, pyvalue.Str("l"), list, pyvalue.Str("k"), two})
		outer := a.List([]pyvalue.Value{dict, a.List(nil), a.Dict(nil)})
		if got, want := pyvalue.Repr(outer), "[{'k': 2, 'l': [1, 'x']}, [], {}]"; got != want {
			t.Errorf("round %d: got %s, want %s", round, got, want)
		}
		list.Append(two) // must not reach into the list after it
		dict.SetStr("m", one)
		if got, want := pyvalue.Repr(outer), "[{'k': 2, 'l': [1, 'x', 2], 'm': 1}, [], {}]"; got != want {
			t.Errorf("round %d, appended: got %s, want %s", round, got, want)
		}
		a.Reset()
	}
}

// TestArenaMany makes more values than one slab holds, and larger ones: all stay as they are.
func TestArenaMany(t *testing.T) {
	var a pyvalue.Arena
	var lists []*pyvalue.List
	var dicts []*pyvalue.Dict
	for n := range 300 {
		var items, pairs []pyvalue.Value
		for i := range n {
			items = append(items, pyvalue.NewInt(int64(i)))
			pairs = append(pairs, pyvalue.Str(fmt.Sprint("k", i)), pyvalue.NewInt(int64(n)))
		}
		lists, dicts = append(lists, a.List(items)), append(dicts, a.Dict(pairs))
	}
	for n := range lists {
		if lists[n].Len() != n || dicts[n].Len() != n {
			t.Fatalf("%d: a list of %d and a dict of %d", n, lists[n].Len(), dicts[n].Len())
		}
		for i := range n {
			value, ok := dicts[n].GetStr(fmt.Sprint("k", i))
			if !pyvalue.Equal(lists[n].Items[i], pyvalue.NewInt(int64(i))) || !ok || !pyvalue.Equal(value, pyvalue.NewInt(int64(n))) {
				t.Fatalf("%d: the values at %d changed", n, i)
			}
		}
	}
}
