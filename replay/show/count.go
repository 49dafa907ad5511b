package show

import (
	"fmt"
	"strings"
)

// Count is a number of things in words: 1 piece, 2 pieces, 3 bodies. The noun is in the singular.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	stem, y := strings.CutSuffix(noun, "y")
	if y && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou") {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
