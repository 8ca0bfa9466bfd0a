// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"context"

	"google.golang.org/protobuf/proto"

	"quadrille.example/quadrille/internal/columns"
	"quadrille.example/quadrille/internal/kept"
	pb "quadrille.example/quadrille/quadrillev1"
)

// The log of a room has the requests that the server has not carried out: they are sent again after a lost connection, or
// merged into the state that is restored.

const spareColumns = 64

// ---- making requests ----

// push makes a request of a message that shares no memory with the program.
func (r *Room) push(message proto.Message) *Request {
	s := r.session
	s.requests++
	request := &Request{room: r, number: s.requests}
	if r.closed != nil {
		request.closed = true
		return request
	}
	r.lastRequest = request.number
	parts := split(message, r.frameBytesMax())
	request.parts, request.unaccepted = len(parts), len(parts)
	for _, part := range parts {
		e := newEntry(r, part.message, request)
		e.first = part.first
		if r.isReady && s.state == StateReady {
			r.send(e)
		} else {
			r.backlog += len(e.ids()) * columns.RowBytes(e.message)
		}
		r.log = append(r.log, e)
	}
	if r.backlog > s.options.BacklogBytesMax {
		s.merged, r.backlog = true, 0
		r.merge(true)
	}
	return request
}

func (r *Room) frameBytesMax() int {
	if limit := int(r.session.limits.FrameBytesMax); limit > 0 {
		return limit
	}
	return frameBytesDefault
}

// restoreRequest makes a request of the session's own; none if it would be empty.
func (r *Room) restoreRequest(message proto.Message) {
	if _, isBatch := message.(interface{ GetId() []uint32 }); isBatch && len(columns.IDs(message)) == 0 {
		return
	}
	for _, part := range split(message, r.frameBytesMax()) {
		e := newEntry(r, part.message, nil)
		e.first = part.first
		r.log = append(r.log, e)
		if r.session.state == StateReady {
			r.session.transmit(e)
		}
	}
}

func (r *Room) send(e *entry) {
	switch m := e.message.(type) {
	case *pb.Step:
		r.sendStep(e)
	case *pb.Move:
		if len(m.Id) > 0 {
			r.chooseRoster(e, m)
		}
	}
	r.session.transmit(e)
}

// sendStep gives a Step the next tick.
func (r *Room) sendStep(e *entry) {
	if r.stepTick < r.tick {
		r.stepTick = r.tick
	}
	r.stepTick++
	e.step = r.stepTick
}

func (r *Room) chooseRoster(e *entry, m *pb.Move) {
	number, registers, dropped := r.rosters.find(m.Id, int(r.session.limits.RosterIdsMax))
	for _, each := range dropped {
		r.setRoster(each, nil)
	}
	if e.roster = number; number == noRoster {
		m.Id = append([]uint32(nil), m.Id...)
		return
	}
	m.Id = r.rosters.ids(number)
	if registers {
		r.setRoster(number, m.Id)
	}
}

func (r *Room) setRoster(number int, ids []uint32) {
	e := newEntry(r, &pb.SetRoster{Roster: uint32(number), Id: ids}, nil)
	e.restores = false
	r.log = append(r.log, e)
	r.session.transmit(e)
}

// isPending: a request up to that number is not carried out.
func (r *Room) isPending(number uint64) bool {
	for _, e := range r.log {
		if e.request != nil && e.request.number <= number {
			return true
		}
	}
	for _, request := range r.mergedRequests {
		if request.number <= number {
			return true
		}
	}
	return false
}

// ---- what is carried out ----

func (r *Room) applied(seq uint64, m *pb.Applied) {
	if r.tick < m.Tick {
		r.tick = m.Tick
	}
	r.late = append(r.late, m.Late...)
	var carried []*entry
	for _, e := range r.log {
		if e.isAnswered {
			continue
		}
		if e.seq > m.Seq || (e.seq == 0 && !e.restores) {
			break
		}
		if e.seq != 0 && (!isStep(e.message) || e.step <= m.Tick) {
			carried = append(carried, e)
		}
	}
	for _, e := range carried {
		tick := m.Tick
		if e.step != 0 {
			tick = e.step
		}
		r.done(e, tick)
	}
	// The frames of this tick came before. An Applied that is repeated after a lost connection has no seq: resets follow
	// it.
	if seq != 0 {
		r.viewStale = false
	}
	r.viewStale = r.viewStale || m.ViewsLagging
	r.pairsStale = r.pairsStale || m.PairsLagging
}

// done: the entry is carried out at that tick.
func (r *Room) done(e *entry, tick uint64) {
	if !e.restores && isKept(e.message) {
		r.keep(e)
	}
	r.drop(e)
	if e.request != nil {
		e.request.done(tick)
	}
	if m, ok := e.message.(*pb.Move); ok {
		r.recycle(m.X, m.Y, m.Z)
	}
	r.finishMerged(tick)
}

func (r *Room) finishMerged(tick uint64) {
	if len(r.mergedRequests) == 0 {
		return
	}
	for _, e := range r.log {
		if e.restores && !e.isAnswered {
			return
		}
	}
	for _, request := range r.mergedRequests {
		request.isDone, request.tick = true, tick
	}
	r.mergedRequests = nil
}

// keep applies the entry to the state that is restored.
func (r *Room) keep(e *entry) {
	if m, ok := e.message.(*pb.Move); ok && len(e.refused) == 0 {
		r.kept.Move(m, r.rowsOf(e, m))
		return
	}
	r.kept.Apply(e.message, e.refused, r.session.number)
}

// rowsOfRoster are the rows of a roster's entities. The ids are those of the roster itself.
type rowsOfRoster struct {
	ids  []uint32
	rows kept.Rows
}

// rowsOf finds the rows of a move's entities. Moves of the same roster share them.
func (r *Room) rowsOf(e *entry, m *pb.Move) kept.Rows {
	known, found := r.rosterRows[e.roster]
	if found && known.rows.Version == r.kept.Version() && &known.ids[0] == &m.Id[0] {
		return known.rows
	}
	rows := r.kept.RowsOf(m.Id)
	if e.roster != noRoster {
		r.rosterRows[e.roster] = rowsOfRoster{m.Id, rows}
	}
	return rows
}

func (r *Room) drop(e *entry) {
	remove(&r.log, e)
	delete(r.session.bySeq, e.seq)
}

// ---- columns of moves ----

// column copies a column of a move into memory of an earlier one.
func (r *Room) column(values []float32) []float32 {
	if len(values) == 0 {
		return nil
	}
	if last := len(r.spare) - 1; last >= 0 && cap(r.spare[last]) >= len(values) {
		column := r.spare[last][:len(values)]
		r.spare = r.spare[:last]
		copy(column, values)
		return column
	}
	return append([]float32(nil), values...)
}

func (r *Room) recycle(columns ...[]float32) {
	for _, column := range columns {
		if cap(column) > 0 && len(r.spare) < spareColumns {
			r.spare = append(r.spare, column)
		}
	}
}

// ---- connections ----

// sendLast sends an entry under a new number, so it goes to the end of the log.
func (r *Room) sendLast(e *entry) {
	remove(&r.log, e)
	r.log = append(r.log, e)
	r.session.sendAgain(e)
}

// resumed: the server's session goes on. What the server has not received is on its way.
func (r *Room) resumed() {
	if r.handle == 0 && r.restorer == nil {
		r.startRestore() // opened while there was no connection
		return
	}
	var waiting, steps []*entry
	for _, e := range r.log {
		if e.seq == 0 && e.restores {
			waiting = append(waiting, e)
		} else if e.seq != 0 && isStep(e.message) {
			steps = append(steps, e)
		}
	}
	for _, e := range waiting {
		r.session.transmit(e)
	}
	if !r.isReady {
		return
	}
	r.replay()
	if len(steps) > 0 {
		go r.probe(steps)
	}
}

// probe: the answer to OpenRoom has the tick. Steps up to it are carried out, even if their answers are lost.
func (r *Room) probe(steps []*entry) {
	s := r.session
	s.lock()
	defer s.unlock()
	by := &restoring{}
	r.prober = by
	answer, err := s.call(context.Background(), r, r.openRequest(), by)
	if err != nil || by.canceled {
		return // the room is closed, or restored in a new session
	}
	opened := answer[0].(*pb.RoomOpened)
	r.stepsOver(opened.Tick)
	for _, e := range steps {
		if r.hasLogged(e) && !r.lockstep {
			r.stepTick = opened.Tick
			r.sendStep(e)
			r.sendLast(e)
		}
	}
	s.notify()
}

func (r *Room) hasLogged(e *entry) bool {
	for _, each := range r.log {
		if each == e {
			return true
		}
	}
	return false
}

// restarted: the server's session is new. Opens the room again, and restores it.
func (r *Room) restarted() {
	for _, job := range []*restoring{r.restorer, r.prober} {
		if job != nil {
			job.canceled = true
		}
	}
	left := r.log[:0:0]
	for _, e := range r.log {
		if e.restores {
			e.fail(errRestarted)
			continue
		}
		if _, isRoster := e.message.(*pb.SetRoster); isRoster {
			continue // moves by them come again by ids
		}
		e.retried = e.retried || e.seq != 0
		e.seq, e.roster, e.refused, e.collected = 0, noRoster, nil, nil
		left = append(left, e)
	}
	r.log, r.handle, r.isReady = left, 0, false
	r.forgetRosters()
	r.merge(false)
	r.foldRestart()
	r.startRestore()
}

func (r *Room) forgetRosters() {
	r.rosters.forget()
	r.rosterRows = map[int]rowsOfRoster{}
}

// merge merges requests into the state that is restored, except those behind a Step, which belong to a later tick. With
// unsent also those that were never sent.
func (r *Room) merge(unsent bool) {
	for _, e := range append([]*entry(nil), r.log...) {
		if isStep(e.message) || (!unsent && !e.retried) {
			return
		}
		if !isKept(e.message) || e.restores {
			continue
		}
		r.keep(e)
		r.drop(e)
		if e.request == nil {
			continue
		}
		e.accept()
		if e.request.parts--; e.request.parts == 0 {
			r.mergedRequests = append(r.mergedRequests, e.request)
		}
	}
}

// replay: the room is ready. Sends its entries.
func (r *Room) replay() {
	r.backlog = 0
	var waiting []*entry
	for _, e := range r.log {
		if e.seq == 0 {
			waiting = append(waiting, e)
		}
	}
	for _, e := range waiting {
		remove(&r.log, e)
		if isStep(e.message) {
			r.sendStep(e)
		}
		r.log = append(r.log, e)
		r.session.transmit(e)
	}
	r.finishMerged(r.tick)
}

// stepsOver: the room has completed that tick. So are its Steps up to that tick, and all requests before them.
func (r *Room) stepsOver(tick uint64) {
	last := -1
	for i, e := range r.log {
		if isStep(e.message) && e.step > 0 && e.step <= tick {
			last = i
		}
	}
	carried := append([]*entry(nil), r.log[:last+1]...)
	for _, e := range carried {
		if !e.isAnswered {
			r.done(e, carried[last].step)
		}
	}
	if r.tick < tick {
		r.tick = tick
	}
}

// forget drops all entries: they will never be carried out.
func (r *Room) forget(err error) {
	for _, e := range r.log {
		e.fail(err)
		if e.request != nil {
			e.request.closed = true
		}
		delete(r.session.bySeq, e.seq)
	}
	for _, request := range r.mergedRequests {
		request.closed = true
	}
	r.log, r.mergedRequests = nil, nil
}
