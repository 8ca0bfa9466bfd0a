// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"errors"
	"math/rand"
	"testing"

	pb "quadrille.example/quadrille/quadrillev1"
)

func TestSetKeepsWhatAMapKeeps(t *testing.T) {
	random, set, model := rand.New(rand.NewSource(2)), &Set{}, map[uint64]bool{}
	for i := 0; i < 50000; i++ {
		key := uint64(random.Intn(2000) + 1)
		if random.Intn(2) == 0 {
			if set.Add(key) == model[key] {
				t.Fatalf("adding %d is wrong", key)
			}
			model[key] = true
		} else {
			if set.Remove(key) != model[key] {
				t.Fatalf("removing %d is wrong", key)
			}
			delete(model, key)
		}
		if other := uint64(random.Intn(2000) + 1); set.Has(other) != model[other] || set.Len() != len(model) {
			t.Fatalf("%d is in one set alone, or the sizes differ", other)
		}
	}
	set.Each(func(key uint64) bool {
		if !model[key] {
			t.Errorf("%d is in the set", key)
		}
		delete(model, key)
		return true
	})
	if len(model) != 0 {
		t.Errorf("%d keys are missing", len(model))
	}
}

func frame(begins, ends []uint64) *pb.Tick {
	m := &pb.Tick{Last: true}
	for _, key := range begins {
		m.BeginA, m.BeginB = append(m.BeginA, uint32(key>>32)), append(m.BeginB, uint32(key))
	}
	for _, key := range ends {
		m.EndA, m.EndB = append(m.EndA, uint32(key>>32)), append(m.EndB, uint32(key))
		m.EndReason = append(m.EndReason, 7)
	}
	return m
}

func knownPairs(t *testing.T) *Pairs {
	p, first := NewPairs(), frame([]uint64{Key(1, 2), Key(3, 4)}, nil)
	first.Reset_ = true
	if difference, err := p.Apply(first); err != nil || len(difference.Begun) != 2 || len(difference.Ended) != 0 {
		t.Fatalf("%v, %v", difference, err)
	}
	return p
}

func TestOldSetStaysUntilAResetIsComplete(t *testing.T) {
	p, part := knownPairs(t), frame([]uint64{Key(5, 6)}, nil)
	part.Reset_, part.Last = true, false
	if difference, err := p.Apply(part); difference != nil || err != nil || p.Set().Len() != 2 || p.Known {
		t.Fatalf("%v, %v", difference, err)
	}
	difference, err := p.Apply(frame([]uint64{Key(3, 4)}, nil))
	if err != nil || len(difference.Ended) != 1 || difference.Ended[0] != Key(1, 2) || len(difference.Begun) != 1 ||
		difference.Begun[0] != Key(5, 6) || !p.Known {
		t.Fatalf("%v, %v", difference, err)
	}
}

func TestContradictionsMakeTheSetUnknown(t *testing.T) {
	for _, bad := range []*pb.Tick{frame([]uint64{Key(1, 2)}, nil), frame(nil, []uint64{Key(7, 8)}),
		frame([]uint64{Key(5, 6), Key(5, 6)}, nil), {BeginA: []uint32{1}}} {
		p := knownPairs(t)
		if _, err := p.Apply(bad); !errors.Is(err, ErrContradiction) || p.Known {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := NewPairs().Apply(frame(nil, []uint64{Key(1, 2)})); !errors.Is(err, ErrContradiction) {
		t.Errorf("an event before the first reset: %v", err)
	}
}

// counter is a Sink.
type counter struct{ enters, leaves, relays int }

func (c *counter) Leave(uint32, uint32, byte)                      { c.leaves++ }
func (c *counter) Enter(uint32, uint32)                            { c.enters++ }
func (c *counter) WantsRelays() bool                               { return true }
func (c *counter) Relay(uint32, uint32, float32, float32, float32) { c.relays++ }

func enter(observer, id uint32, slots ...uint32) *pb.View {
	return &pb.View{EnterObserver: []uint32{observer}, EnterId: []uint32{id}, EnterX: []float32{1}, EnterY: []float32{2},
		EnterSlot: slots, Last: true}
}

func TestContradictingViewsAreRefused(t *testing.T) {
	exact := &pb.View{ExactSlot: []uint32{5}, ExactX: []float32{1}, ExactY: []float32{1}}
	for i, frames := range [][]*pb.View{
		{enter(1, 2), enter(1, 2)},
		{{LeaveObserver: []uint32{1}, LeaveId: []uint32{2}, LeaveReason: []byte{1}}},
		{enter(1, 2), {RelayObserver: []uint32{1}, RelayId: []uint32{3}, RelayX: []float32{0}, RelayY: []float32{0}}},
		{enter(1, 2, 1), enter(1, 3, 1)},
		{enter(1, 2, 1), enter(1, 3)},
		{enter(1, 2, 1), {Relay: []byte("\x11\x00\x01\x00\x00\x00\x00\x00")}},
		{enter(1, 2, 1), exact},
		{{Suspended: true}, enter(1, 2)},
		{{EnterObserver: []uint32{1}}},
	} {
		v, sink := NewViews(), &counter{}
		for j, each := range frames {
			if err := v.Apply(each, sink); errors.Is(err, ErrContradiction) != (j == len(frames)-1) {
				t.Errorf("case %d, frame %d: %v", i, j, err)
			}
		}
	}
}

func TestPositionsBySlotAreThoseOfAllViews(t *testing.T) {
	v, sink := NewViews(), &counter{}
	second := enter(2, 9, 0)
	second.EnterX[0] = 7 // newer than what the first view got
	for _, each := range []*pb.View{enter(1, 9, 4), second} {
		if err := v.Apply(each, sink); err != nil {
			t.Fatal(err)
		}
	}
	if entity, _ := v.Get(2, 9); entity.X != 7 {
		t.Errorf("x is %v; must be 7", entity.X)
	}
	moved := &pb.View{ExactSlot: []uint32{3}, ExactX: []float32{8}, ExactY: []float32{9}}
	if err := v.Apply(moved, sink); err != nil || sink.relays != 2 {
		t.Fatalf("%v, %d relays", err, sink.relays)
	}
	for _, observer := range []uint32{1, 2} {
		if entity, _ := v.Get(observer, 9); entity.X != 8 || entity.Y != 9 {
			t.Errorf("observer %d has %v", observer, entity)
		}
	}
}

func TestRelayRefusesBrokenBlobs(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	blob := []byte("\x11\x00\x02\x11\x01\x01\x00\x00\x00\x00")
	if slots, err := NewRelay(0, 2, 4).Read(blob); err != nil || len(slots) != 2 {
		t.Fatalf("%v, %v", slots, err)
	}
	for i := 0; i < 20000; i++ { // no bytes make it read out of bounds
		broken := append([]byte(nil), blob[:random.Intn(len(blob)+1)]...)
		for j := 0; j < 3 && len(broken) > 0; j++ {
			broken[random.Intn(len(broken))] = byte(random.Intn(256))
		}
		_, _ = NewRelay(0, 2, 4).Read(broken)
	}
	for size := range blob {
		if _, err := NewRelay(0, 2, 4).Read(blob[:size]); err == nil {
			t.Errorf("%d bytes are a blob", size)
		}
	}
}
