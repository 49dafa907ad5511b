// Package reading reads recorded exchanges for their meaning: both bodies with their content coding undone, and both sides in the
// normal form of package wire. Whoever looks at many exchanges of a tape, to search or to group them, starts here.
//
// It judges nothing and repairs nothing. What cannot be read is nil in the [Exchange], beside the bytes as they are.
package reading
