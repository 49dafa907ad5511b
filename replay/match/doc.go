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
// If none does and the recording was redacted, the rules are tried once more with the placeholders of the recorded requests filled in:
// see below.
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
// # Placeholders
//
// [Options.Canonical] shows the rules [redacted] in the place of the secrets that a request tells to be secrets, and in that of
// placeholders, those in labels included. Requests that differ in nothing but such secrets are one to the rules. Of these the one is
// meant whose placeholders stood for the same secrets before: the first request that an exchange answers binds its placeholders to
// what it has in their place. So one who asks twice is not given what was recorded of another. When no exchange is left that agrees,
// recorded order decides as if nothing were bound: a recording with several keys still answers one who has a single one.
//
// A secret that was known from another exchange only, such as a name that stood under a redacted JSON path there, cannot be recognised;
// and a recording that told which texts are secrets, be it by a digest, would give them away. So when no rule hits, a placeholder
// [redacted:KIND:N] may stand for any text that it could have replaced: of 8 to 256 bytes, on one line, without quotes and backslashes.
// Within the request equal placeholders stand for equal texts and different ones for different texts. What another request had in their
// place does not count. A model call that is filled in is equal by rule 3 or 4, another request by rule 2, and by rule 1 if it has all
// labels of the question. [Hit.Filled] tells that it was, and reports count it apart.
//
// Filling in answers only if one recorded request alone can be meant. Requests are different when their placeholders are, also when
// nothing else is: what was recorded of one person is no answer for another. It does not answer
//
//   - when several recorded requests fit, the miss names them then: label the requests, when recording and when asking, or redact less;
//   - when the text in a placeholder's place is of another form than said, or when the placeholders of a message (a string of the JSON)
//     stand for more than three times as many bytes as there are letters and digits around them: what is hardly more than a placeholder
//     fits anything. Such a request may be meant all the same, so none other is then;
//   - when the recording holds the very request, though it was used up;
//   - when there are so many ways to cut the request that looking through them would take long.
//
// If requests with all labels of the question fit, no others are looked at. Several exchanges of one recorded request answer in recorded
// order, each once, those with the same options before others. Requests of different sessions are different, since sessions may have
// been redacted apart. An exchange that was filled in still answers requests that are equal as they are, so a guess takes nothing away
// from them.
//
// What can go wrong: a request that was never recorded gets the answer of the one that differs from it in the secret alone, if that is
// the only one. That is why it comes last. Placeholders in a URL, inside base64 or hexadecimal, in the place of numbers, more than 256
// in one request, and those of short secrets are not filled in.
//
// # Order and concurrency
//
// Labelled requests that hit exchanges of their own labels get the same answers in whatever order they are asked. So do requests without
// labels of which no two are equal but for secrets and no two fit one recorded request once it is filled in: whether a request can be
// filled in depends on the recording and on what is asked, never on what was asked before. Everything else depends on the order of
// asking, so a run over a tape without labels is the same each time only when it asks in the same order: such a run is to be sequential.
package match
