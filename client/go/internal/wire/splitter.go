// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"fmt"
)

// FrameBytesMax is the length of the longest frame that a server sends.
const FrameBytesMax = 2 << 20

const readBytes = 64 << 10

// Splitter cuts the bytes of a connection into frames. Read into Space, call Filled, then Next until it has no more.
type Splitter struct {
	buffer     []byte
	start, end int
}

// Space is where the next bytes go. It ends the validity of earlier frames.
func (s *Splitter) Space() []byte {
	if s.start > 0 {
		s.end = copy(s.buffer, s.buffer[s.start:s.end])
		s.start = 0
	}
	if len(s.buffer)-s.end < readBytes/2 {
		s.buffer = append(make([]byte, 0, 2*len(s.buffer)+readBytes), s.buffer[:s.end]...)
		s.buffer = s.buffer[:cap(s.buffer)]
	}
	return s.buffer[s.end:]
}

// Filled: so many bytes of Space are there now.
func (s *Splitter) Filled(count int) {
	s.end += count
}

// Next returns the next frame without its length, or false if more bytes are needed.
func (s *Splitter) Next() ([]byte, bool, error) {
	size, shift := 0, 0
	for at := s.start; at < s.end; at++ {
		size |= int(s.buffer[at]&0x7f) << shift
		if s.buffer[at] < 0x80 {
			return s.cut(at+1, size)
		}
		if shift += 7; shift > 28 {
			return nil, false, fmt.Errorf("%w: its length has more than 5 bytes", ErrMalformed)
		}
	}
	return nil, false, nil
}

func (s *Splitter) cut(at, size int) ([]byte, bool, error) {
	if size > FrameBytesMax {
		return nil, false, fmt.Errorf("%w: it has %d bytes; must have at most %d", ErrMalformed, size, FrameBytesMax)
	}
	if at+size > s.end {
		return nil, false, nil
	}
	s.start = at + size
	return s.buffer[at : at+size : at+size], true, nil
}
