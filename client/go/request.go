// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"context"

	"google.golang.org/protobuf/proto"

	"quadrille.example/quadrille/internal/columns"
	"quadrille.example/quadrille/internal/wire"
	pb "quadrille.example/quadrille/quadrillev1"
)

// Request is one request of the program. Nobody has to wait for it.
type Request struct {
	room       *Room
	number     uint64
	isDone     bool
	tick       uint64 // that contains it
	refusal    *Refusal
	parts      int // entries of the log that are not done
	unaccepted int
	closed     bool // it will never be carried out
}

// Wait waits for the server's first answer: that it has accepted the request, or for a move the tick that contains it. It
// returns *RefusedError if the server refused the request, or entries of it.
func (q *Request) Wait(ctx context.Context) error {
	q.room.session.lock()
	defer q.room.session.unlock()
	return q.wait(ctx, func() bool { return q.unaccepted == 0 || q.isDone })
}

// Applied waits until a tick contains the request and the sets are of that tick or later. It returns the tick.
func (q *Request) Applied(ctx context.Context) (uint64, error) {
	q.room.session.lock()
	defer q.room.session.unlock()
	err := q.wait(ctx, func() bool { return q.isDone && q.room.reports() })
	return q.tick, err
}

func (q *Request) wait(ctx context.Context, holds func() bool) error {
	err := q.room.session.until(ctx, func() bool { return q.refusal != nil || q.closed || holds() })
	switch {
	case q.refusal != nil:
		return &RefusedError{*q.refusal}
	case q.closed:
		return q.room.closed
	}
	return err
}

func (q *Request) done(tick uint64) {
	if q.parts--; q.parts == 0 {
		q.isDone, q.tick = true, tick
	}
}

// answer is what a call waits for.
type answer struct {
	isThere bool
	frames  []proto.Message
	err     error
}

// entry is one frame of a request in a log.
type entry struct {
	room       *Room
	message    proto.Message
	request    *Request // nil: the session's own
	first      int      // index of its first row in the columns of the call
	seq        uint64   // 0: not sent in this session of the server
	confirm    bool
	restores   bool // the session's own
	retried    bool // it was sent in an earlier session of the server
	isAnswered bool
	isAccepted bool
	refused    map[int]bool
	roster     int    // of a move: send positions alone
	step       uint64 // of a step: the tick that it makes
	answer     *answer
	collected  []RefusedEntry
	text       string // of its refusal
}

func newEntry(room *Room, message proto.Message, request *Request) *entry {
	e := &entry{room: room, message: message, request: request, roster: noRoster, restores: request == nil,
		isAnswered: isAnswered(message)}
	e.confirm = request != nil && !e.isAnswered && !isMove(message) && !isStep(message)
	return e
}

// isAnswered: the request has an answer of its own, which may be lost with a connection. To repeat it changes nothing.
func isAnswered(message proto.Message) bool {
	switch message.(type) {
	case *pb.OpenRoom, *pb.Adopt, *pb.GetSnapshot, *pb.Query, *pb.Why, *pb.LeaveRoom, *pb.CloseRoom, *pb.ListRooms,
		*pb.ListSessions, *pb.GetStats, *pb.Subscribe, *pb.Unsubscribe:
		return true
	}
	return false
}

func isMove(message proto.Message) bool {
	_, is := message.(*pb.Move)
	return is
}

func isStep(message proto.Message) bool {
	_, is := message.(*pb.Step)
	return is
}

// isKept: the request changes the state that is restored.
func isKept(message proto.Message) bool {
	switch message.(type) {
	case *pb.Spawn, *pb.Move, *pb.Teleport, *pb.Reshape, *pb.Despawn, *pb.SetDescription, *pb.HandOver, *pb.Observe,
		*pb.MoveObservers, *pb.Unobserve, *pb.SetExceptions, *pb.SetViewOptions, *pb.Subscribe, *pb.Unsubscribe:
		return true
	}
	return false
}

func (e *entry) ids() []uint32 {
	return columns.IDs(e.message)
}

// appendFrame encodes the entry as it is to be sent now.
func (e *entry) appendFrame(out []byte) []byte {
	handle := uint64(0)
	if e.room != nil {
		handle = e.room.handle
	}
	switch m := e.message.(type) {
	case *pb.Move:
		m.Room = handle
		if e.roster != noRoster {
			return wire.AppendMoveRoster(out, e.seq, e.roster, m)
		}
	case *pb.Step:
		m.Room, m.Tick = handle, e.step
	default:
		columns.SetRoom(m, handle)
	}
	return wire.Append(out, e.seq, e.message, e.confirm)
}

func (e *entry) accept() {
	if e.request != nil && !e.isAccepted {
		e.isAccepted = true
		e.request.unaccepted--
	}
}

// collect adds a frame of the answer.
func (e *entry) collect(frame proto.Message, last bool) {
	if e.answer != nil && !e.answer.isThere {
		e.answer.frames = append(e.answer.frames, frame)
		e.answer.isThere = last
	}
}

func (e *entry) fail(err error) {
	if e.answer != nil && !e.answer.isThere {
		e.answer.isThere, e.answer.err, e.answer.frames = true, err, nil
	}
}

const (
	frameBytesDefault = 4 << 20 // until Welcome
	envelopeBytes     = 4096
	payloadBytesMax   = 32
)

// part of a request.
type part struct {
	first   int
	message proto.Message
}

// split cuts a batch into parts that fit in a frame.
func split(message proto.Message, frameBytesMax int) []part {
	count := len(columns.IDs(message))
	if _, isRoster := message.(*pb.SetRoster); count == 0 || isRoster {
		return []part{{0, message}}
	}
	each := columns.RowBytes(message)
	if _, describes := message.(*pb.SetDescription); describes {
		each += payloadBytesMax
	}
	most := (frameBytesMax - envelopeBytes) / each
	if most < 1 {
		most = 1
	}
	if count <= most {
		return []part{{0, message}}
	}
	var parts []part
	for first := 0; first < count; first += most {
		end := first + most
		if end > count {
			end = count
		}
		parts = append(parts, part{first, columns.Rows(message, first, end)})
	}
	return parts
}
