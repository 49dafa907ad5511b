package again_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each change is told, then what they come to, then the figures with their bases.
func TestWriteText(t *testing.T) {
	got := compare(t, []answered{right, leaked, leaked, right, said}, []answered{leaked, right, right, failed, said})
	var b strings.Builder
	if err := got.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	const want = `s1/1, then s1/1  openai  calls ok → failed, protocol ok
  new   leaked-markup-in-content
  new   call-in-content
s1/2, then s1/2  openai  calls failed → ok, protocol ok
  gone  leaked-markup-in-content
  gone  call-in-content
s1/3, then s1/3  openai  calls failed → ok, protocol ok
  gone  leaked-markup-in-content
  gone  call-in-content
s1/4, then s1/4  openai  calls ok → not judged, protocol ok → not judged
  new   http-error

5 asked again; verdicts of 2 got worse, of 2 better; 4 compared
new problems        1 http-error, 1 leaked-markup-in-content, 1 call-in-content
problems gone       2 leaked-markup-in-content, 2 call-in-content
tool-trigger F1     0.000  precision 0.000, recall 0.000; both call 0, only the new answer 2, only the reference 1, neither 1
schema accuracy     2/2 (100.0 %), reference 1/1 (100.0 %)  of answers whose finish reason says that tools are called
right of attempted  2/3 (66.7 %), reference 1/3 (33.3 %)  of answers that try a call, also in their text
attempted           3/4 (75.0 %), reference 3/4 (75.0 %)  of all that were compared
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
