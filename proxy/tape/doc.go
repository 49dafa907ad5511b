// Package tape keeps recorded exchanges in one SQLite file.
//
// A [Recorder] is the only writer of a tape; a [Tape] reads it, also while it is being recorded. The package knows
// HTTP's parts but no API's meaning: recording never needs to understand a body. What it promises to keep of an
// exchange is listed at [Exchange].
//
// An exchange is written in two phases. Once its request has arrived it is on the tape as [InFlight]; once its response has
// ended it is completed. A recorder that is killed leaves the exchanges in flight as [Interrupted], and all that had ended
// some 50 ms earlier as it was. After a power failure the last moments may be missing too; the tape is whole in any case.
//
// Equal bodies are stored once, compressed where that helps. A body of more than 256 KiB goes to the tape in parts while it
// passes, so an exchange takes less than 1 MiB of memory however large its bodies are.
//
// A tape that is left recording can be kept to a size and an age ([Retention]): the oldest exchanges are pruned in small steps between the
// writing, which holds nobody up for longer than some ten milliseconds. [Prune] does the same to a tape at rest, and [Merge]
// makes one tape of several. Neither changes what it leaves or copies: digests stay the same.
//
// Recording never breaks traffic: a disk that is full or slow costs exchanges, which are counted and named in errors, but makes
// nobody wait longer than [RecorderOptions.MaxWait].
//
// Failures that a person must do something about are of type [*Error], with a hint; what caused them is told by [errors.Is] from the
// sentinels of this package.
package tape
