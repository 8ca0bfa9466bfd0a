// SPDX-License-Identifier: Apache-2.0

// Package fold turns Tick and View frames into sets: the pairs that touch, and what each observer sees.
package fold

import "math/bits"

// Set has keys other than 0. It is a hash table with linear probing, at most half full.
type Set struct {
	slots []uint64
	count int
	shift int // of a hash: the upper bits choose the slot
}

const slotsMin = 16

// Key is the key of a pair with a < b, so it is not 0.
func Key(a, b uint32) uint64 {
	return uint64(a)<<32 | uint64(b)
}

// Len is the number of keys.
func (s *Set) Len() int {
	return s.count
}

func (s *Set) home(key uint64) int {
	return int(key * 0x9e3779b97f4a7c15 >> s.shift)
}

// Has reports whether the key is there.
func (s *Set) Has(key uint64) bool {
	if s.count == 0 {
		return false
	}
	mask := len(s.slots) - 1
	for i := s.home(key); s.slots[i] != 0; i = (i + 1) & mask {
		if s.slots[i] == key {
			return true
		}
	}
	return false
}

// Add reports whether the key was absent.
func (s *Set) Add(key uint64) bool {
	if 2*s.count >= len(s.slots) {
		s.grow(s.count + 1)
	}
	mask, i := len(s.slots)-1, s.home(key)
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		if s.slots[i] == key {
			return false
		}
	}
	s.slots[i] = key
	s.count++
	return true
}

// Reserve makes place for so many more keys.
func (s *Set) Reserve(more int) {
	if 2*(s.count+more) > len(s.slots) {
		s.grow(s.count + more)
	}
}

func (s *Set) grow(count int) {
	size := slotsMin
	if count > slotsMin/2 {
		size = 1 << bits.Len(uint(2*count-1))
	}
	old := s.slots
	s.slots, s.shift, s.count = make([]uint64, size), 64-bits.TrailingZeros(uint(size)), 0
	for _, key := range old {
		if key != 0 {
			s.Add(key)
		}
	}
}

// Remove reports whether the key was there. It moves later keys up, so that no search meets a gap.
func (s *Set) Remove(key uint64) bool {
	if s.count == 0 {
		return false
	}
	mask, i := len(s.slots)-1, s.home(key)
	for ; s.slots[i] != key; i = (i + 1) & mask {
		if s.slots[i] == 0 {
			return false
		}
	}
	for next := (i + 1) & mask; s.slots[next] != 0; next = (next + 1) & mask {
		if (next-s.home(s.slots[next]))&mask >= (next-i)&mask {
			s.slots[i], i = s.slots[next], next
		}
	}
	s.slots[i] = 0
	s.count--
	return true
}

// Each calls the function for each key, in no particular order, until it returns false.
func (s *Set) Each(call func(key uint64) bool) {
	for _, key := range s.slots {
		if key != 0 && !call(key) {
			return
		}
	}
}
