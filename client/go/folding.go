// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"context"

	"quadrille.example/quadrille/internal/fold"
	pb "quadrille.example/quadrille/quadrillev1"
)

const ticksMax = 64 // that wait for a reader of Ticks; then they are merged

// handlers of a room's events.
type handlers struct {
	begin, passed, stay []func(a, b uint32)
	end                 []func(a, b uint32, reason EndReason)
	enter               []func(observer, id uint32)
	leave               []func(observer, id uint32, reason LeaveReason)
	relay               []func(observer, id uint32, x, y, z float32)
	reset, closed       []func()
	tick                []func(*Tick)
	gained, lost        []func(ids []uint32)
}

func (h *handlers) wantTicks() bool {
	return len(h.begin)+len(h.passed)+len(h.stay)+len(h.end)+len(h.enter)+len(h.leave)+len(h.relay)+len(h.reset)+
		len(h.tick) > 0
}

func (h *handlers) call(t *Tick) {
	if t.Reset {
		callAll(h.reset)
	}
	for _, call := range h.end {
		for _, end := range t.Ends {
			call(end.A, end.B, end.Reason)
		}
	}
	for _, each := range []struct {
		calls []func(a, b uint32)
		pairs []Pair
	}{{h.begin, t.Begins}, {h.passed, t.Passed}, {h.stay, t.Stays}} {
		for _, call := range each.calls {
			for _, pair := range each.pairs {
				call(pair.A, pair.B)
			}
		}
	}
	for _, call := range h.leave {
		for _, leave := range t.Leaves {
			call(leave.Observer, leave.ID, leave.Reason)
		}
	}
	for _, call := range h.enter {
		for _, enter := range t.Enters {
			call(enter.Observer, enter.ID)
		}
	}
	for _, call := range h.relay {
		for _, relay := range t.Relays {
			call(relay.Observer, relay.ID, relay.X, relay.Y, relay.Z)
		}
	}
	for _, call := range h.tick {
		call(t)
	}
}

func callAll(calls []func()) {
	for _, call := range calls {
		call()
	}
}

// tickQueue has the ticks that wait for a reader.
type tickQueue struct {
	ticks []*Tick
}

// Ticks returns a channel of the changes of each frame, until the room is closed or the context ends. For a slow reader
// it merges ticks.
func (r *Room) Ticks(ctx context.Context) <-chan *Tick {
	queue, out := &tickQueue{}, make(chan *Tick)
	r.session.lock()
	r.queues[queue] = struct{}{}
	r.session.unlock()
	go func() {
		defer close(out)
		for {
			tick := r.nextTick(ctx, queue)
			if tick == nil {
				return
			}
			select {
			case out <- tick:
			case <-ctx.Done():
			}
		}
	}()
	return out
}

// nextTick waits for the next tick of a queue. It returns nil at the end.
func (r *Room) nextTick(ctx context.Context, queue *tickQueue) *Tick {
	r.session.lock()
	defer r.session.unlock()
	err := r.session.until(ctx, func() bool { return len(queue.ticks) > 0 || r.closed != nil })
	if err != nil || len(queue.ticks) == 0 {
		delete(r.queues, queue)
		return nil
	}
	tick := queue.ticks[0]
	queue.ticks = queue.ticks[1:]
	return tick
}

// reports: the sets are those of the last tick, as far as a step waits for that.
func (r *Room) reports() bool {
	return !r.isMissing && !r.pairsStale && (r.steps || !r.viewStale)
}

func (r *Room) wantsTicks() bool {
	return len(r.queues)+len(r.collectors) > 0 || r.handlers.wantTicks()
}

func (r *Room) wantsRelays() bool {
	return len(r.queues)+len(r.handlers.relay)+len(r.handlers.tick) > 0
}

func (r *Room) report(tick *Tick) {
	for queue := range r.queues {
		if len(queue.ticks) < ticksMax {
			copied := &Tick{}
			copied.merge(tick)
			queue.ticks = append(queue.ticks, copied)
		} else {
			queue.ticks[len(queue.ticks)-1].merge(tick)
		}
	}
	for collector := range r.collectors {
		collector.merge(tick)
	}
	if called := r.handlers; called.wantTicks() {
		r.session.emit(func() { called.call(tick) })
	}
}

// ---- pairs ----

func (r *Room) foldTick(m *pb.Tick) error {
	if r.tick < m.Tick {
		r.tick = m.Tick
	}
	if m.Suspended {
		r.pairs.Suspend()
		r.pairsStale = false
		return nil
	}
	wasReset := r.pairs.InReset() || m.Reset_
	difference, err := r.pairs.Apply(m)
	if err != nil {
		return err
	}
	if m.Last {
		r.pairsStale = false
	}
	if !r.wantsTicks() {
		return nil
	}
	tick := &Tick{Number: m.Tick}
	if difference != nil {
		tick.Reset = true
		for _, key := range difference.Ended {
			tick.Ends = append(tick.Ends, End{uint32(key >> 32), uint32(key), 0})
		}
		for _, key := range difference.Begun {
			tick.Begins = append(tick.Begins, Pair{uint32(key >> 32), uint32(key)})
		}
	} else if !wasReset {
		tick.Ends = ends(m)
		tick.Begins, tick.Passed = pairs(m.BeginA, m.BeginB), pairs(m.PassedA, m.PassedB)
		tick.Stays = pairs(m.StayA, m.StayB)
	}
	if !tick.isEmpty() || m.Last {
		r.report(tick)
	}
	return nil
}

func ends(m *pb.Tick) []End {
	if len(m.EndA) == 0 {
		return nil
	}
	found := make([]End, len(m.EndA))
	for i, a := range m.EndA {
		found[i] = End{a, m.EndB[i], EndReason(m.EndReason[i])}
	}
	return found
}

func pairs(a, b []uint32) []Pair {
	if len(a) == 0 || len(a) != len(b) {
		return nil
	}
	found := make([]Pair, len(a))
	for i := range found {
		found[i] = Pair{a[i], b[i]}
	}
	return found
}

// ---- views ----

func (r *Room) foldView(m *pb.View) error {
	if r.tick < m.Tick {
		r.tick = m.Tick
	}
	tick := &Tick{Number: m.Tick}
	err := r.views.Apply(m, viewSink{tick, r.wantsRelays()})
	r.reportView(tick)
	if err != nil {
		return err
	}
	r.viewResets = r.viewResets || m.Reset_
	if m.Suspended || (r.viewResets && m.Last) {
		r.viewResets, r.viewStale = false, false
	}
	return nil
}

func (r *Room) reportView(tick *Tick) {
	if !tick.isEmpty() {
		r.report(tick)
	}
}

// foldLost: the connection is lost, and with it what a tick has not completed.
func (r *Room) foldLost() {
	if !r.views.Known && !r.views.Suspended {
		tick := &Tick{Number: r.tick}
		r.views.Suspend(viewSink{tick, false})
		r.reportView(tick)
	}
	r.pairsStale, r.viewStale, r.viewResets = r.wantsPairs, r.wantsView, false
}

// foldRestart: the views of a new session begin empty, without a reset.
func (r *Room) foldRestart() {
	tick := &Tick{Number: r.tick}
	r.views.Restart(viewSink{tick, false})
	r.reportView(tick)
	r.pairs.Suspend()
	r.viewStale = r.wantsView
}

// ---- ownership and the end ----

func (r *Room) handedOver(m *pb.HandedOver) {
	own := m.To == r.session.number
	called := r.handlers.lost
	if own {
		r.kept.Add(m.Id)
		called = r.handlers.gained
	} else {
		r.kept.Remove(m.Id)
	}
	if len(m.Id) > 0 {
		r.session.emit(func() {
			for _, call := range called {
				call(m.Id)
			}
		})
	}
}

// closedBy: another session has closed the room, or the server did.
func (r *Room) closedBy(m *pb.RoomClosed) {
	if m.Reason == pb.RoomClosed_REASON_REQUESTED {
		r.end(closedError(r.name, "another session has closed it"))
		return
	}
	// The server is stopping. The next one gets the room again.
	delete(r.session.byHandle, r.handle)
	r.handle, r.isReady = 0, false
}

var _ fold.Sink = viewSink{}
