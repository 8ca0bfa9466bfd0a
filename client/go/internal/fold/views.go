// SPDX-License-Identifier: Apache-2.0

package fold

import (
	pb "quadrille.example/quadrille/quadrillev1"
)

// Sink gets what a frame has changed, in order.
type Sink interface {
	Leave(observer, id uint32, reason byte)
	Enter(observer, id uint32)
	WantsRelays() bool
	Relay(observer, id uint32, x, y, z float32)
}

// Entity is an entity as one observer knows it: its values at the enter, with the last reported position.
type Entity struct {
	ID                  uint32
	X, Y, Z             float32
	HalfX, HalfY, HalfZ float32
	Radius              float32
	AxisX, AxisY, AxisZ float32
	Shape               pb.Shape
	Category            uint32
	Tag                 uint64
	Payload             []byte
	slot                int
	updates             uint32 // of its slot, when it entered
}

// Watcher is an observer of a session.
type Watcher struct {
	Session  uint64
	Observer uint32
}

// slot is a place in the relay stream. Every view of an entity shares it.
type slot struct {
	used    bool
	id      uint32
	place   [axesMax]float32
	updates uint32 // how often its position has come
}

// Views are all views of a room, and the reverse view.
type Views struct {
	Known, Suspended bool // Known: they are those of a whole tick
	index            map[uint32]map[uint32]*Entity
	watchers         map[uint32]map[Watcher]struct{}
	count            int
	relay            *Relay
	hasSlots         bool
	slotOf           map[uint32]int
	slots            []slot
	viewers          map[uint32]map[uint32]struct{} // id -> observers
}

// NewViews are empty views.
func NewViews() *Views {
	v := &Views{Known: true, watchers: map[uint32]map[Watcher]struct{}{}}
	v.empty()
	return v
}

func (v *Views) empty() {
	v.index, v.count = map[uint32]map[uint32]*Entity{}, 0
	v.endSlots()
}

func (v *Views) endSlots() {
	v.relay, v.hasSlots, v.slots = nil, false, nil
	v.slotOf, v.viewers = map[uint32]int{}, map[uint32]map[uint32]struct{}{}
}

// ---- reading ----

// Observers are those with a view, which may be empty.
func (v *Views) Observers() []uint32 {
	found := make([]uint32, 0, len(v.index))
	for observer := range v.index {
		found = append(found, observer)
	}
	return found
}

// Len is the number of entities in a view.
func (v *Views) Len(observer uint32) int {
	return len(v.index[observer])
}

// Get finds an entity in a view.
func (v *Views) Get(observer, id uint32) (Entity, bool) {
	entity := v.index[observer][id]
	if entity == nil {
		return Entity{}, false
	}
	return v.placed(entity), true
}

// Each calls the function for each entity in a view, until it returns false.
func (v *Views) Each(observer uint32, call func(Entity) bool) {
	for _, entity := range v.index[observer] {
		if !call(v.placed(entity)) {
			return
		}
	}
}

// placed is the entity with its last position, which its slot may have.
func (v *Views) placed(entity *Entity) Entity {
	found := *entity
	if v.hasSlots {
		if at := &v.slots[entity.slot]; at.updates != entity.updates {
			found.X, found.Y, found.Z = at.place[0], at.place[1], at.place[2]
		}
	}
	return found
}

// Watchers are the observers that see an entity.
func (v *Views) Watchers(id uint32) []Watcher {
	found := make([]Watcher, 0, len(v.watchers[id]))
	for watcher := range v.watchers[id] {
		found = append(found, watcher)
	}
	return found
}

// ---- folding ----

// Suspend empties all views until a reset.
func (v *Views) Suspend(to Sink) {
	v.forget(to)
	v.watchers, v.Suspended, v.Known = map[uint32]map[Watcher]struct{}{}, true, false
}

// Restart empties all views, which are known then: a new session begins with none.
func (v *Views) Restart(to Sink) {
	v.Suspend(to)
	v.Suspended, v.Known = false, true
}

// Apply folds a frame. After ErrContradiction the views are of no use until a reset.
func (v *Views) Apply(frame *pb.View, to Sink) error {
	if frame.Suspended {
		v.Suspend(to)
		return nil
	}
	if !isRectangular(frame) {
		return contradiction("its columns differ in length")
	}
	if frame.Reset_ {
		v.forget(to)
		v.Suspended = false
	}
	if frame.ResetWatchers {
		v.watchers = map[uint32]map[Watcher]struct{}{}
	}
	if v.Suspended && len(frame.EnterId)+len(frame.LeaveId) > 0 {
		return contradiction("the views are suspended")
	}
	if err := v.leave(frame, to); err != nil {
		return err
	}
	if err := v.enter(frame, to); err != nil {
		return err
	}
	if err := v.move(frame, to); err != nil {
		return err
	}
	v.Known = frame.Last && !v.Suspended
	return v.watch(frame)
}

// isRectangular: columns that belong together have one length.
func isRectangular(f *pb.View) bool {
	same := func(count int, columns ...int) bool {
		for _, each := range columns {
			if each != count {
				return false
			}
		}
		return true
	}
	optional := func(count int, columns ...int) bool {
		for _, each := range columns {
			if each != 0 && each != count {
				return false
			}
		}
		return true
	}
	enters, bytes := len(f.EnterId), 0
	for _, size := range f.EnterPayloadSize {
		bytes += int(size)
	}
	return same(len(f.LeaveId), len(f.LeaveObserver), len(f.LeaveReason)) &&
		same(enters, len(f.EnterObserver), len(f.EnterX), len(f.EnterY)) &&
		optional(enters, len(f.EnterZ), len(f.EnterHalfX), len(f.EnterHalfY), len(f.EnterHalfZ), len(f.EnterRadius),
			len(f.EnterAxisX), len(f.EnterAxisY), len(f.EnterAxisZ), len(f.EnterShape), len(f.EnterCategory),
			len(f.EnterTag), len(f.EnterPayloadSize), len(f.EnterSlot)) &&
		bytes == len(f.EnterPayload) &&
		same(len(f.RelayId), len(f.RelayObserver), len(f.RelayX), len(f.RelayY)) &&
		optional(len(f.RelayId), len(f.RelayZ)) &&
		same(len(f.ExactSlot), len(f.ExactX), len(f.ExactY)) && optional(len(f.ExactSlot), len(f.ExactZ)) &&
		same(len(f.WatcherLeaveEntity), len(f.WatcherLeaveSession), len(f.WatcherLeaveObserver)) &&
		same(len(f.WatcherEnterEntity), len(f.WatcherEnterSession), len(f.WatcherEnterObserver))
}

func (v *Views) forget(to Sink) {
	for observer, view := range v.index {
		for id := range view {
			to.Leave(observer, id, 0)
		}
	}
	v.empty()
}

func (v *Views) leave(frame *pb.View, to Sink) error {
	for i, observer := range frame.LeaveObserver {
		id := frame.LeaveId[i]
		view := v.index[observer]
		if view[id] == nil {
			return contradiction("%d leaves the view of %d, which does not have it", id, observer)
		}
		delete(view, id)
		v.count--
		if v.hasSlots {
			delete(v.viewers[id], observer)
			if len(v.viewers[id]) == 0 {
				delete(v.viewers, id)
				v.slots[v.slotOf[id]].used = false
				delete(v.slotOf, id)
			}
		}
		to.Leave(observer, id, frame.LeaveReason[i])
	}
	return nil
}

func (v *Views) enter(frame *pb.View, to Sink) error {
	if len(frame.EnterId) == 0 {
		return nil
	}
	if v.count == 0 {
		v.endSlots()
		v.hasSlots = len(frame.EnterSlot) > 0
		if frame.RelayPrecision != nil {
			axes := 2
			if len(frame.EnterZ) > 0 {
				axes = 3
			}
			v.relay = NewRelay(int(frame.GetRelayK()), axes, 0)
		}
	}
	if v.hasSlots != (len(frame.EnterSlot) > 0) {
		return contradiction("slots come with all enters or with none")
	}
	payload := frame.EnterPayload
	for i, observer := range frame.EnterObserver {
		id := frame.EnterId[i]
		view := v.index[observer]
		if view == nil {
			view = map[uint32]*Entity{}
			v.index[observer] = view
		}
		if view[id] != nil {
			return contradiction("%d enters the view of %d, which has it", id, observer)
		}
		entity := entered(frame, i)
		if len(frame.EnterPayloadSize) > 0 {
			size := int(frame.EnterPayloadSize[i])
			entity.Payload = append([]byte(nil), payload[:size]...)
			payload = payload[size:]
		}
		if v.hasSlots {
			if err := v.enterSlot(observer, entity, int(frame.EnterSlot[i])-1); err != nil {
				return err
			}
		}
		view[id] = entity
		v.count++
		to.Enter(observer, id)
	}
	return nil
}

// entered is the entity of an enter. Absent columns have the values that quadrille.proto gives them.
func entered(f *pb.View, i int) *Entity {
	value := func(column []float32) float32 {
		if len(column) == 0 {
			return 0
		}
		return column[i]
	}
	entity := &Entity{ID: f.EnterId[i], X: f.EnterX[i], Y: f.EnterY[i], Z: value(f.EnterZ), HalfX: value(f.EnterHalfX),
		HalfY: value(f.EnterHalfY), HalfZ: value(f.EnterHalfZ), Radius: value(f.EnterRadius),
		AxisX: value(f.EnterAxisX), AxisY: value(f.EnterAxisY), AxisZ: value(f.EnterAxisZ),
		Shape: pb.Shape_SHAPE_BOX, Category: 1}
	if len(f.EnterShape) > 0 {
		entity.Shape = pb.Shape(f.EnterShape[i])
	}
	if len(f.EnterCategory) > 0 {
		entity.Category = f.EnterCategory[i]
	}
	if len(f.EnterTag) > 0 {
		entity.Tag = f.EnterTag[i]
	}
	return entity
}

// enterSlot: number is -1 if another view of the session has the entity.
func (v *Views) enterSlot(observer uint32, entity *Entity, number int) error {
	known, has := v.slotOf[entity.ID]
	if number >= 0 {
		if number >= relaySlotsMax || has || (number < len(v.slots) && v.slots[number].used) {
			return contradiction("slot %d is in use, or %d has a slot", number, entity.ID)
		}
		if more := number + 1 - len(v.slots); more > 0 {
			v.slots = append(v.slots, make([]slot, more)...)
		}
		v.slots[number].used, v.slots[number].id = true, entity.ID
		v.slotOf[entity.ID], known = number, number
		if v.relay != nil {
			place := [axesMax]float32{entity.X, entity.Y, entity.Z}
			if err := v.relay.Start(uint32(number), place); err != nil {
				return err
			}
		}
	} else if !has {
		return contradiction("%d enters without a slot, and has none", entity.ID)
	}
	if v.viewers[entity.ID] == nil {
		v.viewers[entity.ID] = map[uint32]struct{}{}
	}
	v.viewers[entity.ID][observer] = struct{}{}
	entity.slot, entity.updates = known, v.slots[known].updates
	return nil
}

// ---- relays ----

func (v *Views) move(frame *pb.View, to Sink) error {
	wanted := to.WantsRelays()
	for i, id := range frame.RelayId {
		observer := frame.RelayObserver[i]
		entity := v.index[observer][id]
		if entity == nil {
			return contradiction("a position of %d, which the view of %d does not have", id, observer)
		}
		entity.X, entity.Y = frame.RelayX[i], frame.RelayY[i]
		if len(frame.RelayZ) > 0 {
			entity.Z = frame.RelayZ[i]
		}
		if wanted {
			to.Relay(observer, id, entity.X, entity.Y, entity.Z)
		}
	}
	if len(frame.Relay) > 0 {
		if v.relay == nil {
			return contradiction("a blob of positions without a precision")
		}
		slots, err := v.relay.Read(frame.Relay)
		if err != nil {
			return err
		}
		for _, number := range slots {
			if err := v.place(number, v.relay.Place(number), to, wanted); err != nil {
				return err
			}
		}
	}
	return v.moveExact(frame, to, wanted)
}

func (v *Views) moveExact(frame *pb.View, to Sink, wanted bool) error {
	for i, number := range frame.ExactSlot {
		place := [axesMax]float32{frame.ExactX[i], frame.ExactY[i]}
		if len(frame.ExactZ) > 0 {
			place[2] = frame.ExactZ[i]
		}
		if v.relay != nil {
			if err := v.relay.Start(number, place); err != nil {
				return err
			}
		}
		if err := v.place(number, place, to, wanted); err != nil {
			return err
		}
	}
	return nil
}

func (v *Views) place(number uint32, place [axesMax]float32, to Sink, wanted bool) error {
	if int(number) >= len(v.slots) || !v.slots[number].used {
		return contradiction("a position of slot %d, which is not in use", number)
	}
	at := &v.slots[number]
	at.place = place
	at.updates++
	if wanted {
		for observer := range v.viewers[at.id] {
			to.Relay(observer, at.id, place[0], place[1], place[2])
		}
	}
	return nil
}

// ---- the reverse view ----

func (v *Views) watch(frame *pb.View) error {
	for i, id := range frame.WatcherLeaveEntity {
		watcher := Watcher{frame.WatcherLeaveSession[i], frame.WatcherLeaveObserver[i]}
		if _, found := v.watchers[id][watcher]; !found {
			return contradiction("%v no longer sees %d, and did not", watcher, id)
		}
		delete(v.watchers[id], watcher)
		if len(v.watchers[id]) == 0 {
			delete(v.watchers, id)
		}
	}
	for i, id := range frame.WatcherEnterEntity {
		if v.watchers[id] == nil {
			v.watchers[id] = map[Watcher]struct{}{}
		}
		v.watchers[id][Watcher{frame.WatcherEnterSession[i], frame.WatcherEnterObserver[i]}] = struct{}{}
	}
	return nil
}
