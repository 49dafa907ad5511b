// Package har writes exchanges as HTTP Archives (HAR 1.2), which the tools of browsers open, and reads archives that they or others
// have saved.
//
// Bodies stand in an archive decoded and whole, event streams too; when their pieces came stands in "_frames", a list of
// {"offset","ms"}. What else HAR has no place for is in "_exodeck": the session, labels, and how the exchange ended. Both are read
// again, so that recordings survive the way there and back but for what only a tape knows: the exact spelling of a request target,
// times below a microsecond, and trailers.
package har
