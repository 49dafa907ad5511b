package tape

import "slices"

// Matches reports whether q asks for an exchange that is at hand, with its facts. It does what [Tape.Exchanges] does on the tape.
func (q Query) Matches(x *Exchange) bool {
	return (q.Session == "" || q.Session == x.Session) &&
		(q.API == "" || q.API == x.Facts.API) &&
		(q.Model == "" || q.Model == x.Facts.Model) &&
		(len(q.Ended) == 0 || slices.Contains(q.Ended, x.Ended)) &&
		(q.From.IsZero() || !x.Started.Before(q.From)) &&
		(q.To.IsZero() || x.Started.Before(q.To))
}
