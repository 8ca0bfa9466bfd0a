// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"os"
	"sort"
	"time"

	"quadrille.example/quadrille/internal/fold"
	"quadrille.example/quadrille/internal/wire"
	pb "quadrille.example/quadrille/quadrillev1"
)

const (
	protocolVersion = 1
	protocolName    = "quadrille/1" // of ALPN
	leastWait       = time.Millisecond
)

// run makes one connection after the other, until the session ends.
func (s *Session) run() {
	defer close(s.runs)
	// A source of its own: Go before 1.20 does not seed the shared one.
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	for {
		s.lock()
		if s.ended != nil {
			s.unlockReader()
			return
		}
		s.setState(StateConnecting, "")
		s.unlockReader()
		reason := s.connect()
		s.lock()
		if s.ended != nil {
			s.unlockReader()
			return
		}
		s.giveUp(reason)
		if s.refusedHello != nil {
			s.end(fmt.Errorf("%w: %s", ErrSessionEnded, s.refusedHello.Text))
		}
		wait := time.Duration(random.Float64() * float64(s.backoff()))
		s.attempts++
		s.unlockReader()
		select {
		case <-time.After(wait):
		case <-s.done:
		}
	}
}

func (s *Session) backoff() time.Duration {
	wait := s.options.Backoff
	for i := 0; i < s.attempts && wait < s.options.BackoffMax; i++ {
		wait *= 2
	}
	if wait > s.options.BackoffMax {
		return s.options.BackoffMax
	}
	return wait
}

// connect serves one connection. It returns why the connection was lost.
func (s *Session) connect() string {
	by := time.Now().Add(s.options.ConnectTimeout)
	conn, err := s.dial(by)
	if err != nil {
		return fmt.Sprintf("%s: %v", s.address, err)
	}
	l := newLink(conn, func() {
		s.lock()
		s.notify()
		s.unlock()
	})
	defer l.abort()
	s.lock()
	if s.ended != nil {
		s.unlockReader()
		return ""
	}
	s.link, s.lostBecause, s.goAway = l, "", ""
	s.sayHello()
	s.unlockReader()
	return s.read(l, by)
}

func (s *Session) dial(by time.Time) (net.Conn, error) {
	ctx, cancel := context.WithDeadline(context.Background(), by)
	defer cancel()
	go func() {
		select {
		case <-s.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	if err != nil || s.options.TLS == nil {
		return conn, err
	}
	config := s.options.TLS.Clone()
	config.NextProtos = []string{protocolName}
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(s.address)
	}
	encrypted := tls.Client(conn, config)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return encrypted, nil
}

// read takes frames, and pings a silent server, until the connection is lost. It returns why.
func (s *Session) read(l *link, by time.Time) string {
	var splitter wire.Splitter
	var decoder wire.Decoder
	heard, pinged, isReady := time.Now(), time.Time{}, false
	for {
		due := by
		if isReady && pinged.After(heard) {
			due = pinged.Add(s.options.DeadAfter - s.options.PingAfter)
		} else if isReady {
			due = heard.Add(s.options.PingAfter)
		}
		if least := time.Now().Add(leastWait); due.Before(least) {
			due = least // reads what is there
		}
		l.conn.SetReadDeadline(due)
		count, err := l.conn.Read(splitter.Space())
		if count > 0 {
			heard = time.Now()
			splitter.Filled(count)
			var problem string
			if isReady, problem = s.takeAll(l, &splitter, &decoder); problem != "" {
				return problem
			}
		}
		switch {
		case err == nil:
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return s.whyLost(err)
		case !isReady:
			return fmt.Sprintf("%s: no answer in time", s.address)
		case pinged.After(heard):
			return fmt.Sprintf("%s: the server was silent for %.1f s", s.address, time.Since(heard).Seconds())
		case count == 0 && time.Since(heard) >= s.options.PingAfter:
			pinged = time.Now()
			l.send(func(out []byte) []byte { return wire.Append(out, 0, &pb.Ping{}, false) })
		}
	}
}

func (s *Session) whyLost(err error) string {
	s.lock()
	defer s.unlockReader()
	if s.lostBecause != "" {
		return s.lostBecause
	}
	if s.goAway != "" {
		return fmt.Sprintf("%s: %s", s.address, s.goAway)
	}
	return fmt.Sprintf("%s: the connection has ended: %v", s.address, err)
}

// takeAll takes the frames that are complete. It reports whether the session is ready, and why the connection is lost.
func (s *Session) takeAll(l *link, splitter *wire.Splitter, decoder *wire.Decoder) (bool, string) {
	for {
		data, found, err := splitter.Next()
		var frame wire.Frame
		if err == nil && found {
			frame, err = decoder.Decode(data)
		}
		if err != nil {
			return false, fmt.Sprintf("%s: %v", s.address, err)
		}
		s.lockReader()
		if found && s.lostBecause == "" && s.ended == nil {
			s.take(frame)
			s.notify()
		}
		isReady, lost := s.state == StateReady, s.lostBecause
		s.unlockReader()
		if lost != "" || !found {
			return isReady, lost
		}
	}
}

func (s *Session) sayHello() {
	hello := &pb.Hello{Version: protocolVersion, Token: s.options.Token, Client: s.options.Name, Resumable: true,
		Features: []string{"pings"}}
	if !s.merged {
		hello.Resume = s.key
	}
	s.link.send(func(out []byte) []byte { return wire.Append(out, 0, hello, false) })
}

// lose gives the connection up: a resumed or new session brings resets.
func (s *Session) lose(reason string) {
	if s.lostBecause == "" {
		s.lostBecause = reason
	}
	if s.link != nil {
		s.link.abort()
	}
}

func (s *Session) giveUp(reason string) {
	if s.state == StateReady && time.Since(s.readyAt) >= s.backoff() {
		s.attempts = 0
	}
	s.link, s.problem = nil, reason
	for _, room := range s.rooms {
		room.foldLost()
	}
	s.setState(StateLost, reason)
}

func (s *Session) setState(state State, reason string) {
	s.state = state
	handlers := s.onState
	s.emit(func() {
		for _, handler := range handlers {
			handler(state, reason)
		}
	})
	s.notify()
}

// end: there is no further attempt.
func (s *Session) end(reason error) {
	s.ended = reason
	close(s.done)
	for _, room := range s.rooms {
		room.end(reason)
	}
	for _, e := range s.lobby {
		e.fail(reason)
	}
	s.setState(StateEnded, reason.Error())
}

func (s *Session) welcome(welcome *pb.Welcome) {
	resumed := welcome.Resumed && len(s.key) > 0
	s.connects++
	s.number, s.limits = welcome.Session, welcome.Limits
	if s.limits == nil {
		s.limits = &pb.Limits{}
	}
	s.resumeTime = time.Duration(welcome.ResumeMs) * time.Millisecond
	s.key, s.readyAt, s.state = welcome.ResumeKey, time.Now(), StateReady
	if resumed {
		s.resumes++
		s.resume(welcome.LastSeq)
	} else {
		s.restart()
	}
	s.setState(StateReady, "")
}

// resume: the server's session goes on. Sends what the server has not received.
func (s *Session) resume(lastSeq uint64) {
	var sent []*entry
	for _, e := range s.bySeq {
		sent = append(sent, e)
	}
	sort.Slice(sent, func(i, j int) bool { return sent[i].seq < sent[j].seq })
	for _, e := range sent {
		if e.seq > lastSeq {
			s.link.send(e.appendFrame)
		}
	}
	for _, e := range sent {
		switch {
		case e.seq > lastSeq:
		case e.isAnswered || e.room == nil:
			s.sendAgain(e)
		case e.confirm:
			e.accept() // its answer is lost
		}
	}
	for _, room := range s.rooms {
		room.resumed()
	}
	for _, e := range s.lobby {
		if e.seq == 0 {
			s.transmit(e)
		}
	}
}

// restart: the server's session is new.
func (s *Session) restart() {
	s.merged, s.seq = false, 0
	s.bySeq, s.byHandle = map[uint64]*entry{}, map[uint64]*Room{}
	for _, room := range s.rooms {
		room.restarted()
	}
	for _, e := range s.lobby {
		e.answer.frames = nil
		s.transmit(e)
	}
}

// transmit sends an entry for the first time in this session of the server.
func (s *Session) transmit(e *entry) {
	s.seq++
	e.seq = s.seq
	s.bySeq[e.seq] = e
	if s.link != nil {
		s.link.send(e.appendFrame)
	}
}

// sendAgain sends an entry under a new number: its answer may be lost.
func (s *Session) sendAgain(e *entry) {
	delete(s.bySeq, e.seq)
	e.collected = nil
	if e.answer != nil {
		e.answer.frames = nil
	}
	s.transmit(e)
}

// ---- incoming ----

func (s *Session) take(frame wire.Frame) {
	e := s.bySeq[frame.Seq]
	var err error
	switch m := frame.Message.(type) {
	case nil:
	case *pb.Welcome:
		s.welcome(m)
	case *pb.Ping:
		s.link.send(func(out []byte) []byte { return wire.Append(out, 0, &pb.Pong{Data: m.Data}, false) })
	case *pb.GoAway:
		s.goAway = m.Text
	case *pb.Error:
		s.refused(e, m)
	case *pb.Tick:
		if room := s.byHandle[m.Room]; room != nil {
			err = room.foldTick(m)
		}
	case *pb.View:
		if room := s.byHandle[m.Room]; room != nil {
			err = room.foldView(m)
		}
	case *pb.Applied:
		if room := s.roomOf(m.Room, e); room != nil {
			room.applied(frame.Seq, m)
		}
	case *pb.Accepted:
		if e != nil && e.room != nil {
			e.room.accepted(e, m)
		}
	case *pb.HandedOver:
		if e != nil && e.answer != nil {
			e.collect(m, m.Last)
		} else if room := s.byHandle[m.Room]; room != nil {
			room.handedOver(m)
		}
	case *pb.RoomClosed:
		if e != nil && e.answer != nil {
			e.collect(m, true)
		} else if room := s.byHandle[m.Room]; room != nil {
			room.closedBy(m)
		}
	case *pb.SnapshotResult:
		if e != nil {
			e.collect(m, m.Last)
		}
	default:
		if e != nil {
			e.collect(m, true)
		}
	}
	if errors.Is(err, fold.ErrContradiction) {
		s.lose(fmt.Sprintf("%s: %v", s.address, err))
	}
}

func (s *Session) roomOf(handle uint64, e *entry) *Room {
	if room := s.byHandle[handle]; room != nil || e == nil {
		return room
	}
	return e.room
}

func (s *Session) refused(e *entry, m *pb.Error) {
	if e != nil && e.room != nil {
		e.room.refused(e, m)
		return
	}
	refusal := &Refusal{Command: "session", Code: m.Code, Text: m.Text}
	if e != nil {
		refusal.Command = wire.Name(e.message)
		e.fail(&RefusedError{*refusal})
	}
	if m.Code == CodeUnauthenticated || m.Code == CodeVersion {
		s.refusedHello = refusal
	}
	s.report(refusal)
}

func (s *Session) report(refusal *Refusal) {
	handlers := s.onRefused
	s.emit(func() {
		for _, handler := range handlers {
			handler(refusal)
		}
	})
}

// remove takes an entry out of a log.
func remove(log *[]*entry, e *entry) {
	for i, each := range *log {
		if each != e {
			continue
		}
		if i == 0 {
			(*log)[0] = nil
			*log = (*log)[1:]
		} else {
			*log = append((*log)[:i], (*log)[i+1:]...)
		}
		return
	}
}
