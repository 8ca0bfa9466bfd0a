// SPDX-License-Identifier: Apache-2.0

package quadrille

import "quadrille.example/quadrille/internal/wire"

const (
	rostersMax   = 16
	rosterIDsMin = 4 // below that a roster saves next to nothing
	noRoster     = -1
)

type roster struct {
	number int
	ids    []uint32
}

// rosters are those of one room in one session of the server: ids that moved again in the same order. The most recently
// used one is the last.
type rosters struct {
	known  []roster
	before []uint32 // ids of the last move without a roster
}

// find returns the roster of these ids or noRoster, whether to register it first, and rosters to drop before.
func (r *rosters) find(ids []uint32, idsMax int) (number int, registers bool, dropped []int) {
	for i := len(r.known) - 1; i >= 0; i-- {
		if found := r.known[i]; wire.Equal(found.ids, ids) {
			r.known = append(append(r.known[:i], r.known[i+1:]...), found)
			return found.number, false, nil
		}
	}
	if len(ids) < rosterIDsMin || len(ids) > idsMax || !wire.Equal(r.before, ids) {
		r.before = append(r.before[:0], ids...)
		return noRoster, false, nil
	}
	r.before = r.before[:0]
	for len(r.known) == rostersMax || r.count()+len(ids) > idsMax {
		dropped = append(dropped, r.known[0].number)
		r.known = append([]roster(nil), r.known[1:]...)
	}
	number = r.free()
	r.known = append(r.known, roster{number, append([]uint32(nil), ids...)})
	return number, true, dropped
}

func (r *rosters) count() int {
	count := 0
	for _, each := range r.known {
		count += len(each.ids)
	}
	return count
}

func (r *rosters) free() int {
	for number := 0; ; number++ {
		if r.ids(number) == nil {
			return number
		}
	}
}

// ids are those of a roster, which nobody may change; nil if there is none.
func (r *rosters) ids(number int) []uint32 {
	for _, each := range r.known {
		if each.number == number {
			return each.ids
		}
	}
	return nil
}

func (r *rosters) forget() {
	r.known, r.before = nil, nil
}
