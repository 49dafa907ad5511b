// Package replaytest lets Go tests talk to a recorded exo: a cassette beside the test answers, with no server and no model behind it.
//
//	func TestTide(t *testing.T) {
//		exo := replaytest.Open(t, "testdata/tide.cassette.jsonl")
//		answer, err := harbour.New(exo.URL()+"/v1", exo.Client()).Tide("Whitby")
//		…
//	}
//
// The test fails when it asks what is not recorded, with what is nearest to it. A cassette is made, and made afresh, by running the test
// against a live server:
//
//	EXODECK_RECORD=1 EXODECK_UPSTREAM=http://localhost:52415 go test -run '^TestTide$'
//
// What the test asks is then forwarded and recorded; secrets are taken out; and the cassette is written when the test has passed. A
// cassette belongs to one test: of two that record to one file, the last one to end wins.
package replaytest
