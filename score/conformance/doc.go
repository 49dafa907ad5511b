// Package conformance judges recorded exchanges without any expected answer: what is wrong with each, where, and whose fault it is.
//
// [Judge] looks at one exchange and gives a [Report] with two verdicts. Calls says whether an agent that reads the answer would do the
// right thing, Protocol whether request and answer keep the API's own rules. They differ often: a stream may break the rules of its
// blocks while the call in it is right.
//
// One exchange is all that is looked at here. Package pairs compares those that ask the same, package offline judges a whole recording.
//
// What can be wrong is listed in [Codes]. A problem is told once for each code, with all its places. Nothing is repaired and no value is
// coerced: what arrived is judged. Nothing an answer says is ever executed, and no schema is loaded from elsewhere.
//
// A report is a function of the exchange and the [Rules]: judging again gives the same bytes.
package conformance
