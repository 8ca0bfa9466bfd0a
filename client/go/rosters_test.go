// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"reflect"
	"testing"
)

func idsFrom(first, count int) []uint32 {
	ids := make([]uint32, count)
	for i := range ids {
		ids[i] = uint32(first + i)
	}
	return ids
}

func TestIDsThatComeAgainGetARosterAndOthersDoNot(t *testing.T) {
	var r rosters
	ids, others := idsFrom(0, 10), idsFrom(5, 10)
	reversed := idsFrom(0, 10)
	for i := range reversed {
		reversed[i] = uint32(9 - i)
	}
	for turn, each := range []struct {
		ids       []uint32
		number    int
		registers bool
	}{{ids, noRoster, false}, {ids, 0, true}, {ids, 0, false}, {others, noRoster, false}, {reversed, noRoster, false},
		{ids, 0, false}} {
		if number, registers, dropped := r.find(each.ids, 1000); number != each.number || registers != each.registers ||
			dropped != nil {
			t.Errorf("turn %d: roster %d, %v, %v", turn, number, registers, dropped)
		}
	}
	ids[3] = 77 // it is another list now
	if number, _, _ := r.find(ids, 1000); number != noRoster {
		t.Errorf("the changed ids have the roster %d", number)
	}
}

func TestRostersStayWithinTheLimits(t *testing.T) {
	var r rosters
	for first := 0; first < 1000; first += 10 {
		ids := idsFrom(first, 10)
		r.find(ids, 35)
		number, registers, dropped := r.find(ids, 35)
		if !registers || number >= rostersMax || r.count() > 35 || (len(dropped) == 1) != (first >= 30) {
			t.Fatalf("first %d: roster %d, %v, dropped %v, %d ids", first, number, registers, dropped, r.count())
		}
		if !reflect.DeepEqual(r.ids(number), ids) {
			t.Fatalf("the roster has %v; must have %v", r.ids(number), ids)
		}
	}
	if number, _, _ := r.find(idsFrom(0, 36), 35); number != noRoster {
		t.Errorf("ids above the limit have the roster %d", number)
	}
}
