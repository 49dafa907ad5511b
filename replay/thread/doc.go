// Package thread finds the conversations among recorded exchanges.
//
// HTTP knows no conversations: each request of a chat API carries the whole history again. A request continues an earlier exchange when its
// messages are those of the earlier request, then the answer, then more. Both are compared in the normal form of package wire, so the API
// does not matter; ids of calls, reasoning (which clients mostly do not send back) and blanks around an answer do not count.
// The system text and the model do not count either: they decide between several exchanges that could be continued, and where the messages
// alone say too little, as below.
//
//   - The same request after a failed one is a retry: it belongs to the same conversation, in the place of the failed one. In the middle of a
//     conversation it may ask another model, as clients do that have one to fall back to. The first request of one has to ask the same model
//     with the same system text: else it may as well be a comparison of models, of which each has a conversation of its own.
//   - A second continuation of one exchange is a branch of its conversation.
//   - A history in which the client has changed the answer still continues the exchange, as [Edited], when system text and model are the same.
//   - The same first request again begins another conversation: that is what a benchmark does. Labels of the recording's own suites
//     ("suite", "sample", "repeat") keep conversations apart that read the same.
//
// Each prefix of a history is looked up by its digest, so the work is linear in what was sent, whatever the number of conversations
// and however they interleave.
package thread
