// Package match decides which recorded exchange answers a request.
//
// An [Index] is built over the exchanges of a tape. [Index.Find] tries four rules, and the first that hits wins:
//
//  1. [Label]: the request carries labels ([record.LabelHeader]), an exchange carries all of them with the same values, and the two
//     requests are equal by rule 2 or 3. An exchange may carry more labels than the request.
//  2. [Exact]: method, path, query and body are equal. JSON bodies are compared in canonical form: order of keys, blanks and
//     string escapes do not count, number literals do. Other bodies are compared byte by byte. An exchange whose body is equal byte
//     by byte is preferred to one that is equal in canonical form only.
//  3. [Meaning]: both are model calls of the same API family with the same model, system text, messages and tools. Sampling fields,
//     the stream flag (unless [Options.SameMode] is set) and ids of the client's own making do not count.
//  4. [AnyModel]: as 3 without the model; only with [Options.AnyModel].
//
// # Which of several
//
// Several exchanges can hold the same request. Each answers once, in recorded order, except:
//
//   - Exchanges without labels go first when a request without labels asks, so that it does not take what a labelled one will ask for.
//   - Of model calls, those that ended [tape.Complete] go first: a client that was cut off and asked again wanted the second answer.
//     When no complete one is left, the failure is the answer, as it was when it was recorded. Control calls keep recorded order,
//     failures included, since a suite that polls acts on them.
//   - A GET or HEAD of a control endpoint is a poll: once all are used, the last complete one answers again. With [Options.Reuse]
//     the same holds for every request.
//   - A labelled request that finds no exchange of its labels goes on to rules 2 to 4 (the tape was filled by another client), but
//     never takes an exchange that carries one of its labels with another value: that one belongs to another sample or repeat.
//     Only with [Options.Reuse] does it share such an exchange, as a last resort and without using it up.
//
// # Order and concurrency
//
// Labelled requests that hit exchanges of their own labels get the same answers in whatever order they are asked. Everything else
// depends on the order of asking, so a run over a tape without labels is the same each time only when it asks in the same order:
// such a run is to be sequential.
package match
