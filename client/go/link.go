// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"net"
	"sync"
)

// Bytes that wait for the socket: above the first, Drain waits until they are below the second.
const (
	highBytes  = 1 << 20
	lowBytes   = 1 << 18
	writeBytes = 1 << 18 // of one call
	spareBytes = 4 << 20 // a longer buffer is not kept
)

// link is the sending side of one connection. A goroutine writes what the others append.
type link struct {
	conn    net.Conn
	drained func() // Drain looks again
	wake    chan struct{}
	done    chan struct{} // everything is written, or cannot be

	mu      sync.Mutex
	out     []byte
	queued  int // bytes that are not written
	isFull  bool
	closing bool
}

func newLink(conn net.Conn, drained func()) *link {
	l := &link{conn: conn, drained: drained, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.write()
	return l
}

// send appends what the function writes.
func (l *link) send(appendTo func(out []byte) []byte) {
	l.mu.Lock()
	before := len(l.out)
	l.out = appendTo(l.out)
	l.queued += len(l.out) - before
	l.isFull = l.isFull || l.queued > highBytes
	l.mu.Unlock()
	l.poke()
}

func (l *link) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *link) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isFull
}

// finish closes the sending side as soon as everything is written.
func (l *link) finish() {
	l.mu.Lock()
	l.closing = true
	l.mu.Unlock()
	l.poke()
}

// abort ends the connection.
func (l *link) abort() {
	l.conn.Close()
	l.finish()
}

func (l *link) write() {
	defer close(l.done)
	var spare []byte
	for range l.wake {
		for {
			l.mu.Lock()
			out, closing := l.out, l.closing
			l.out = spare[:0]
			l.mu.Unlock()
			if len(out) == 0 {
				spare = out
				if closing {
					l.closeWrite()
					return
				}
				break
			}
			if !l.writeAll(out) {
				l.conn.Close() // the reader reports why
				return
			}
			if spare = out; cap(spare) > spareBytes {
				spare = nil
			}
		}
	}
}

func (l *link) writeAll(out []byte) bool {
	for len(out) > 0 {
		piece := out
		if len(piece) > writeBytes {
			piece = piece[:writeBytes]
		}
		if _, err := l.conn.Write(piece); err != nil {
			return false
		}
		out = out[len(piece):]
		l.mu.Lock()
		l.queued -= len(piece)
		drained := l.isFull && l.queued < lowBytes
		l.isFull = l.isFull && !drained
		l.mu.Unlock()
		if drained {
			l.drained()
		}
	}
	return true
}

func (l *link) closeWrite() {
	if half, ok := l.conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
}
