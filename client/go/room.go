// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"quadrille.example/quadrille/internal/columns"
	"quadrille.example/quadrille/internal/fold"
	"quadrille.example/quadrille/internal/kept"
	pb "quadrille.example/quadrille/quadrillev1"
)

// Requests are messages of quadrille.proto, which documents each field. Leave out Room: the session sets it.
type (
	RoomConfig      = pb.RoomConfig
	Spawn           = pb.Spawn
	Reshape         = pb.Reshape
	Description     = pb.SetDescription
	Observe         = pb.Observe
	MoveObservers   = pb.MoveObservers
	ViewOptions     = pb.SetViewOptions
	Query           = pb.Query
	QueryResult     = pb.QueryResult
	WhyResult       = pb.WhyResult
	SnapshotResult  = pb.SnapshotResult
	SnapshotRequest = pb.GetSnapshot
)

// Room is made by Session.Open.
//
// A method that makes a request returns at once. The request takes effect at the next tick. Columns have one value per
// id, or one value for all. The caller may change them as soon as the call returns.
type Room struct {
	session *Session
	name    string
	config  *RoomConfig

	// What the server has.
	handle         uint64 // 0: it is not open
	epoch          uint64
	opened         bool // by the server, at any time
	isReady        bool
	steps          bool // it ticks by Step
	lockstep, hasZ bool
	closed         error    // why the room is of no use any more
	refusal        *Refusal // why it could not be opened
	restorer       *restoring
	prober         *restoring
	holders        []uint64 // sessions that may have our entities
	adopted        []uint32

	// The log.
	log            []*entry
	kept           *kept.Kept
	rosters        rosters
	rosterRows     map[int]rowsOfRoster
	giveUpAt       time.Time // when ids that are taken are refused
	stepTick       uint64    // the last tick that a Step was sent for
	lastRequest    uint64
	mergedRequests []*Request // carried out as soon as the restored state is
	late           []uint64
	backlog        int         // bytes of requests while there is no connection
	spare          [][]float32 // columns of moves that are done

	// The sets.
	tick                  uint64
	pairs                 *fold.Pairs
	views                 *fold.Views
	pairsStale, viewStale bool // a reset is on its way
	wantsPairs, wantsView bool
	viewResets            bool
	isMissing             bool // entities could not be spawned yet
	handlers              handlers
	queues                map[*tickQueue]struct{}
	collectors            map[*Tick]struct{} // what has changed since each Step that is under way
}

func newRoom(s *Session, name string, config *RoomConfig) *Room {
	return &Room{session: s, name: name, config: config, kept: kept.New(), rosterRows: map[int]rowsOfRoster{},
		pairs: fold.NewPairs(), views: fold.NewViews(), queues: map[*tickQueue]struct{}{},
		collectors: map[*Tick]struct{}{}}
}

// Rect are the bounds of a room in two dimensions.
func Rect(minX, minY, maxX, maxY float32) *pb.Bounds {
	return &pb.Bounds{MinX: minX, MinY: minY, MaxX: maxX, MaxY: maxY}
}

// Cuboid are the bounds of a room in three dimensions. Set RoomConfig.Dimensions to 3.
func Cuboid(minX, minY, minZ, maxX, maxY, maxZ float32) *pb.Bounds {
	return &pb.Bounds{MinX: minX, MinY: minY, MinZ: minZ, MaxX: maxX, MaxY: maxY, MaxZ: maxZ}
}

// Boxes spawns boxes of one size in two dimensions.
func Boxes(ids []uint32, x, y []float32, half float32) *Spawn {
	return &Spawn{Id: ids, X: x, Y: y, HalfX: []float32{half}, HalfY: []float32{half}}
}

// Circles spawns circles of one size in two dimensions.
func Circles(ids []uint32, x, y []float32, radius float32) *Spawn {
	return &Spawn{Id: ids, X: x, Y: y, Radius: []float32{radius}, Shape: []byte{byte(ShapeCircle)}}
}

// Around is an observer with a circle about an entity. An entity in the view leaves when it is farther than the range by
// the margin.
func Around(observer, at uint32, viewRange, margin float32) *Observe {
	return &Observe{Id: []uint32{observer}, Entity: []uint32{at}, Range: []float32{viewRange},
		LeaveMargin: []float32{margin}}
}

// Name of the room.
func (r *Room) Name() string {
	return r.name
}

// Tick is the last tick that the session knows of. After a restart of the server it counts from 1.
func (r *Room) Tick() uint64 {
	r.session.lock()
	defer r.session.unlock()
	return r.tick
}

// Adopted are the entities that Options.Adopt has taken over while the room was opened.
func (r *Room) Adopted() []uint32 {
	r.session.lock()
	defer r.session.unlock()
	return append([]uint32(nil), r.adopted...)
}

// Err is why the room is of no use any more, or nil.
func (r *Room) Err() error {
	r.session.lock()
	defer r.session.unlock()
	return r.closed
}

// ---- entities ----

// Spawn adds entities. See Boxes and Circles.
func (r *Room) Spawn(spawn *Spawn) *Request {
	return r.request(spawn)
}

// Move moves entities to new centers; z is nil in two dimensions. It does not look at each entity. If the same ids move
// again, they are sent once, as a roster.
func (r *Room) Move(ids []uint32, x, y, z []float32) *Request {
	r.session.lock()
	defer r.session.unlock()
	if err := checkMove(ids, x, y, z); err != nil {
		return r.refuseColumns("move", err)
	}
	// The ids are copied when the room knows whether they have a roster.
	move := &pb.Move{Id: ids, X: r.column(x), Y: r.column(y), Z: r.column(z)}
	if !r.isReady || r.session.state != StateReady || r.closed != nil {
		move.Id = append([]uint32(nil), ids...)
	}
	return r.push(move)
}

func checkMove(ids []uint32, x, y, z []float32) error {
	for i, column := range [][]float32{x, y, z} {
		if len(column) != len(ids) && !(i == 2 && len(column) == 0) {
			return fmt.Errorf("%c has %d values; must be %d, one per id", "xyz"[i], len(column), len(ids))
		}
	}
	return nil
}

// Teleport is like Move, but pairs that end by it have the reason EndTeleported.
func (r *Room) Teleport(ids []uint32, x, y, z []float32) *Request {
	return r.request(&pb.Teleport{Id: ids, X: x, Y: y, Z: z})
}

// Reshape changes shapes, sizes and filters. Absent columns stay as they are.
func (r *Room) Reshape(reshape *Reshape) *Request {
	return r.request(reshape)
}

// Despawn removes entities.
func (r *Room) Despawn(ids ...uint32) *Request {
	return r.request(&pb.Despawn{Id: ids})
}

// Describe sets tag, payload, visible_range, team and hidden.
func (r *Room) Describe(description *Description) *Request {
	return r.request(description)
}

// HandOver gives entities to the session of that number; 0: to the room.
func (r *Room) HandOver(ids []uint32, session uint64) *Request {
	return r.request(&pb.HandOver{Id: ids, Session: session, RoomOwned: session == 0})
}

// ---- pairs and views ----

// Subscribe folds the pairs of the room, or with ScopeOwn those of this session's entities. With stays, pairs that
// continue are reported at each tick.
func (r *Room) Subscribe(scope Scope, stays bool) *Request {
	r.session.lock()
	defer r.session.unlock()
	r.wantsPairs, r.pairsStale = true, true
	return r.push(&pb.Subscribe{Scope: scope, Stays: stays})
}

// Unsubscribe ends the subscription.
func (r *Room) Unsubscribe() *Request {
	r.session.lock()
	defer r.session.unlock()
	r.wantsPairs, r.pairsStale = false, false
	return r.push(&pb.Unsubscribe{})
}

// Observe creates observers, or replaces them.
func (r *Room) Observe(observe *Observe) *Request {
	r.session.lock()
	r.wantsView = true
	r.session.unlock()
	return r.request(observe)
}

// MoveObservers moves free observers, and turns cones.
func (r *Room) MoveObservers(move *MoveObservers) *Request {
	return r.request(move)
}

// Unobserve removes observers.
func (r *Room) Unobserve(observers ...uint32) *Request {
	return r.request(&pb.Unobserve{Id: observers})
}

// SetExceptions replaces the lists of what an observer always sees, and never sees.
func (r *Room) SetExceptions(observer uint32, show, hide []uint32) *Request {
	return r.request(&pb.SetExceptions{Observer: observer, Show: show, Hide: hide})
}

// SetViewOptions sets all options of this session's views. With RelayOnce, positions come once for all observers. With a
// precision they take one or two bytes: see RelayPrecision.
func (r *Room) SetViewOptions(options *ViewOptions) *Request {
	r.session.lock()
	r.wantsView = r.wantsView || options.Watch > WatchNone
	r.session.unlock()
	return r.request(options)
}

// RelayPrecision is for ViewOptions: positions to half of 2^-k units.
func RelayPrecision(k int) *pb.SetViewOptions_RelayK {
	return &pb.SetViewOptions_RelayK{RelayK: int32(k)}
}

// ---- ticks ----

// Step makes the room tick once, even if the connection breaks meanwhile. It returns what has changed since the call:
// several ticks, if others step the room too.
func (r *Room) Step(ctx context.Context) (*Tick, error) {
	r.session.lock()
	defer r.session.unlock()
	tick := &Tick{}
	r.collectors[tick] = struct{}{}
	defer delete(r.collectors, tick)
	request := r.push(&pb.Step{})
	err := request.wait(ctx, func() bool { return request.isDone && r.reports() })
	if err != nil {
		return nil, err
	}
	tick.Number, tick.Late = request.tick, r.late
	r.late = nil
	return tick, nil
}

// Sync waits until a tick contains all requests so far that were not refused, and the sets are of that tick or later. It
// returns the tick. A room that ticks by Step needs a step for that.
func (r *Room) Sync(ctx context.Context) (uint64, error) {
	r.session.lock()
	defer r.session.unlock()
	last := r.lastRequest
	err := r.session.until(ctx, func() bool {
		return r.closed != nil || (r.isReady && r.reports() && !r.isPending(last))
	})
	if r.closed != nil {
		return 0, r.closed
	}
	return r.tick, err
}

// Settled reports whether the room is open, and both sets are those of its last tick.
func (r *Room) Settled() bool {
	r.session.lock()
	defer r.session.unlock()
	return r.isReady && !r.pairsStale && !r.viewStale && !r.pairs.InReset() && (!r.wantsPairs || r.pairs.Known) &&
		r.views.Known
}

// ---- queries ----

// Query finds the entities in a box or circle, near a point, or on a ray, as of the last tick.
func (r *Room) Query(ctx context.Context, query *Query) (*QueryResult, error) {
	answer, err := r.session.ask(ctx, r, proto.Clone(query))
	if err != nil {
		return nil, err
	}
	return answer[0].(*pb.QueryResult), nil
}

// Nearest finds the entities that are nearest to a point.
func (r *Room) Nearest(ctx context.Context, x, y, z float32, limit int) (*QueryResult, error) {
	return r.Query(ctx, &Query{Where: &pb.Query_Nearest_{Nearest: &pb.Query_Nearest{X: x, Y: y, Z: z}},
		Limit: uint32(limit)})
}

// Within finds the entities that overlap a circle, a sphere in three dimensions.
func (r *Room) Within(ctx context.Context, x, y, z, radius float32, limit int) (*QueryResult, error) {
	return r.Query(ctx, &Query{Where: &pb.Query_Circle_{Circle: &pb.Query_Circle{X: x, Y: y, Z: z, Radius: radius}},
		Limit: uint32(limit)})
}

// Why explains why the observers at entity a see entity b, or do not. With observer: a is an observer of this session.
func (r *Room) Why(ctx context.Context, a, b uint32, observer bool) (*WhyResult, error) {
	answer, err := r.session.ask(ctx, r, &pb.Why{A: a, B: b, Observer: observer})
	if err != nil {
		return nil, err
	}
	return answer[0].(*pb.WhyResult), nil
}

// Snapshot has the present entities, in one or more frames.
func (r *Room) Snapshot(ctx context.Context, request *SnapshotRequest) ([]*SnapshotResult, error) {
	frames, err := r.session.ask(ctx, r, proto.Clone(request))
	found := make([]*SnapshotResult, len(frames))
	for i, frame := range frames {
		found[i] = frame.(*SnapshotResult)
	}
	return found, err
}

// Stats are those of the room.
func (r *Room) Stats(ctx context.Context) (*pb.RoomStats, error) {
	r.session.lock()
	handle := r.handle
	r.session.unlock()
	answer, err := r.session.ask(ctx, r, &pb.GetStats{Room: handle})
	if err != nil {
		return nil, err
	}
	return answer[0].(*pb.Stats).GetRoom(), nil
}

// ---- the end ----

// Leave leaves the room. The session's entities go after the grace time.
func (r *Room) Leave(ctx context.Context) error {
	return r.part(ctx, &pb.LeaveRoom{})
}

// Close closes the room for all sessions. Allowed to its creator and to admins.
func (r *Room) Close(ctx context.Context) error {
	return r.part(ctx, &pb.CloseRoom{})
}

func (r *Room) part(ctx context.Context, message proto.Message) error {
	r.session.lock()
	defer r.session.unlock()
	if r.closed != nil {
		return nil
	}
	if r.handle != 0 {
		_, err := r.session.call(ctx, r, message, &restoring{})
		// In a new session of the server this one is not in the room.
		if err != nil && err != errRestarted && r.closed == nil {
			return err
		}
	}
	r.end(closedError(r.name, "this session has left it"))
	return nil
}

func closedError(room, reason string) error {
	return fmt.Errorf("'%s': %w: %s", room, ErrRoomClosed, reason)
}

// end: the room is of no use any more.
func (r *Room) end(reason error) {
	if r.closed != nil {
		return
	}
	r.closed, r.isReady = reason, false
	if r.restorer != nil {
		r.restorer.canceled = true
	}
	delete(r.session.rooms, r.name)
	delete(r.session.byHandle, r.handle)
	r.forget(reason)
	called := r.handlers.closed
	r.session.emit(func() { callAll(called) })
	r.session.notify()
}

// ---- making requests ----

// request makes a request of the program's message.
func (r *Room) request(message proto.Message) *Request {
	owned, err := columns.Own(message)
	r.session.lock()
	defer r.session.unlock()
	if err != nil {
		return r.refuseColumns(commandOf(message), err)
	}
	return r.push(owned)
}

// refuseColumns refuses a request as the server would.
func (r *Room) refuseColumns(command string, err error) *Request {
	refusal := &Refusal{Room: r.name, Command: command, Code: CodeColumns, Text: err.Error()}
	r.session.report(refusal)
	return &Request{room: r, refusal: refusal}
}
