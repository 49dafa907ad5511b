package conformance

import (
	"cmp"
	"slices"
	"strings"
)

// NearestCodes returns up to three codes that a name may stand for, the likeliest first: those that have it in them, then those that few
// letters make of it.
func NearestCodes(name string) []string {
	distances := make(map[string]int)
	var codes []string
	for _, c := range Codes {
		if !strings.Contains(c.Name, name) {
			distances[c.Name] = distance(name, c.Name)
		}
		if distances[c.Name] <= len(name)/2 {
			codes = append(codes, c.Name)
		}
	}
	slices.SortStableFunc(codes, func(a, b string) int { return cmp.Compare(distances[a], distances[b]) })
	return codes[:min(len(codes), 3)]
}

// distance is how many letters must be put in, left out or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for k := range len(b) {
			replaced := diagonal
			if a[i] != b[k] {
				replaced++
			}
			diagonal = row[k+1]
			row[k+1] = min(replaced, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}
