// SPDX-License-Identifier: Apache-2.0

package quadrille

// on changes the handlers. Events that are on their way keep the earlier ones.
func (r *Room) on(add func(*handlers)) *Room {
	r.session.lock()
	defer r.session.unlock()
	add(&r.handlers)
	return r
}

// OnBegin calls the handler with each pair that begins to touch.
func (r *Room) OnBegin(handler func(a, b uint32)) *Room {
	return r.on(func(h *handlers) { h.begin = append(h.begin, handler) })
}

// OnEnd calls the handler with each pair that ends. After a reset the reason is 0.
func (r *Room) OnEnd(handler func(a, b uint32, reason EndReason)) *Room {
	return r.on(func(h *handlers) { h.end = append(h.end, handler) })
}

// OnPassed calls the handler with each pair that touched only between two ticks, in swept rooms.
func (r *Room) OnPassed(handler func(a, b uint32)) *Room {
	return r.on(func(h *handlers) { h.passed = append(h.passed, handler) })
}

// OnStay calls the handler with each pair that continues. Call Subscribe with stays.
func (r *Room) OnStay(handler func(a, b uint32)) *Room {
	return r.on(func(h *handlers) { h.stay = append(h.stay, handler) })
}

// OnEnter calls the handler with each entity that an observer of this session sees now.
func (r *Room) OnEnter(handler func(observer, id uint32)) *Room {
	return r.on(func(h *handlers) { h.enter = append(h.enter, handler) })
}

// OnLeave calls the handler with each entity that an observer sees no longer. After a reset the reason is 0.
func (r *Room) OnLeave(handler func(observer, id uint32, reason LeaveReason)) *Room {
	return r.on(func(h *handlers) { h.leave = append(h.leave, handler) })
}

// OnRelay calls the handler with each position of an entity in a view.
func (r *Room) OnRelay(handler func(observer, id uint32, x, y, z float32)) *Room {
	return r.on(func(h *handlers) { h.relay = append(h.relay, handler) })
}

// OnReset calls the handler if the set of pairs was replaced. What the session missed follows as one difference.
func (r *Room) OnReset(handler func()) *Room {
	return r.on(func(h *handlers) { h.reset = append(h.reset, handler) })
}

// OnTick calls the handler with the changes of each frame.
func (r *Room) OnTick(handler func(*Tick)) *Room {
	return r.on(func(h *handlers) { h.tick = append(h.tick, handler) })
}

// OnGained calls the handler with entities that were handed over to this session.
func (r *Room) OnGained(handler func(ids []uint32)) *Room {
	return r.on(func(h *handlers) { h.gained = append(h.gained, handler) })
}

// OnLost calls the handler with entities that were taken from this session.
func (r *Room) OnLost(handler func(ids []uint32)) *Room {
	return r.on(func(h *handlers) { h.lost = append(h.lost, handler) })
}

// OnClosed calls the handler when the room is of no use any more: see Err.
func (r *Room) OnClosed(handler func()) *Room {
	return r.on(func(h *handlers) { h.closed = append(h.closed, handler) })
}
