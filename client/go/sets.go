// SPDX-License-Identifier: Apache-2.0

package quadrille

import "quadrille.example/quadrille/internal/fold"

// Pairs reads the pairs that touch at the last tick; while a reset is on its way, those before it.
type Pairs struct{ room *Room }

// Pairs of the room. Call Subscribe first.
func (r *Room) Pairs() Pairs {
	return Pairs{r}
}

// Has reports whether a and b touch, in any order.
func (p Pairs) Has(a, b uint32) bool {
	if a > b {
		a, b = b, a
	}
	p.room.session.lock()
	defer p.room.session.unlock()
	return p.room.pairs.Set().Has(fold.Key(a, b))
}

// Len is the number of pairs.
func (p Pairs) Len() int {
	p.room.session.lock()
	defer p.room.session.unlock()
	return p.room.pairs.Set().Len()
}

// All are the pairs, in no particular order.
func (p Pairs) All() []Pair {
	p.room.session.lock()
	defer p.room.session.unlock()
	set := p.room.pairs.Set()
	found := make([]Pair, 0, set.Len())
	set.Each(func(key uint64) bool {
		found = append(found, Pair{uint32(key >> 32), uint32(key)})
		return true
	})
	return found
}

// Seen is an entity as one observer knows it: its values at the enter, with the last reported position.
type Seen struct {
	ID                  uint32
	X, Y, Z             float32
	HalfX, HalfY, HalfZ float32
	Radius              float32
	AxisX, AxisY, AxisZ float32
	Shape               Shape
	Category            uint32
	Tag                 uint64
	Payload             []byte
}

func seen(e fold.Entity) Seen {
	return Seen{e.ID, e.X, e.Y, e.Z, e.HalfX, e.HalfY, e.HalfZ, e.Radius, e.AxisX, e.AxisY, e.AxisZ, e.Shape, e.Category,
		e.Tag, e.Payload}
}

// View reads what one observer of this session sees.
type View struct {
	room     *Room
	observer uint32
}

// View of an observer.
func (r *Room) View(observer uint32) View {
	return View{r, observer}
}

// Observers are those with a view, which may be empty.
func (r *Room) Observers() []uint32 {
	r.session.lock()
	defer r.session.unlock()
	return r.views.Observers()
}

// Has reports whether the observer sees the entity.
func (v View) Has(id uint32) bool {
	_, found := v.Get(id)
	return found
}

// Get finds an entity that the observer sees.
func (v View) Get(id uint32) (Seen, bool) {
	v.room.session.lock()
	defer v.room.session.unlock()
	entity, found := v.room.views.Get(v.observer, id)
	return seen(entity), found
}

// Len is the number of entities that the observer sees.
func (v View) Len() int {
	v.room.session.lock()
	defer v.room.session.unlock()
	return v.room.views.Len(v.observer)
}

// IDs are those of the entities that the observer sees, in no particular order.
func (v View) IDs() []uint32 {
	found := []uint32{}
	v.each(func(entity fold.Entity) { found = append(found, entity.ID) })
	return found
}

// All are the entities that the observer sees, in no particular order.
func (v View) All() []Seen {
	found := []Seen{}
	v.each(func(entity fold.Entity) { found = append(found, seen(entity)) })
	return found
}

func (v View) each(call func(fold.Entity)) {
	v.room.session.lock()
	defer v.room.session.unlock()
	v.room.views.Each(v.observer, func(entity fold.Entity) bool {
		call(entity)
		return true
	})
}

// Watcher is an observer of a session.
type Watcher struct {
	Session  uint64
	Observer uint32
}

// Watchers are the observers that see an entity. Set ViewOptions.Watch first.
func (r *Room) Watchers(id uint32) []Watcher {
	r.session.lock()
	defer r.session.unlock()
	found := []Watcher{}
	for _, watcher := range r.views.Watchers(id) {
		found = append(found, Watcher(watcher))
	}
	return found
}
