package tape

import (
	"database/sql/driver"
	"fmt"
)

// disowned is a body that nothing refers to any more.
type disowned struct {
	id, stored int64
	inParts    bool // and its row is to be removed after them
}

// disown takes the references of an exchange away from its bodies. It returns those nothing else refers to; such a body is not found any more
// and, unless it is in parts, gone. It is [errInUse], with nothing done, when one of them is about to be referred to again.
func (w *writer) disown(c candidate) (gone []disowned, err error) {
	refs := map[int64]int64{c.request: 1}
	refs[c.response]++
	delete(refs, 0)
	for id, n := range refs {
		b, left, err := w.owners(id)
		if err != nil {
			return nil, err
		}
		if left -= n; left <= 0 {
			if !w.packer.known.forget(b.sum, id) {
				return nil, errInUse
			}
			gone = append(gone, b.disowned)
			delete(refs, id)
		}
	}
	for id, n := range refs {
		if err := w.stmt.lowerRefs.exec(n, id); err != nil {
			return nil, err
		}
	}
	for _, b := range gone {
		if b.inParts {
			err = w.stmt.disownBody.exec(b.id)
		} else {
			err = w.stmt.dropBody.exec(b.id)
		}
		if err != nil {
			return nil, err
		}
	}
	return gone, nil
}

// owned is a body with its digest.
type owned struct {
	disowned
	sum [32]byte
}

// owners looks up a body and how many references to it there are.
func (w *writer) owners(id int64) (b owned, refs int64, err error) {
	found := false
	err = w.stmt.findOwners.query(func(row []driver.Value) error {
		var ok [4]bool
		var sum []byte
		var inParts int64
		refs, ok[0] = row[0].(int64)
		sum, ok[1] = row[1].([]byte)
		b.stored, ok[2] = row[2].(int64)
		inParts, ok[3] = row[3].(int64)
		if found = ok == [4]bool{true, true, true, true} && len(sum) == len(b.sum); found {
			b.sum = [32]byte(sum)
			b.id, b.inParts = id, inParts != 0
		}
		return nil
	}, 4, id)
	if err == nil && !found {
		err = fmt.Errorf("%w: body %d is missing, or not as it should be", ErrDamaged, id)
	}
	return b, refs, err
}

// dropExchange removes an exchange whose bodies have been disowned.
func (w *writer) dropExchange(c candidate) error {
	if err := w.stmt.dropFacts.exec(c.id); err != nil {
		return err
	}
	return w.stmt.dropExchange.exec(c.id)
}

// dropEmpty removes a session when it has no exchanges and is not being recorded. It returns how many it removed.
func (w *writer) dropEmpty(session int64) (int64, error) {
	for _, s := range w.sessions {
		if s.id == session {
			return 0, nil
		}
	}
	return w.stmt.dropEmptySession.count(session, session)
}
