// SPDX-License-Identifier: Apache-2.0

package kept

import (
	"math/rand"
	"reflect"
	"sort"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "quadrille.example/quadrille/quadrillev1"
)

func TestRandomChangesKeepWhatAMapKeeps(t *testing.T) {
	random, k, model := rand.New(rand.NewSource(3)), New(), map[uint32]float32{}
	for turn := 0; turn < 1000; turn++ {
		refused := map[int]bool{}
		var ids []uint32
		var x []float32
		for i, id := range random.Perm(300)[:random.Intn(40)+1] {
			ids, x = append(ids, uint32(id)), append(x, float32(random.Intn(1000))/4)
			refused[i] = random.Intn(5) == 0
		}
		kind := random.Intn(4)
		switch kind {
		case 0:
			k.Apply(&pb.Spawn{Id: ids, X: x, Y: x}, refused, 1)
		case 1:
			k.Apply(&pb.Move{Id: ids, X: x, Y: x}, refused, 1)
		case 2:
			k.Apply(&pb.Despawn{Id: ids}, refused, 1)
		case 3:
			k.Move(&pb.Move{Id: ids, X: x, Y: x}, k.RowsOf(ids))
			refused = nil
		}
		for i, id := range ids {
			_, found := model[id]
			switch {
			case refused[i]:
			case kind == 2:
				delete(model, id)
			case found == (kind != 0):
				model[id] = x[i]
			}
		}
		found := map[uint32]float32{}
		for id, row := range k.rows {
			found[id] = k.x[row]
		}
		if !reflect.DeepEqual(found, model) || len(k.ids) != len(model) {
			t.Fatalf("turn %d: it keeps %v; must be %v", turn, found, model)
		}
	}
}

func TestConsecutiveRowsAreMovedAtOnce(t *testing.T) {
	k := New()
	k.Apply(&pb.Spawn{Id: []uint32{5, 6, 7}, X: []float32{1, 2, 3}, Y: []float32{0, 0, 0}}, nil, 1)
	rows := k.RowsOf([]uint32{6, 7})
	if rows.first != 1 {
		t.Fatalf("the first row is %d; must be 1", rows.first)
	}
	k.Move(&pb.Move{X: []float32{8, 9}, Y: []float32{8, 9}}, rows)
	if !reflect.DeepEqual(k.x, []float32{1, 8, 9}) || !k.moved[2] || k.moved[0] {
		t.Errorf("x is %v", k.x)
	}
}

func TestRequestsBringARoomToTheState(t *testing.T) {
	k := New()
	k.Apply(&pb.Spawn{Id: []uint32{1, 2, 3}, X: []float32{1, 2, 3}, Y: []float32{0, 0, 0}, HalfX: []float32{1, 1, 1}}, nil, 1)
	k.Apply(&pb.SetDescription{Id: []uint32{2, 3}, Payload: []byte("abc"), PayloadSize: []byte{1, 2}}, map[int]bool{0: true}, 1)
	k.Apply(&pb.Observe{Id: []uint32{7}, Entity: []uint32{3}, Range: []float32{5}, RelayRange: []float32{9},
		RelayEvery: []uint32{1}}, nil, 1)
	k.Apply(&pb.HandOver{Id: []uint32{1}, Session: 5}, nil, 1)
	var requests []proto.Message
	for _, each := range k.Requests(map[uint32]bool{9: true}, true, false) {
		if len(each.(interface{ GetId() []uint32 }).GetId()) > 0 {
			requests = append(requests, each)
		}
	}
	if len(requests) != 4 {
		t.Fatalf("there are %d requests; must be 4: %v", len(requests), requests)
	}
	spawn, despawn := requests[0].(*pb.Spawn), requests[1].(*pb.Despawn)
	sort.Slice(spawn.Id, func(i, j int) bool { return spawn.Id[i] < spawn.Id[j] })
	if !reflect.DeepEqual(spawn.Id, []uint32{2, 3}) || len(spawn.Z) != 0 || !reflect.DeepEqual(despawn.Id, []uint32{9}) {
		t.Errorf("spawn is %v, despawn is %v", spawn, despawn)
	}
	described, observe := requests[2].(*pb.SetDescription), requests[3].(*pb.Observe)
	if !reflect.DeepEqual(described.Id, []uint32{3}) || string(described.Payload) != "bc" || observe.Anchored[0] != 1 ||
		len(observe.RelayRange) != 1 {
		t.Errorf("description is %v, observe is %v", described, observe)
	}
	k.Apply(&pb.Despawn{Id: []uint32{3}}, nil, 1)
	if len(k.observers) != 0 || len(k.order) != 0 {
		t.Errorf("an observer outlives its anchor")
	}
}
