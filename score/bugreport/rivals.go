package bugreport

import (
	"bytes"
	"context"
	"slices"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/reading"
	"github.com/exodeck/exodeck/score/conformance"
)

// maxRivals bounds the answers that a report compares with.
const maxRivals = 8

// compared is what comparing an answer with others to the same question brought up.
type compared struct {
	// findings tell it as the recording has it, rivals are the exchanges it was compared with.
	findings []conformance.Finding
	rivals   []tape.Ref
}

// compare compares an exchange with all others of a recording.
func compare(ctx context.Context, src cassette.Source, ref tape.Ref, judge *conformance.Judge) (compared, error) {
	var c compared
	x, report, err := judged(ctx, src, ref, judge)
	if err != nil {
		return c, err
	}
	var all conformance.Pairs
	number, own := 0, -1
	for other, err := range src.Exchanges(ctx, tape.Query{Model: x.Facts.Model}) {
		if err != nil {
			return c, err
		}
		if !other.Facts.API.Model() {
			continue
		}
		number++
		if other.Ref == ref {
			own = number
			all.Add(number, x, report)
			continue
		}
		y, err := reading.Of(ctx, src, other)
		if err != nil {
			return c, err
		}
		verdict := judge.Exchange(y)
		if verdict == nil {
			continue
		}
		all.Add(number, y, verdict)
		if len(c.rivals) < maxRivals && differ(x, report, y, verdict, own >= 0) {
			c.rivals = append(c.rivals, other.Ref)
		}
	}
	c.findings = all.Findings()[own]
	return c, nil
}

// differ reports whether the comparison of two answers tells something about the first. xFirst says that it was recorded first.
func differ(x *reading.Exchange, rx *conformance.Report, y *reading.Exchange, ry *conformance.Report, xFirst bool) bool {
	var pair conformance.Pairs
	if xFirst {
		pair.Add(0, x, rx)
	}
	pair.Add(1, y, ry)
	if !xFirst {
		pair.Add(0, x, rx)
	}
	return len(pair.Findings()[0]) > 0
}

// redacted tells what the comparison brought up once the secrets of all that were compared are taken out.
func (c *compared) redacted(ctx context.Context, src cassette.Source, ref tape.Ref, judge *conformance.Judge, o Options) ([]conformance.Finding, error) {
	var out bytes.Buffer
	var refs []tape.Ref
	_, err := cassette.Export(ctx, &out, src, cassette.ExportOptions{
		Generator: o.Generator, Redact: &o.Redact,
		Keep: func(x *tape.Exchange) bool { return x.Ref == ref || slices.Contains(c.rivals, x.Ref) },
	})
	if err != nil {
		return nil, err
	}
	for x, err := range src.Exchanges(ctx, tape.Query{}) {
		if err != nil {
			return nil, err
		}
		if x.Ref == ref || slices.Contains(c.rivals, x.Ref) {
			refs = append(refs, x.Ref)
		}
	}
	exchanges, err := readBack(ctx, out.Bytes(), refs)
	if err != nil {
		return nil, err
	}
	var pairs conformance.Pairs
	for i, x := range exchanges {
		if r := judge.Exchange(x); r != nil {
			pairs.Add(i, x, r)
		}
	}
	return pairs.Findings()[slices.Index(refs, ref)], nil
}

// judged reads and judges one exchange. It fails with [ErrNoCall] when there is nothing to judge.
func judged(ctx context.Context, src cassette.Source, ref tape.Ref, judge *conformance.Judge) (*reading.Exchange, *conformance.Report, error) {
	recorded, err := src.Exchange(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	x, err := reading.Of(ctx, src, recorded)
	if err != nil {
		return nil, nil, err
	}
	report := judge.Exchange(x)
	if report == nil {
		return nil, nil, ErrNoCall
	}
	return x, report, nil
}

// readBack reads the exchanges of a cassette that was just made. Cassettes count anew; refs are the names on the tape.
func readBack(ctx context.Context, text []byte, refs []tape.Ref) ([]*reading.Exchange, error) {
	c, err := cassette.Read(bytes.NewReader(text), "the cassette of the report")
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var all []*reading.Exchange
	for recorded, err := range c.Exchanges(ctx, tape.Query{}) {
		if err != nil {
			return nil, err
		}
		named := *recorded
		named.Ref = refs[len(all)]
		x, err := reading.Of(ctx, c, &named)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}
