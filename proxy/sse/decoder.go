package sse

import "bytes"

// Decoder finds events in pieces of a body. Feed a piece, call Next until it returns false, feed the next piece; after the last
// one call End, and Next until it returns false. Memory is that of the longest event.
type Decoder struct {
	format Format

	piece []byte // what is left of the piece
	off   int64  // offset in the body of the first byte of piece
	lf    int64  // offset of the first LF of piece, or of its end if there is none; before off when it is to be looked for
	tail  []byte // beginning of a line that went on beyond earlier pieces; it ends where piece begins
	ended bool

	// The block that is being read.
	open            bool
	start           int64
	name, id, retry string
	hasData         bool
	lent            []byte // the data while it lies in piece as it is, else nil
	held            []byte // the data otherwise

	names map[string]string
}

// NewDecoder returns a Decoder for a body in the given format, which must not be Whole.
func NewDecoder(f Format) *Decoder {
	return &Decoder{format: f, names: make(map[string]string)}
}

// Feed hands the next bytes of the body in. It must not be called before Next has returned false, and piece must not
// change until Next returns false again.
func (d *Decoder) Feed(piece []byte) { d.piece, d.lf = piece, -1 }

// End says that the body has ended.
func (d *Decoder) End() { d.ended = true }

// Offset returns the number of bytes that were looked at, which is all that were fed once Next has returned false.
func (d *Decoder) Offset() int64 { return d.off }

// Next sets e to the next event and reports whether there is one. It returns false when more bytes are needed, or after
// End when nothing is left.
func (d *Decoder) Next(e *Event) bool {
	for {
		length, size := d.nextLine()
		if size < 0 {
			break
		}
		line, start, whole := d.piece[:length], d.off-int64(len(d.tail)), len(d.tail) == 0
		if !whole {
			d.tail = append(d.tail, line...)
			line, d.tail = d.tail, d.tail[:0]
		}
		d.piece = d.piece[size:]
		d.off += int64(size)
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if d.line(e, line, start, whole, true) {
			return true
		}
	}
	d.tail = append(d.tail, d.piece...)
	d.off += int64(len(d.piece))
	d.piece = nil
	d.keep()
	return d.ended && d.unfinished(e)
}

// nextLine returns how many bytes of piece belong to the line that comes next, without and with its line end. size is negative when
// that needs more bytes: no line end is there, or only a CR that an LF may follow. Of a line that began in an earlier piece, a
// CR may be in the tail.
func (d *Decoder) nextLine() (length, size int) {
	if len(d.piece) == 0 {
		return 0, -1
	}
	if d.lf < d.off {
		d.lf = d.off + int64(len(d.piece))
		if i := bytes.IndexByte(d.piece, '\n'); i >= 0 {
			d.lf = d.off + int64(i)
		}
	}
	i := int(d.lf - d.off)
	if d.format == EventStream {
		if d.halfEnded() {
			if i == 0 {
				return 0, 1
			}
			return 0, 0
		}
		j := bytes.IndexByte(d.piece[:i], '\r')
		if j >= 0 && j+1 < i {
			return j, j + 1
		}
	}
	if i == len(d.piece) {
		return 0, -1
	}
	return i, i + 1
}

// halfEnded reports whether the tail ends with a CR. It is the end of the line, and an LF behind it is a part of that end.
func (d *Decoder) halfEnded() bool {
	return d.format == EventStream && len(d.tail) > 0 && d.tail[len(d.tail)-1] == '\r'
}

// unfinished hands out what the end of the body left open.
func (d *Decoder) unfinished(e *Event) bool {
	line, start, terminated := d.tail, d.off-int64(len(d.tail)), d.halfEnded()
	d.tail = nil
	if terminated {
		line = line[:len(line)-1]
	}
	if (terminated || len(line) > 0) && d.line(e, line, start, false, terminated) {
		return true
	}
	return d.open && d.close(e, false)
}

// line takes one line without its line end and reports whether it makes an event. whole says that the line lies in
// the piece, so that its bytes last until the piece is used up.
func (d *Decoder) line(e *Event, line []byte, start int64, whole, terminated bool) bool {
	if start == 0 {
		if rest, ok := bytes.CutPrefix(line, []byte("\ufeff")); ok {
			line, start = rest, 3
		}
	}
	if d.format == NDJSON {
		*e = Event{Start: start, End: d.off, Data: line, Terminated: terminated}
		return len(bytes.TrimLeft(line, " \t\r")) > 0
	}
	if len(line) == 0 {
		return terminated && d.open && d.close(e, true)
	}
	field, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(field) {
	case "data":
		d.addData(value, whole)
	case "event":
		d.name = d.intern(value)
	case "id":
		d.id = string(value)
	case "retry":
		d.retry = string(value)
	case "":
		*e = Event{Kind: Comment, Start: start, End: d.off, Data: value, Terminated: terminated}
		return true
	default:
		*e = Event{Kind: Junk, Start: start, End: d.off, Data: line, Terminated: terminated}
		return true
	}
	if !d.open {
		d.open, d.start = true, start
	}
	return false
}

// addData adds the value of a data field to the block.
func (d *Decoder) addData(value []byte, whole bool) {
	switch {
	case d.hasData:
		d.keep()
		d.held = append(append(d.held, '\n'), value...)
	case whole && len(value) > 0:
		d.lent = value
	default:
		d.held = append(d.held[:0], value...)
	}
	d.hasData = true
}

// keep copies data that lies in the piece, which will not last.
func (d *Decoder) keep() {
	if d.lent != nil {
		d.held = append(d.held[:0], d.lent...)
		d.lent = nil
	}
}

// close makes e the event of the block. It returns true.
func (d *Decoder) close(e *Event, terminated bool) bool {
	*e = Event{Start: d.start, End: d.off, Name: d.name, ID: d.id, Retry: d.retry, Terminated: terminated}
	switch {
	case d.lent != nil:
		e.Data = d.lent
	case d.hasData && len(d.held) > 0:
		e.Data = d.held
	case d.hasData:
		e.Data = []byte{}
	}
	d.open, d.name, d.id, d.retry, d.hasData, d.lent = false, "", "", "", false, nil
	return true
}

// maxNames bounds the event names that are kept so that equal ones share one string.
const maxNames = 64

func (d *Decoder) intern(name []byte) string {
	if s, ok := d.names[string(name)]; ok {
		return s
	}
	s := string(name)
	if len(d.names) < maxNames {
		d.names[s] = s
	}
	return s
}
