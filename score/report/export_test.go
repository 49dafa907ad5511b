package report

// BlamedVerdicts is blamedVerdicts for tests.
var BlamedVerdicts = blamedVerdicts
