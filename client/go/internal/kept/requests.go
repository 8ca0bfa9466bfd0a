// SPDX-License-Identifier: Apache-2.0

package kept

import (
	"google.golang.org/protobuf/proto"

	pb "quadrille.example/quadrille/quadrillev1"
)

// Requests bring a room to the kept state. Present has the ids of own entities that are there. Fresh: it is a new room,
// without entities of the room itself.
func (k *Kept) Requests(present map[uint32]bool, fresh, hasZ bool) []proto.Message {
	isOwn := func(is *entity) bool { return !is.foreign && !is.roomOwned }
	found := []proto.Message{
		k.spawnBatch(hasZ, func(row int) bool { return isOwn(&k.entities[row]) && !present[k.ids[row]] }),
	}
	if fresh {
		ofRoom := k.spawnBatch(hasZ, func(row int) bool { return k.entities[row].roomOwned && !k.entities[row].foreign })
		ofRoom.RoomOwned = true
		found = append(found, ofRoom)
	}
	if len(present) > 0 {
		moved := k.spawnBatch(hasZ, func(row int) bool {
			return present[k.ids[row]] && (isOwn(&k.entities[row]) || k.moved[row])
		})
		shaped := k.spawnBatch(hasZ, func(row int) bool { return present[k.ids[row]] && isOwn(&k.entities[row]) })
		gone := &pb.Despawn{}
		for id := range present {
			if !k.Has(id) {
				gone.Id = append(gone.Id, id)
			}
		}
		found = append(found, &pb.Teleport{Id: moved.Id, X: moved.X, Y: moved.Y, Z: moved.Z},
			&pb.Reshape{Id: shaped.Id, HalfX: shaped.HalfX, HalfY: shaped.HalfY, HalfZ: shaped.HalfZ, Shape: shaped.Shape,
				Category: shaped.Category, Mask: shaped.Mask, Radius: shaped.Radius, AxisX: shaped.AxisX,
				AxisY: shaped.AxisY, AxisZ: shaped.AxisZ}, gone)
	}
	found = append(found, k.descriptions(func(is *entity) bool { return is.described && (isOwn(is) || fresh) }))
	found = append(found, k.observeRequests(func(*pb.Observe) bool { return true })...)
	if k.viewOptions != nil {
		found = append(found, k.viewOptions)
	}
	if k.subscription != nil {
		found = append(found, k.subscription)
	}
	return found
}

// MissingRequests are the same for entities that could not be spawned, and observers at them.
func (k *Kept) MissingRequests(hasZ bool) []proto.Message {
	found := []proto.Message{
		k.spawnBatch(hasZ, func(row int) bool { return k.entities[row].missing }),
		k.descriptions(func(is *entity) bool { return is.missing && is.described }),
	}
	return append(found, k.observeRequests(func(now *pb.Observe) bool {
		return now.Anchored[0] != 0 && k.IsMissing(now.Entity[0])
	})...)
}

func (k *Kept) spawnBatch(hasZ bool, chosen func(row int) bool) *pb.Spawn {
	m := &pb.Spawn{}
	for row, id := range k.ids {
		if !chosen(row) {
			continue
		}
		is := &k.entities[row]
		m.Id, m.X, m.Y = append(m.Id, id), append(m.X, k.x[row]), append(m.Y, k.y[row])
		m.HalfX, m.HalfY = append(m.HalfX, is.sizes[0]), append(m.HalfY, is.sizes[1])
		m.Radius = append(m.Radius, is.sizes[3])
		m.AxisX, m.AxisY = append(m.AxisX, is.sizes[4]), append(m.AxisY, is.sizes[5])
		if hasZ {
			m.Z, m.HalfZ = append(m.Z, k.z[row]), append(m.HalfZ, is.sizes[2])
			m.AxisZ = append(m.AxisZ, is.sizes[6])
		}
		m.Shape = append(m.Shape, is.shape)
		m.Category, m.Mask = append(m.Category, is.category), append(m.Mask, is.mask)
	}
	return m
}

func (k *Kept) descriptions(chosen func(*entity) bool) *pb.SetDescription {
	m := &pb.SetDescription{}
	for row, id := range k.ids {
		is := &k.entities[row]
		if !chosen(is) {
			continue
		}
		m.Id, m.Tag, m.Team = append(m.Id, id), append(m.Tag, is.tag), append(m.Team, is.team)
		m.VisibleRange, m.Hidden = append(m.VisibleRange, is.visibleRange), append(m.Hidden, is.hidden)
		m.Payload = append(m.Payload, is.payload...)
		m.PayloadSize = append(m.PayloadSize, byte(len(is.payload)))
	}
	return m
}
