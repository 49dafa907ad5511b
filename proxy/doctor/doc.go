// Package doctor finds out whether everything between clients, exodeck and exo is as it should be, and says what to do where it is not.
//
// It prints no secret, and speaks to two addresses only: the upstream, which is asked what any client may ask, and the address that
// exodeck listens on. It changes nothing, but that one GET of its own gets on the tape.
//
// Whether requests really pass through exodeck is not asked but tried: a GET of the models with a label nobody else uses goes through
// the listener and has to appear on the tape. exodeck adds nothing to what it passes on by which it could be told. Where the label does not
// appear, the listener is asked for a host that cannot exist (of the domain .invalid), in the form in which proxies are asked: exodeck
// refuses that itself and says so, anything else answers in another way.
package doctor
