// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"reflect"
	"strings"
	"testing"

	pb "quadrille.example/quadrille/quadrillev1"
)

func TestOwnSharesNothingAndSpreadsOneValue(t *testing.T) {
	given := &pb.Spawn{Id: []uint32{1, 2, 3}, X: []float32{1, 2, 3}, Y: []float32{5}, Shape: []byte{2}, RoomOwned: true}
	message, err := Own(given)
	if err != nil {
		t.Fatal(err)
	}
	owned := message.(*pb.Spawn)
	given.Id[0], given.X[0] = 9, 9
	if !reflect.DeepEqual(owned.Id, []uint32{1, 2, 3}) || !reflect.DeepEqual(owned.X, []float32{1, 2, 3}) ||
		!reflect.DeepEqual(owned.Y, []float32{5, 5, 5}) || string(owned.Shape) != "\x02\x02\x02" || !owned.RoomOwned ||
		owned.Z != nil {
		t.Errorf("it is %v", owned)
	}
}

func TestOwnRefusesColumnsOfOtherLengths(t *testing.T) {
	_, err := Own(&pb.Observe{Id: []uint32{1, 2, 3}, LeaveMargin: []float32{1, 2}, RelayRange: []float32{1, 2}})
	if err == nil || !strings.Contains(err.Error(), "leave_margin has 2 values; must be 3") {
		t.Errorf("the error is %v", err)
	}
}

func TestRowsCutPayloadsAtTheirEnds(t *testing.T) {
	given := &pb.SetDescription{Id: []uint32{1, 2, 3}, Payload: []byte("abbccc"), PayloadSize: []byte{1, 2, 3},
		Team: []uint32{7, 8, 9}}
	part := Rows(given, 1, 3).(*pb.SetDescription)
	if !reflect.DeepEqual(part.Id, []uint32{2, 3}) || string(part.Payload) != "bbccc" ||
		!reflect.DeepEqual(part.Team, []uint32{8, 9}) || string(part.PayloadSize) != "\x02\x03" {
		t.Errorf("it is %v", part)
	}
	if bytes := RowBytes(given); bytes != 9 {
		t.Errorf("a row has %d bytes; must have 9", bytes)
	}
}
