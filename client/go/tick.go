// SPDX-License-Identifier: Apache-2.0

package quadrille

// Pair is two entities that touch, A < B.
type Pair struct{ A, B uint32 }

// End is a pair that ended.
type End struct {
	A, B   uint32
	Reason EndReason // 0: by a reset
}

// Enter is an entity that an observer of this session sees now.
type Enter struct{ Observer, ID uint32 }

// Leave is an entity that an observer sees no longer.
type Leave struct {
	Observer, ID uint32
	Reason       LeaveReason // 0: by a reset
}

// Relay is the position of an entity in a view.
type Relay struct {
	Observer, ID uint32
	X, Y, Z      float32
}

// Tick has the changes up to a tick.
type Tick struct {
	Number uint64
	Reset  bool     // the set of pairs was replaced: Ends and Begins are the difference
	Late   []uint64 // in lockstep: sessions that did not step in time
	Ends   []End
	Begins []Pair
	Passed []Pair
	Stays  []Pair
	Leaves []Leave
	Enters []Enter
	Relays []Relay // if the room has a handler of relays or ticks, or somebody reads Ticks
}

func (t *Tick) isEmpty() bool {
	return !t.Reset && len(t.Ends)+len(t.Begins)+len(t.Passed)+len(t.Stays)+len(t.Leaves)+len(t.Enters)+
		len(t.Relays) == 0
}

// merge appends later changes.
func (t *Tick) merge(other *Tick) {
	t.Number, t.Reset = other.Number, t.Reset || other.Reset
	t.Ends, t.Begins = append(t.Ends, other.Ends...), append(t.Begins, other.Begins...)
	t.Passed, t.Stays = append(t.Passed, other.Passed...), append(t.Stays, other.Stays...)
	t.Leaves, t.Enters = append(t.Leaves, other.Leaves...), append(t.Enters, other.Enters...)
	t.Relays = append(t.Relays, other.Relays...)
}

// viewSink collects the changes of a View frame in a Tick.
type viewSink struct {
	*Tick
	wantsRelays bool
}

func (s viewSink) Leave(observer, id uint32, reason byte) {
	s.Leaves = append(s.Leaves, Leave{observer, id, LeaveReason(reason)})
}

func (s viewSink) Enter(observer, id uint32) {
	s.Enters = append(s.Enters, Enter{observer, id})
}

func (s viewSink) WantsRelays() bool {
	return s.wantsRelays
}

func (s viewSink) Relay(observer, id uint32, x, y, z float32) {
	s.Relays = append(s.Relays, Relay{observer, id, x, y, z})
}
