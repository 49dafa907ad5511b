// Package show renders recorded exchanges for people: as a conversation, as the bytes that went over the wire, and as the command
// that asks again.
package show
