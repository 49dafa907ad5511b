package pairs

// Limit lets pairs keep no more than n answers.
func (p *Pairs) Limit(n int) { p.limit = n }
