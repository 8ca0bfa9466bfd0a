// SPDX-License-Identifier: Apache-2.0

package quadrille_test

import (
	"context"
	"errors"
	"math"
	"net"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"quadrille.example/quadrille"
)

// The conformance suite tests what is folded, resumed and restored.

func TestRefusalHasCodeAndEntries(t *testing.T) {
	session := connect(t, startServer(t).address, quadrille.Options{})
	room := open(t, session, "refusals", yard())
	reported := make(chan *quadrille.Refusal, 10)
	session.OnRefused(func(refusal *quadrille.Refusal) { reported <- refusal })
	must(t, room.Spawn(quadrille.Boxes([]uint32{1, 2}, []float32{1, 2}, []float32{1, 2}, 1)).Wait(testContext(t)))
	nan := float32(math.NaN())
	err := room.Spawn(quadrille.Boxes([]uint32{3, 2}, []float32{1, nan}, []float32{1, 1}, 1)).Wait(testContext(t))
	var refused *quadrille.RefusedError
	if !errors.As(err, &refused) || len(refused.Entries) != 1 {
		t.Fatalf("the error is %v", err)
	}
	entry := refused.Entries[0]
	if entry.Index != 1 || entry.ID != 2 || entry.Code != quadrille.CodeNotFinite || entry.Reason() != "NOT_FINITE" {
		t.Errorf("the entry is %+v", entry)
	}
	if refusal := <-reported; refusal.Command != "spawn" || !strings.Contains(refusal.Text, "2") {
		t.Errorf("the refusal is %+v", refusal)
	}
	if _, err := session.Open(testContext(t), "nowhere", nil); !errors.As(err, &refused) ||
		refused.Code != quadrille.CodeUnknownRoom {
		t.Errorf("the error is %v", err)
	}
}

func TestColumnsAreCheckedBeforeTheyAreSent(t *testing.T) {
	room := open(t, connect(t, startServer(t).address, quadrille.Options{}), "columns", yard())
	for want, request := range map[string]*quadrille.Request{
		"x has 3 values; must be 2": room.Move([]uint32{1, 2}, []float32{1, 2, 3}, []float32{1, 2}, nil),
		"half_x has 2 values; must be 3, one per id, or 1 for all": room.Spawn(&quadrille.Spawn{Id: []uint32{1, 2, 3},
			X: []float32{1}, Y: []float32{1}, HalfX: []float32{1, 2}}),
	} {
		var refused *quadrille.RefusedError
		err := request.Wait(testContext(t))
		if !errors.As(err, &refused) || refused.Code != quadrille.CodeColumns || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v; must have %s", err, want)
		}
	}
}

func TestColumnsMayChangeAsSoonAsACallReturns(t *testing.T) {
	room := open(t, connect(t, startServer(t).address, quadrille.Options{}), "columns", yard())
	ids, x, y := make([]uint32, 8), make([]float32, 8), make([]float32, 8)
	for i := range ids {
		ids[i], x[i] = uint32(i), float32(10*i)
	}
	room.Spawn(quadrille.Boxes(ids, x, y, 1))
	for turn := 1; turn < 6; turn++ {
		wanted := make([]float32, 8)
		for i := range ids {
			ids[i], x[i], wanted[i] = uint32(i), float32(10*i+turn), float32(10*i+turn)
		}
		room.Move(ids, x, y, nil)
		for i := range ids {
			ids[i], x[i] = 77, -1
		}
		step(t, room)
		if found := positions(t, room); !reflect.DeepEqual(found, wanted) {
			t.Fatalf("turn %d: x is %v; must be %v", turn, found, wanted)
		}
	}
}

func TestSameIDsAreSentOnce(t *testing.T) {
	session := connect(t, startServer(t).address, quadrille.Options{})
	room := open(t, session, "rosters", yard())
	const count = 10000
	ids, x := make([]uint32, count), make([]float32, count)
	for i := range ids {
		ids[i], x[i] = uint32(i), float32(i)
	}
	room.Spawn(quadrille.Boxes(ids, x, x, 0))
	var sizes []uint64
	for i := 0; i < 4; i++ {
		before, err := session.Stats(testContext(t))
		must(t, err)
		room.Move(ids, x, x, nil)
		after, err := session.Stats(testContext(t))
		must(t, err)
		sizes = append(sizes, after.BytesIn-before.BytesIn)
	}
	if sizes[0] < 12*count || sizes[2] > 8*count+1000 || sizes[3] > 8*count+1000 {
		t.Errorf("the moves take %v bytes", sizes)
	}
}

func TestBatchAboveTheFrameLimitIsSplit(t *testing.T) {
	session := connect(t, startServer(t, "--frame-max", "64K").address, quadrille.Options{})
	room := open(t, session, "large", yard())
	count := int(session.Status().Limits.FrameBytesMax)/12 + 5000
	ids, x := make([]uint32, count), make([]float32, count)
	for i := range ids {
		ids[i], x[i] = uint32(i), 1e6+float32(i)*10
	}
	must(t, room.Spawn(&quadrille.Spawn{Id: ids, X: x, Y: []float32{0}}).Wait(testContext(t)))
	err := room.Despawn(append(append([]uint32(nil), ids[1:]...), 1<<32-1)...).Wait(testContext(t))
	var refused *quadrille.RefusedError
	if !errors.As(err, &refused) || len(refused.Entries) != 1 || refused.Entries[0].Index != count-1 {
		t.Fatalf("the error is %v", err)
	}
	step(t, room)
	if stats, err := room.Stats(testContext(t)); err != nil || stats.Entities != 1 {
		t.Errorf("the room has %v, %v", stats, err)
	}
}

func TestStepCanBeCanceled(t *testing.T) {
	address := startServer(t).address
	config := yard()
	config.Writers, config.StepDeadlineMs = 2, 60000
	room := open(t, connect(t, address, quadrille.Options{}), "lockstep", config)
	same := open(t, connect(t, address, quadrille.Options{}), "lockstep", nil)
	both := func() *quadrille.Tick {
		other := make(chan error)
		go func() {
			_, err := same.Step(testContext(t))
			other <- err
		}()
		tick := step(t, room)
		must(t, <-other)
		return tick
	}
	both()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := room.Step(ctx); !errors.Is(err, context.DeadlineExceeded) { // the step itself is under way
		t.Fatalf("the error is %v", err)
	}
	step(t, same)
	if tick := both(); tick.Number != 3 {
		t.Errorf("the tick is %d; must be 3", tick.Number)
	}
}

func TestTicksAreRead(t *testing.T) {
	room := open(t, connect(t, startServer(t).address, quadrille.Options{}), "clock",
		&quadrille.RoomConfig{Bounds: quadrille.Rect(0, 0, 100, 100), TickHz: 100})
	ctx, cancel := context.WithCancel(testContext(t))
	ticks := room.Ticks(ctx)
	must(t, room.Subscribe(quadrille.ScopeAll, false).Wait(ctx))
	room.Spawn(quadrille.Boxes([]uint32{1, 2}, []float32{10, 10}, []float32{10, 10}, 1))
	for tick := range ticks {
		if len(tick.Begins) > 0 {
			if !reflect.DeepEqual(tick.Begins, []quadrille.Pair{{A: 1, B: 2}}) {
				t.Errorf("the begins are %v", tick.Begins)
			}
			break
		}
	}
	room.Move([]uint32{2}, []float32{50}, []float32{50}, nil)
	if tick, err := room.Sync(ctx); err != nil || tick != room.Tick() || room.Pairs().Len() != 0 {
		t.Errorf("tick %d, %v, %d pairs", tick, err, room.Pairs().Len())
	}
	cancel()
	for range ticks { // it is closed
	}
}

func TestHandlersMayReadSetsAndMakeRequests(t *testing.T) {
	room := open(t, connect(t, startServer(t).address, quadrille.Options{}), "handlers", yard())
	var has, reason int32
	room.OnBegin(func(a, b uint32) {
		if room.Pairs().Has(b, a) && room.View(7).Has(2) && room.View(7).Len() == 1 {
			atomic.AddInt32(&has, 1)
		}
		room.Despawn(b)
	}).OnEnd(func(_, _ uint32, is quadrille.EndReason) { atomic.StoreInt32(&reason, int32(is)) })
	room.Subscribe(quadrille.ScopeAll, false)
	room.Spawn(quadrille.Boxes([]uint32{1, 2}, []float32{10, 11}, []float32{10, 10}, 1))
	room.Observe(quadrille.Around(7, 1, 10, 2))
	first, second := step(t, room), step(t, room)
	if !reflect.DeepEqual(first.Begins, []quadrille.Pair{{A: 1, B: 2}}) || len(first.Enters) != 1 || has != 1 {
		t.Errorf("the first tick is %+v", first)
	}
	if len(second.Ends) != 1 || reason != int32(quadrille.EndDespawned) || len(second.Leaves) != 1 {
		t.Errorf("the second tick is %+v", second)
	}
}

func TestQueriesAndWhy(t *testing.T) {
	session := connect(t, startServer(t).address, quadrille.Options{})
	room := open(t, session, "queries", yard())
	room.Spawn(quadrille.Circles([]uint32{1, 2}, []float32{10, 20}, []float32{10, 10}, 1))
	room.Observe(quadrille.Around(7, 1, 5, 0))
	step(t, room)
	nearest, err := room.Nearest(testContext(t), 10, 10, 0, 1)
	if err != nil || !reflect.DeepEqual(nearest.Id, []uint32{1}) || !nearest.More {
		t.Errorf("nearest is %v, %v", nearest, err)
	}
	within, err := room.Within(testContext(t), 20, 10, 0, 1, 0)
	if err != nil || !reflect.DeepEqual(within.Id, []uint32{2}) {
		t.Errorf("within is %v, %v", within, err)
	}
	why, err := room.Why(testContext(t), 7, 2, true)
	if err != nil || quadrille.Visibility(why.Visibility[0]) != quadrille.VisibilityNotRange {
		t.Errorf("why is %v, %v", why, err)
	}
	rooms, err := session.ListRooms(testContext(t), "", 0)
	if err != nil || len(rooms.Rooms) != 1 || rooms.Rooms[0].Name != "queries" {
		t.Errorf("the rooms are %v, %v", rooms, err)
	}
	sessions, err := session.ListSessions(testContext(t), 0, 0)
	if err != nil || len(sessions.Sessions) != 1 || sessions.Sessions[0].Session != session.Status().Session {
		t.Errorf("the sessions are %v, %v", sessions, err)
	}
}

func TestCallsAfterTheEndFail(t *testing.T) {
	session := connect(t, startServer(t).address, quadrille.Options{})
	room, left := open(t, session, "ending", yard()), open(t, session, "left", yard())
	must(t, left.Leave(testContext(t)))
	if err := left.Move([]uint32{1}, []float32{1}, []float32{1}, nil).Wait(testContext(t)); !errors.Is(err,
		quadrille.ErrRoomClosed) {
		t.Errorf("the error is %v", err)
	}
	waits := make(chan error)
	room.Spawn(quadrille.Boxes([]uint32{1}, []float32{1}, []float32{1}, 1))
	go func() {
		_, err := room.Sync(testContext(t))
		waits <- err
	}()
	must(t, session.Close())
	_, stepped := room.Step(testContext(t))
	_, opened := session.Open(testContext(t), "other", nil)
	for _, err := range []error{<-waits, stepped, opened, session.Drain(testContext(t)), room.Err()} {
		if !errors.Is(err, quadrille.ErrSessionEnded) {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestServerThatIsNotThereTimesOutWithTheFix(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := listener.Addr().String()
	listener.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err = quadrille.Connect(ctx, address, quadrille.Options{})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), address) ||
		!strings.Contains(err.Error(), "Check the address") {
		t.Errorf("the error is %v", err)
	}
}

func TestDrainWaitsForAServerThatDoesNotRead(t *testing.T) {
	server := startServer(t)
	session := connect(t, server.address, quadrille.Options{PingAfter: testTime, DeadAfter: testTime})
	room := open(t, session, "drain", yard())
	ids, x := make([]uint32, 100000), make([]float32, 100000)
	must(t, server.process.Process.Signal(syscall.SIGSTOP))
	defer server.process.Process.Signal(syscall.SIGCONT)
	var err error
	for i := 0; i < 200 && err == nil; i++ { // 240 MB, more than the system's buffers
		room.Move(ids, x, x, nil)
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		err = session.Drain(ctx)
		cancel()
	}
	if !errors.Is(err, context.DeadlineExceeded) || !session.Full() {
		t.Errorf("the error is %v", err)
	}
	must(t, server.process.Process.Signal(syscall.SIGCONT))
	must(t, session.Drain(testContext(t)))
	_, err = session.Ping(testContext(t))
	must(t, err)
}
