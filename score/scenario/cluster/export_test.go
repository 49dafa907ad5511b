package cluster

// Resolve is resolve, for the tests of the package.
var Resolve = (*Client).resolve
