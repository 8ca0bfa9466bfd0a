// SPDX-License-Identifier: Apache-2.0

package quadrille

import "context"

// Everything in a session is guarded by its mutex. Goroutines wait for conditions, which are looked at after each frame
// and each change of the state. Handlers run without the mutex, one at a time, and a condition holds only when the
// handlers of all events so far have run.

// events of a session that handlers wait for.
type events struct {
	pending    []func()
	delivering bool
	news       bool // conditions may hold now
	waiters    int
	wake       chan struct{}
}

func (s *Session) lock() {
	s.mu.Lock()
}

// unlock also starts the delivery of events, on another goroutine: the caller may hold a lock that handlers take.
func (s *Session) unlock() {
	starts := s.settle()
	s.mu.Unlock()
	if starts {
		go s.deliver()
	}
}

// unlockReader is unlock for the goroutine that reads frames. It delivers by itself, so that frames wait for handlers.
func (s *Session) unlockReader() {
	starts := s.settle()
	s.mu.Unlock()
	if starts {
		s.deliver()
	}
}

// lockReader is lock for the goroutine that reads frames, which waits for the handlers of earlier events.
func (s *Session) lockReader() {
	s.mu.Lock()
	for s.events.delivering {
		wake := s.events.wake
		s.events.waiters++
		s.mu.Unlock()
		<-wake
		s.mu.Lock()
		s.events.waiters--
	}
}

// settle reports whether a delivery must start. It wakes the waiters if there is nothing to deliver.
func (s *Session) settle() bool {
	if s.events.delivering {
		return false
	}
	if len(s.events.pending) > 0 {
		s.events.delivering = true
		return true
	}
	s.wakeAll()
	return false
}

func (s *Session) wakeAll() {
	if s.events.news && s.events.waiters > 0 {
		close(s.events.wake)
		s.events.wake = make(chan struct{})
	}
	s.events.news = false
}

func (s *Session) deliver() {
	for {
		s.mu.Lock()
		batch := s.events.pending
		s.events.pending = nil
		if len(batch) == 0 {
			s.events.delivering, s.events.news = false, true
			s.wakeAll()
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		for _, call := range batch {
			call()
		}
	}
}

// notify lets waiters look again, as soon as the mutex is free.
func (s *Session) notify() {
	s.events.news = true
}

// emit calls handlers, as soon as the mutex is free.
func (s *Session) emit(call func()) {
	s.events.pending = append(s.events.pending, call)
}

// until waits until the condition holds, without the mutex meanwhile. The mutex must be locked.
func (s *Session) until(ctx context.Context, holds func() bool) error {
	for {
		if !s.events.delivering && len(s.events.pending) == 0 && holds() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		wake := s.events.wake
		s.events.waiters++
		s.unlock()
		select {
		case <-wake:
		case <-ctx.Done():
		}
		s.lock()
		s.events.waiters--
	}
}
