// Package tape keeps recorded exchanges in one SQLite file.
//
// A [Recorder] is the only writer of a tape; a [Tape] reads it, also while it is being recorded. The package knows
// HTTP's parts but no API's meaning: recording never needs to understand a body. What it promises to keep of an
// exchange is listed at [Exchange].
package tape
