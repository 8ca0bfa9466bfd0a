// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"errors"
	"fmt"

	pb "quadrille.example/quadrille/quadrillev1"
)

// ErrContradiction: a frame contradicts what was folded, which a server never sends.
var ErrContradiction = errors.New("the frame contradicts those before it")

func contradiction(format string, values ...any) error {
	return fmt.Errorf("%w: %s", ErrContradiction, fmt.Sprintf(format, values...))
}

// Pairs is the set at the last tick; while a reset is on its way, that before it.
type Pairs struct {
	Known bool // it is the set of a whole tick
	now   *Set
	next  *Set // what a reset has brought so far
}

// Difference is what a reset has changed.
type Difference struct {
	Ended, Begun []uint64 // keys
}

// NewPairs is an unknown, empty set.
func NewPairs() *Pairs {
	return &Pairs{now: &Set{}}
}

// Set is the set to read.
func (p *Pairs) Set() *Set {
	return p.now
}

// InReset: the end of a reset is not there yet.
func (p *Pairs) InReset() bool {
	return p.next != nil
}

// Suspend forgets everything until a reset.
func (p *Pairs) Suspend() {
	p.next, p.Known = &Set{}, false
}

// Apply folds a frame that is no suspension. At the end of a reset it returns the difference. After ErrContradiction the
// set is unknown until a reset.
func (p *Pairs) Apply(frame *pb.Tick) (*Difference, error) {
	if frame.Reset_ {
		p.next = &Set{}
	} else if p.next == nil && !p.Known && len(frame.BeginA) == 0 && len(frame.EndA) == 0 {
		return nil, nil
	}
	set := p.now
	if p.next != nil {
		set = p.next
	}
	if err := change(set, frame); err != nil {
		p.Suspend()
		return nil, err
	}
	p.Known = frame.Last
	if p.next == nil || !p.Known {
		return nil, nil
	}
	before := p.now
	p.now, p.next = p.next, nil
	return &Difference{Ended: without(before, p.now), Begun: without(p.now, before)}, nil
}

func change(set *Set, frame *pb.Tick) error {
	if len(frame.EndA) != len(frame.EndB) || len(frame.BeginA) != len(frame.BeginB) ||
		len(frame.EndA) != len(frame.EndReason) {
		return contradiction("its columns differ in length")
	}
	for i, a := range frame.EndA {
		if !set.Remove(Key(a, frame.EndB[i])) {
			return contradiction("the pair %d, %d ends, and is not in the set", a, frame.EndB[i])
		}
	}
	set.Reserve(len(frame.BeginA))
	for i, a := range frame.BeginA {
		b := frame.BeginB[i]
		if a >= b || !set.Add(Key(a, b)) {
			return contradiction("the pair %d, %d begins, and is in the set or not in order", a, b)
		}
	}
	return nil
}

func without(set, other *Set) []uint64 {
	var found []uint64
	set.Each(func(key uint64) bool {
		if !other.Has(key) {
			found = append(found, key)
		}
		return true
	})
	return found
}
