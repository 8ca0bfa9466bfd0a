// SPDX-License-Identifier: Apache-2.0

package quadrille_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"quadrille.example/quadrille"
)

func quick() quadrille.Options {
	return quadrille.Options{ConnectTimeout: 500 * time.Millisecond, PingAfter: 50 * time.Millisecond,
		DeadAfter: 150 * time.Millisecond, Backoff: 2 * time.Millisecond, BackoffMax: 20 * time.Millisecond}
}

// journal keeps what handlers report.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, values ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, values...))
}

func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.lines = nil
	return lines
}

// waitFor waits for a state of the session.
func waitFor(t *testing.T, session *quadrille.Session, state quadrille.State) {
	t.Helper()
	for end := time.Now().Add(testTime); session.Status().State != state; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the session is %v; must be %v", session.Status().State, state)
		}
	}
}

func TestProgramSeesStatesAndAResetAndTheSetGoesOn(t *testing.T) {
	p := startProxy(t, startServer(t).address)
	session := connect(t, p.address, quadrille.Options{Backoff: 2 * time.Millisecond})
	room := open(t, session, "cut", yard())
	var states, events journal
	session.OnState(func(state quadrille.State, _ string) { states.add("%v", state) })
	room.OnReset(func() { events.add("reset") }).OnBegin(func(a, b uint32) { events.add("begin %d %d", a, b) })
	room.Subscribe(quadrille.ScopeAll, false)
	room.Spawn(quadrille.Boxes([]uint32{1, 2, 3}, []float32{10, 11, 50}, []float32{10, 10, 10}, 1))
	step(t, room)
	if found := events.take(); !reflect.DeepEqual(found, []string{"reset", "begin 1 2"}) {
		t.Errorf("the events are %v", found)
	}
	number := session.Status().Session
	p.cutAfter(true, 0)
	room.Move([]uint32{3}, []float32{12}, []float32{10}, nil)
	if tick := step(t, room); tick.Number != 2 {
		t.Errorf("the tick is %d; must be 2", tick.Number)
	}
	if found := states.take(); !reflect.DeepEqual(found, []string{"lost", "connecting", "ready"}) {
		t.Errorf("the states are %v", found)
	}
	if status := session.Status(); status.Session != number || status.Resumes != 1 {
		t.Errorf("the status is %+v", status)
	}
	if found := events.take(); found[0] != "reset" || room.Pairs().Len() != 3 || !room.Pairs().Has(3, 1) {
		t.Errorf("the events are %v, the pairs %v", found, room.Pairs().All())
	}
}

func TestSilentServerIsGivenUpAndRequestsWait(t *testing.T) {
	p := startProxy(t, startServer(t).address)
	session := connect(t, p.address, quick())
	room := open(t, session, "silent", yard())
	room.Spawn(quadrille.Boxes([]uint32{1}, []float32{1}, []float32{1}, 1))
	step(t, room)
	lost := make(chan string, 1)
	session.OnState(func(state quadrille.State, reason string) {
		select {
		case lost <- reason:
		default: // later attempts have other reasons
		}
	})
	p.hold(true)
	if reason := <-lost; !strings.Contains(reason, "silent") {
		t.Errorf("the reason is %q", reason)
	}
	stepped := make(chan *quadrille.Tick)
	go func() {
		tick, _ := room.Step(testContext(t))
		stepped <- tick
	}()
	select {
	case <-stepped:
		t.Error("a step without a server has ended")
	case <-time.After(300 * time.Millisecond):
	}
	p.hold(false)
	if tick := <-stepped; tick == nil || tick.Number != 2 {
		t.Errorf("the tick is %v; must be 2", tick)
	}
}

func TestBacklogAboveItsLimitIsMergedIntoTheState(t *testing.T) {
	p := startProxy(t, startServer(t).address)
	options := quick()
	options.Token, options.BacklogBytesMax = "backlog", 10000
	session := connect(t, p.address, options)
	room := open(t, session, "backlog", yard())
	ids, x, y := make([]uint32, 100), make([]float32, 100), make([]float32, 100)
	for i := range ids {
		ids[i], x[i] = uint32(i), float32(5*i)
	}
	room.Spawn(quadrille.Boxes(ids, x, y, 1))
	step(t, room)
	p.sever(true)
	waitFor(t, session, quadrille.StateLost)
	var last *quadrille.Request
	for turn := 0; turn < 50; turn++ {
		for i := range x {
			x[i] = float32(5*i + turn)
		}
		last = room.Move(ids, x, y, nil)
	}
	p.sever(false)
	step(t, room)
	if tick, err := last.Applied(testContext(t)); err != nil || tick != room.Tick() {
		t.Errorf("the tick is %d, %v; must be %d", tick, err, room.Tick())
	}
	if found := positions(t, room); !reflect.DeepEqual(found, x) {
		t.Errorf("x is %v; must be %v", found, x)
	}
	if status := session.Status(); status.Resumes != 0 {
		t.Errorf("the status is %+v", status)
	}
}

func TestRequestsThatWaitForAnAnswerSurviveACut(t *testing.T) {
	p := startProxy(t, startServer(t).address)
	session := connect(t, p.address, quick())
	room := open(t, session, "answers", yard())
	must(t, room.Spawn(quadrille.Boxes([]uint32{1}, []float32{1}, []float32{1}, 1)).Wait(testContext(t)))
	step(t, room)
	for count := 0; count < 60; count += 3 {
		p.cutAfter(count%2 == 0, count)
		pinged := make(chan error)
		go func() {
			_, err := session.Ping(testContext(t))
			pinged <- err
		}()
		found, err := room.Nearest(testContext(t), 0, 0, 0, 0)
		if err != nil || !reflect.DeepEqual(found.Id, []uint32{1}) {
			t.Fatalf("found is %v, %v", found, err)
		}
		must(t, <-pinged)
	}
	if connects := session.Status().Connects; connects < 5 {
		t.Errorf("the session has connected %d times; must be 5 or more", connects)
	}
}

func TestRefusedTokenEndsTheSession(t *testing.T) {
	folder := newFolder(t)
	server := startServer(t, "--token-file", folder.tokens)
	options := quadrille.Options{Token: "wrong"}
	_, err := quadrille.Connect(testContext(t), server.address, options)
	var refused *quadrille.RefusedError
	if !errors.As(err, &refused) || refused.Code != quadrille.CodeUnauthenticated {
		t.Errorf("the error is %v", err)
	}
}
