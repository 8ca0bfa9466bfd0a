// SPDX-License-Identifier: Apache-2.0

// Package kept has what a session restores in a new session of the server: entities, descriptions, observers, options
// and the subscription of a room.
package kept

import (
	"google.golang.org/protobuf/proto"

	pb "quadrille.example/quadrille/quadrillev1"
)

const sizesCount = 7

// Entity has all values but the place.
type entity struct {
	sizes        [sizesCount]float32 // half_x, half_y, half_z, radius, axis_x, axis_y, axis_z
	shape        byte
	category     uint32
	mask         uint32
	tag          uint64
	team         uint32
	visibleRange float32
	hidden       byte
	payload      []byte
	roomOwned    bool
	foreign      bool // its shape is not known
	described    bool
	missing      bool // the server could not spawn it yet
}

type observer struct {
	now   *pb.Observe // of this observer alone
	lists *pb.SetExceptions
}

// Kept is the state of one room. The rows are dense.
type Kept struct {
	rows         map[uint32]int
	version      int // rises when a row gets another entity
	ids          []uint32
	x, y, z      []float32
	moved        []bool // since the spawn
	entities     []entity
	observers    map[uint32]*observer
	order        []uint32 // of observers
	viewOptions  *pb.SetViewOptions
	subscription *pb.Subscribe
}

// Rows are the rows of a batch's entities, as long as Version is that of Kept.
type Rows struct {
	Version int
	rows    []int32 // -1: not kept
	first   int     // if they are consecutive: the first row, else -1
}

// New is an empty state.
func New() *Kept {
	return &Kept{rows: map[uint32]int{}, observers: map[uint32]*observer{}}
}

// Has reports whether an entity is kept.
func (k *Kept) Has(id uint32) bool {
	_, found := k.rows[id]
	return found
}

// Version changes with the rows.
func (k *Kept) Version() int {
	return k.version
}

// IsMissing: the server could not spawn the entity yet.
func (k *Kept) IsMissing(id uint32) bool {
	row, found := k.rows[id]
	return found && k.entities[row].missing
}

// ClearMissing forgets which entities are missing.
func (k *Kept) ClearMissing() {
	for row := range k.entities {
		k.entities[row].missing = false
	}
}

// Add keeps entities of which nothing but the id is known. It skips those that are kept.
func (k *Kept) Add(ids []uint32) {
	for _, id := range ids {
		if !k.Has(id) {
			k.add(id, entity{shape: byte(pb.Shape_SHAPE_BOX), category: 1, mask: ^uint32(0), foreign: true})
		}
	}
}

func (k *Kept) add(id uint32, is entity) int {
	row := len(k.ids)
	k.rows[id] = row
	k.ids, k.entities = append(k.ids, id), append(k.entities, is)
	k.x, k.y, k.z = append(k.x, 0), append(k.y, 0), append(k.z, 0)
	k.moved = append(k.moved, false)
	k.version++
	return row
}

// Remove drops entities, and observers at them.
func (k *Kept) Remove(ids []uint32) {
	gone := map[uint32]bool{}
	for _, id := range ids {
		row, found := k.rows[id]
		if !found {
			continue
		}
		gone[id] = true
		last := len(k.ids) - 1
		k.ids[row], k.entities[row] = k.ids[last], k.entities[last]
		k.x[row], k.y[row], k.z[row] = k.x[last], k.y[last], k.z[last]
		k.moved[row] = k.moved[last]
		k.rows[k.ids[row]] = row
		delete(k.rows, id)
		k.ids, k.entities, k.moved = k.ids[:last], k.entities[:last], k.moved[:last]
		k.x, k.y, k.z = k.x[:last], k.y[:last], k.z[:last]
		k.version++
	}
	if len(gone) == 0 {
		return
	}
	for id, is := range k.observers {
		if is.now.Anchored[0] != 0 && gone[is.now.Entity[0]] {
			k.removeObserver(id)
		}
	}
}

// RowsOf finds the rows of entities.
func (k *Kept) RowsOf(ids []uint32) Rows {
	found := Rows{Version: k.version, rows: make([]int32, len(ids)), first: -1}
	for i, id := range ids {
		row, is := k.rows[id]
		if !is {
			row = -1
		}
		found.rows[i] = int32(row)
		if i == 0 {
			found.first = row
		} else if row < 0 || row != found.first+i {
			found.first = -1
		}
	}
	return found
}

// Move sets places.
func (k *Kept) Move(move *pb.Move, at Rows) {
	if at.first >= 0 && len(at.rows) > 0 {
		copy(k.x[at.first:], move.X)
		copy(k.y[at.first:], move.Y)
		if len(move.Z) > 0 {
			copy(k.z[at.first:], move.Z)
		}
		for row := at.first; row < at.first+len(at.rows); row++ {
			k.moved[row] = true
		}
		return
	}
	for i, row := range at.rows {
		if row >= 0 {
			k.place(int(row), i, move.X, move.Y, move.Z)
		}
	}
}

func (k *Kept) place(row, i int, x, y, z []float32) {
	k.x[row], k.y[row] = x[i], y[i]
	if len(z) > 0 {
		k.z[row] = z[i]
	}
	k.moved[row] = true
}

// Apply applies a request that the server has carried out, without the refused entries. Number is that of the server's
// session.
func (k *Kept) Apply(message proto.Message, refused map[int]bool, number uint64) {
	switch m := message.(type) {
	case *pb.Spawn:
		for i := range m.Id {
			if !refused[i] {
				k.spawn(m, i)
			}
		}
	case *pb.Move:
		k.counts(m.Id, refused, func(i, row int) { k.place(row, i, m.X, m.Y, m.Z) })
	case *pb.Teleport:
		k.counts(m.Id, refused, func(i, row int) { k.place(row, i, m.X, m.Y, m.Z) })
	case *pb.Reshape:
		k.counts(m.Id, refused, func(i, row int) { k.reshape(m, i, row) })
	case *pb.Despawn:
		k.Remove(k.counted(m.Id, refused))
	case *pb.SetDescription:
		k.describe(m, refused)
	case *pb.HandOver:
		if m.RoomOwned || m.Session == number {
			k.counts(m.Id, refused, func(_, row int) { k.entities[row].roomOwned = m.RoomOwned })
		} else {
			k.Remove(k.counted(m.Id, refused))
		}
	case *pb.Subscribe:
		k.subscription = m
	case *pb.Unsubscribe:
		k.subscription = nil
	default:
		k.applyViews(message, refused)
	}
}

// counts calls the function with the index and row of each entry that counts. An entity that is missing now gets what
// was refused for it, when it is spawned again.
func (k *Kept) counts(ids []uint32, refused map[int]bool, call func(i, row int)) {
	for i, id := range ids {
		if row, found := k.rows[id]; found && (!refused[i] || k.entities[row].missing) {
			call(i, row)
		}
	}
}

func (k *Kept) counted(ids []uint32, refused map[int]bool) []uint32 {
	var found []uint32
	k.counts(ids, refused, func(i, _ int) { found = append(found, ids[i]) })
	return found
}

func sizeColumns(halfX, halfY, halfZ, radius, axisX, axisY, axisZ []float32) [sizesCount][]float32 {
	return [sizesCount][]float32{halfX, halfY, halfZ, radius, axisX, axisY, axisZ}
}

func (k *Kept) spawn(m *pb.Spawn, i int) {
	if k.Has(m.Id[i]) {
		return
	}
	is := entity{shape: byte(pb.Shape_SHAPE_BOX), category: 1, mask: ^uint32(0), roomOwned: m.RoomOwned}
	for size, column := range sizeColumns(m.HalfX, m.HalfY, m.HalfZ, m.Radius, m.AxisX, m.AxisY, m.AxisZ) {
		setFloat(&is.sizes[size], column, i)
	}
	setByte(&is.shape, m.Shape, i)
	setWord(&is.category, m.Category, i)
	setWord(&is.mask, m.Mask, i)
	row := k.add(m.Id[i], is)
	setFloat(&k.x[row], m.X, i)
	setFloat(&k.y[row], m.Y, i)
	setFloat(&k.z[row], m.Z, i)
}

// Miss keeps an entry that the server could not spawn yet.
func (k *Kept) Miss(m *pb.Spawn, i int) {
	k.spawn(m, i)
	k.entities[k.rows[m.Id[i]]].missing = true
}

func (k *Kept) reshape(m *pb.Reshape, i, row int) {
	is := &k.entities[row]
	for size, column := range sizeColumns(m.HalfX, m.HalfY, m.HalfZ, m.Radius, m.AxisX, m.AxisY, m.AxisZ) {
		setFloat(&is.sizes[size], column, i)
	}
	setByte(&is.shape, m.Shape, i)
	setWord(&is.category, m.Category, i)
	setWord(&is.mask, m.Mask, i)
	for size := range is.sizes {
		isHalf, isRadius := size < 3, size == 3
		box, capsule := is.shape == byte(pb.Shape_SHAPE_BOX), is.shape == byte(pb.Shape_SHAPE_CAPSULE)
		if (isHalf && !box) || (isRadius && box) || (!isHalf && !isRadius && !capsule) {
			is.sizes[size] = 0
		}
	}
}

func (k *Kept) describe(m *pb.SetDescription, refused map[int]bool) {
	ends, end := make([]int, len(m.PayloadSize)), 0
	for i, size := range m.PayloadSize {
		end += int(size)
		ends[i] = end
	}
	k.counts(m.Id, refused, func(i, row int) {
		is := &k.entities[row]
		if len(m.Tag) > 0 {
			is.tag = m.Tag[i]
		}
		setWord(&is.team, m.Team, i)
		setFloat(&is.visibleRange, m.VisibleRange, i)
		setByte(&is.hidden, m.Hidden, i)
		is.described = true
		if len(ends) > 0 && ends[i] <= len(m.Payload) {
			is.payload = append([]byte(nil), m.Payload[ends[i]-int(m.PayloadSize[i]):ends[i]]...)
		}
	})
}

func setFloat(to *float32, column []float32, i int) {
	if len(column) > 0 {
		*to = column[i]
	}
}

func setWord(to *uint32, column []uint32, i int) {
	if len(column) > 0 {
		*to = column[i]
	}
}

func setByte(to *byte, column []byte, i int) {
	if len(column) > 0 {
		*to = column[i]
	}
}
