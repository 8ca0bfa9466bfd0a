// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	pb "quadrille.example/quadrille/quadrillev1"
)

const (
	closeTime       = time.Second // for the last bytes of a session that is closed
	backlogBytesMax = 64 << 20
)

// Options of a session. The zero value has all defaults.
type Options struct {
	Token string      // proves who you are, if the server lists tokens
	Name  string      // of your program, for the server's log
	TLS   *tls.Config // nil: not encrypted. The certificate must name the host
	Adopt bool        // take over what earlier sessions of the token have left in a room, when it is first opened

	ConnectTimeout time.Duration // for one attempt, Hello included (5 s)
	PingAfter      time.Duration // ping a server that was silent for so long (2 s)
	DeadAfter      time.Duration // give up a connection that was silent for so long (6 s)
	Backoff        time.Duration // the longest random wait before the first attempt to connect again (100 ms)
	BackoffMax     time.Duration // it doubles from attempt to attempt up to this (5 s)

	// Of requests that wait for a connection (64 MiB). Above it they are merged into the state that is restored.
	BacklogBytesMax int
}

func (o *Options) setDefaults() {
	for _, each := range []struct {
		value *time.Duration
		is    time.Duration
	}{{&o.ConnectTimeout, 5 * time.Second}, {&o.PingAfter, 2 * time.Second}, {&o.DeadAfter, 6 * time.Second},
		{&o.Backoff, 100 * time.Millisecond}, {&o.BackoffMax, 5 * time.Second}} {
		if *each.value == 0 {
			*each.value = each.is
		}
	}
	if o.BacklogBytesMax == 0 {
		o.BacklogBytesMax = backlogBytesMax
	}
}

// State of a session.
type State int

// States of a session.
const (
	StateConnecting State = iota + 1
	StateReady            // connected; rooms are being restored, or are there
	StateLost             // the connection has ended; the next attempt follows by itself
	StateEnded            // there is no further attempt
)

func (s State) String() string {
	return [...]string{"", "connecting", "ready", "lost", "ended"}[s]
}

// Session outlives its connections: it reconnects by itself, and resumes or restores everything.
type Session struct {
	address string
	options Options

	mu     sync.Mutex
	events events

	rooms    map[string]*Room
	byHandle map[uint64]*Room
	lobby    []*entry // requests without a room, in order
	bySeq    map[uint64]*entry

	state        State
	problem      string        // why the connection was lost
	ended        error         // why there is no further attempt
	done         chan struct{} // closed when the session has ended
	runs         chan struct{} // closed when its goroutine has
	number       uint64        // Welcome.session
	limits       *pb.Limits
	connects     int
	resumes      int
	merged       bool // the log lacks requests that the server may not have: it cannot resume
	seq          uint64
	requests     uint64
	key          []byte
	resumeTime   time.Duration
	link         *link
	lostBecause  string
	goAway       string // what the server said before it closed the connection
	attempts     int
	readyAt      time.Time
	refusedHello *Refusal

	onState   []func(State, string)
	onRefused []func(*Refusal)
}

// Connect connects to "host:port" or "[::1]:port", and waits for the server's Welcome. From then on the session connects
// again by itself, until Close. It returns *RefusedError if the server refuses the token or the version.
func Connect(ctx context.Context, address string, options Options) (*Session, error) {
	for name, text := range map[string]string{"Token": options.Token, "Name": options.Name} {
		if !utf8.ValidString(text) {
			return nil, fmt.Errorf("Options.%s is %q; must be UTF-8", name, text)
		}
	}
	options.setDefaults()
	s := &Session{address: address, options: options, rooms: map[string]*Room{}, byHandle: map[uint64]*Room{},
		bySeq: map[uint64]*entry{}, limits: &pb.Limits{}, done: make(chan struct{}), runs: make(chan struct{}),
		events: events{wake: make(chan struct{})}, state: StateConnecting}
	go s.run()
	s.lock()
	err := s.until(ctx, func() bool { return s.state == StateReady || s.ended != nil })
	problem, refused, ended := s.problem, s.refusedHello, s.ended
	s.unlock()
	switch {
	case refused != nil:
		return nil, &RefusedError{*refused}
	case ended != nil:
		return nil, ended
	case err != nil:
		s.Close()
		if problem == "" {
			problem = "no answer"
		}
		return nil, fmt.Errorf("no session with %s: %s. Check the address, and that the server runs: %w", address, problem,
			err)
	}
	return s, nil
}

// Open opens a room now and on each connection, and waits for it. A second call returns the same room. Without a config
// it only joins. It returns *RefusedError if the server refuses.
func (s *Session) Open(ctx context.Context, name string, config *RoomConfig) (*Room, error) {
	if !utf8.ValidString(name) {
		return nil, fmt.Errorf("the room's name is %q; must be UTF-8", name)
	}
	s.lock()
	defer s.unlock()
	if s.ended != nil {
		return nil, s.ended
	}
	room := s.rooms[name]
	if room == nil {
		if config != nil {
			config = proto.Clone(config).(*RoomConfig)
		}
		room = newRoom(s, name, config)
		s.rooms[name] = room
		if s.state == StateReady {
			room.startRestore()
		}
	}
	err := s.until(ctx, func() bool { return room.isReady || room.closed != nil })
	switch {
	case room.refusal != nil:
		return nil, &RefusedError{*room.refusal}
	case room.closed != nil:
		return nil, room.closed
	case err != nil:
		return nil, err
	}
	return room, nil
}

// Room finds a room that is open, or nil.
func (s *Session) Room(name string) *Room {
	s.lock()
	defer s.unlock()
	return s.rooms[name]
}

// OnState calls the handler at each change, with the reason for people.
func (s *Session) OnState(handler func(state State, reason string)) *Session {
	s.lock()
	defer s.unlock()
	s.onState = append(s.onState, handler)
	return s
}

// OnRefused calls the handler with all that the server refuses, whether a call waits for it or not. The session itself
// refuses columns that do not fit, with CodeColumns.
func (s *Session) OnRefused(handler func(refusal *Refusal)) *Session {
	s.lock()
	defer s.unlock()
	s.onRefused = append(s.onRefused, handler)
	return s
}

// Drain waits until the connection takes more data: the server may be slow, or away.
func (s *Session) Drain(ctx context.Context) error {
	s.lock()
	defer s.unlock()
	err := s.until(ctx, func() bool { return s.ended != nil || (s.state == StateReady && !s.link.full()) })
	if s.ended != nil {
		return s.ended
	}
	return err
}

// Full reports whether Drain would wait.
func (s *Session) Full() bool {
	s.lock()
	defer s.unlock()
	return s.state != StateReady || s.link.full()
}

// Status of a session.
type Status struct {
	State    State
	Problem  string // why the last connection was lost
	Session  uint64 // the server's number of the session; it may change
	Connects int    // how often it connected
	Resumes  int    // how many of these times it resumed
	Limits   *pb.Limits
}

// Status is the present one.
func (s *Session) Status() Status {
	s.lock()
	defer s.unlock()
	return Status{s.state, s.problem, s.number, s.connects, s.resumes, s.limits}
}

// Ping measures one round trip.
func (s *Session) Ping(ctx context.Context) (time.Duration, error) {
	before := time.Now()
	_, err := s.ask(ctx, nil, &pb.Ping{Data: 1})
	return time.Since(before), err
}

// ListRooms lists open rooms by name, after that name. Limit 0: 1,000.
func (s *Session) ListRooms(ctx context.Context, after string, limit int) (*pb.RoomList, error) {
	answer, err := s.ask(ctx, nil, &pb.ListRooms{After: after, Limit: uint32(limit)})
	if err != nil {
		return nil, err
	}
	return answer[0].(*pb.RoomList), nil
}

// ListSessions lists the sessions of this token; all, for an admin. After: only larger numbers. Limit 0: 1,000.
func (s *Session) ListSessions(ctx context.Context, after uint64, limit int) (*pb.SessionList, error) {
	answer, err := s.ask(ctx, nil, &pb.ListSessions{After: after, Limit: uint32(limit)})
	if err != nil {
		return nil, err
	}
	return answer[0].(*pb.SessionList), nil
}

// Stats are those of the server.
func (s *Session) Stats(ctx context.Context) (*pb.ServerStats, error) {
	answer, err := s.ask(ctx, nil, &pb.GetStats{})
	if err != nil {
		return nil, err
	}
	return answer[0].(*pb.Stats).GetServer(), nil
}

// Close leaves all rooms and ends the session.
func (s *Session) Close() error {
	s.lock()
	if s.ended != nil {
		s.unlock()
		return nil
	}
	for _, room := range s.rooms {
		if s.state == StateReady && room.handle != 0 {
			s.transmit(newEntry(room, &pb.LeaveRoom{}, nil))
		}
	}
	link := s.link
	s.end(fmt.Errorf("%w: it is closed", ErrSessionEnded))
	s.unlock()
	if link != nil {
		link.finish()
		select {
		case <-s.runs:
		case <-time.After(closeTime):
		}
		link.abort()
	}
	return nil
}

// ask sends a request with an answer of its own, and waits for the answer. It may have several frames.
func (s *Session) ask(ctx context.Context, room *Room, message proto.Message) ([]proto.Message, error) {
	s.lock()
	defer s.unlock()
	return s.call(ctx, room, message, nil)
}

// call is ask with the mutex locked. A restoring room's own calls end when the restoring does.
func (s *Session) call(ctx context.Context, room *Room, message proto.Message, by *restoring) ([]proto.Message, error) {
	if s.ended != nil {
		return nil, s.ended
	}
	if room != nil && room.closed != nil {
		return nil, room.closed
	}
	e := newEntry(room, message, nil)
	e.restores = by != nil
	e.answer = &answer{}
	log := &s.lobby
	if room != nil {
		log = &room.log
	}
	*log = append(*log, e)
	if s.state == StateReady && (e.restores || room == nil || room.isReady) {
		s.transmit(e)
	}
	err := s.until(ctx, func() bool { return e.answer.isThere || (by != nil && by.canceled) })
	remove(log, e)
	delete(s.bySeq, e.seq)
	switch {
	case e.answer.isThere:
		return e.answer.frames, e.answer.err
	case err != nil:
		return nil, err
	}
	return nil, errRestarted
}
