// SPDX-License-Identifier: Apache-2.0

package kept

import (
	"google.golang.org/protobuf/proto"

	"quadrille.example/quadrille/internal/columns"
	pb "quadrille.example/quadrille/quadrillev1"
)

func (k *Kept) applyViews(message proto.Message, refused map[int]bool) {
	switch m := message.(type) {
	case *pb.Observe:
		for i := range m.Id {
			if !refused[i] || (len(m.Entity) > 0 && k.IsMissing(m.Entity[i])) {
				k.observe(m, i)
			}
		}
	case *pb.MoveObservers:
		for i, id := range m.Id {
			if is := k.observers[id]; is != nil && !refused[i] {
				moveObserver(is.now, m, i)
			}
		}
	case *pb.Unobserve:
		for i, id := range m.Id {
			if !refused[i] {
				k.removeObserver(id)
			}
		}
	case *pb.SetExceptions:
		if is := k.observers[m.Observer]; is != nil {
			is.lists = m
		}
	case *pb.SetViewOptions:
		k.viewOptions = m
	}
}

func (k *Kept) observe(m *pb.Observe, i int) {
	now := columns.Rows(m, i, i+1).(*pb.Observe)
	now.RelayRange = append([]float32(nil), m.RelayRange...)
	now.RelayEvery = append([]uint32(nil), m.RelayEvery...)
	if len(now.Anchored) == 0 {
		now.Anchored = []byte{0}
		if len(now.Entity) > 0 {
			now.Anchored[0] = 1
		}
	}
	if len(now.Entity) == 0 {
		now.Entity = []uint32{0}
	}
	is := k.observers[m.Id[i]]
	if is == nil {
		is = &observer{}
		k.observers[m.Id[i]] = is
		k.order = append(k.order, m.Id[i])
	}
	is.now = now
}

func moveObserver(now *pb.Observe, m *pb.MoveObservers, i int) {
	set := func(to *[]float32, column []float32) {
		if len(column) > 0 {
			*to = []float32{column[i]}
		}
	}
	set(&now.X, m.X)
	set(&now.Y, m.Y)
	set(&now.Z, m.Z)
	set(&now.DirectionX, m.DirectionX)
	set(&now.DirectionY, m.DirectionY)
	set(&now.DirectionZ, m.DirectionZ)
}

func (k *Kept) removeObserver(id uint32) {
	if k.observers[id] == nil {
		return
	}
	delete(k.observers, id)
	for i, each := range k.order {
		if each == id {
			k.order = append(k.order[:i], k.order[i+1:]...)
			return
		}
	}
}

// WaitsForAnchor: the observer's anchor is missing.
func (k *Kept) WaitsForAnchor(id uint32) bool {
	is := k.observers[id]
	return is != nil && is.now.Anchored[0] != 0 && k.IsMissing(is.now.Entity[0])
}

// observe requests: one per observer, because each has its own tiers.
func (k *Kept) observeRequests(chosen func(*pb.Observe) bool) []proto.Message {
	var found []proto.Message
	for _, id := range k.order {
		is := k.observers[id]
		if !chosen(is.now) {
			continue
		}
		found = append(found, is.now)
		if is.lists != nil {
			found = append(found, is.lists)
		}
	}
	return found
}
