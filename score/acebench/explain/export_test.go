package explain

// Signature is signature, for the tests of the package.
var Signature = signature
