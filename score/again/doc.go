// Package again asks a live server the requests of a recording again and compares the verdicts: of the recorded answers, which are the
// reference, and of the new ones. That is a regression test for a server: for another version of it, another quantisation of the model,
// or the other mode of answering.
//
// An [Asker] sends the requests as they were recorded, save for credentials, which are on no tape. What comes is not looked at: it is
// recorded by the transport that the Asker is given, and judged from the tape. [Compare] then gives a [Result], a function of the two
// recordings alone. Where the mode was changed it also says whether the stream and the whole answer tell the same.
package again
