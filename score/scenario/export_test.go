package scenario

// What only the tests of the package use from outside.
var (
	NewRequest  = firstRequest
	NewFollowUp = followUpRequest
	ParseAnswer = parseAnswer
)
