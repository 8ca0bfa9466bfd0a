// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"encoding/binary"
	"math"
	"math/bits"
)

const (
	relaySlotsMax  = 1 << 24
	relayGroup     = 16
	relayZeros     = 4
	relayPredicted = 16
	axesMax        = 3
)

var relayWidths = [16]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24}

var errBlob = contradiction("the bytes are no blob of version 1 of the relay stream for these slots")

// Relay reads the relay stream (proto/RELAY.md). It has, for each slot and axis, the position in steps and the change
// that was sent last.
type Relay struct {
	axes, count int // slots below count have started
	scale       float64
	at, last    [axesMax][]int32
	slots       []uint32 // of the last blob
}

// NewRelay begins a stream whose first count slots are at 0.
func NewRelay(k, axes, count int) *Relay {
	r := &Relay{axes: axes, scale: math.Ldexp(1, k)}
	r.reserve(count)
	return r
}

func (r *Relay) reserve(count int) {
	if count <= r.count {
		return
	}
	r.count = count
	for axis := 0; axis < r.axes; axis++ {
		if more := count - len(r.at[axis]); more > 0 {
			r.at[axis] = append(r.at[axis], make([]int32, more)...)
			r.last[axis] = append(r.last[axis], make([]int32, more)...)
		}
	}
}

// Start starts a slot at the exact position of an enter or of an exact entry.
func (r *Relay) Start(slot uint32, place [axesMax]float32) error {
	if slot >= relaySlotsMax {
		return errBlob
	}
	r.reserve(int(slot) + 1)
	for axis := 0; axis < r.axes; axis++ {
		steps := math.Floor(float64(place[axis]) * r.scale)
		if !(math.Abs(steps) < 1<<30) {
			steps = 0
		}
		r.at[axis][slot], r.last[axis][slot] = int32(steps), 0
	}
	return nil
}

// Steps is the position of a slot that has started, in steps.
func (r *Relay) Steps(slot uint32) []int32 {
	found := make([]int32, r.axes)
	for axis := range found {
		found[axis] = r.at[axis][slot]
	}
	return found
}

// Place is the position of a slot that has started.
func (r *Relay) Place(slot uint32) (place [axesMax]float32) {
	for axis := 0; axis < r.axes; axis++ {
		place[axis] = float32(float64(r.at[axis][slot]) / r.scale)
	}
	return place
}

// reader reads the bytes of a blob before its zeros.
type reader struct {
	blob []byte
	at   int
	end  int
	bad  bool
}

func (r *reader) varint() int {
	value, shift := uint64(0), 0
	for ; shift < 35; shift += 7 {
		if r.at >= r.end {
			r.bad = true
			return 0
		}
		piece := r.blob[r.at]
		r.at++
		value |= uint64(piece&0x7f) << shift
		if piece < 0x80 {
			r.bad = r.bad || value>>32 != 0
			return int(value)
		}
	}
	r.bad = true
	return 0
}

// Read applies a blob, and returns the slots that it names, ascending, until the next call. After an error the state is
// of no use.
func (r *Relay) Read(blob []byte) ([]uint32, error) {
	from := reader{blob: blob, at: 1, end: len(blob) - relayZeros}
	if from.end < 3 || blob[0]&0x8f != 1 || binary.LittleEndian.Uint32(blob[from.end:]) != 0 {
		return nil, errBlob
	}
	r.slots = r.slots[:0]
	if !r.readSlots(&from, int(blob[0]>>5&3)) {
		return nil, errBlob
	}
	predicted := blob[0]&relayPredicted != 0
	for done := 0; done < len(r.slots); done += relayGroup {
		rest := r.slots[done:]
		if len(rest) > relayGroup {
			rest = rest[:relayGroup]
		}
		if !r.readGroup(&from, rest, predicted) {
			return nil, errBlob
		}
	}
	if from.at != from.end {
		return nil, errBlob
	}
	return r.slots, nil
}

func (r *Relay) readSlots(from *reader, kind int) bool {
	first, number := from.varint(), from.varint()
	if from.bad {
		return false
	}
	switch kind {
	case 0: // a run
		if first+number > r.count {
			return false
		}
		for slot := first; slot < first+number; slot++ {
			r.slots = append(r.slots, uint32(slot))
		}
		return true
	case 1: // a bitmap
		return r.readBitmap(from, first, number)
	case 2: // gaps
		for slot := first; number > 0; number-- {
			slot += from.varint()
			if from.bad || slot >= r.count {
				return false
			}
			r.slots = append(r.slots, uint32(slot))
			slot++
		}
		return true
	}
	for slot := first; number > 0; number-- { // spans
		slot += 8 * from.varint()
		size := from.varint()
		if from.bad || !r.readBitmap(from, slot, size) {
			return false
		}
		slot += 8 * size
	}
	return true
}

func (r *Relay) readBitmap(from *reader, first, size int) bool {
	if from.at+size > from.end {
		return false
	}
	for i, piece := range from.blob[from.at : from.at+size] {
		for ; piece != 0; piece &= piece - 1 {
			slot := first + 8*i + bits.TrailingZeros8(piece)
			if slot >= r.count {
				return false
			}
			r.slots = append(r.slots, uint32(slot))
		}
	}
	from.at += size
	return true
}

func (r *Relay) readGroup(from *reader, slots []uint32, predicted bool) bool {
	if from.at+r.axes-1 > from.end {
		return false
	}
	codes := [axesMax]byte{from.blob[from.at] & 15, from.blob[from.at] >> 4}
	if r.axes == axesMax {
		if codes[2] = from.blob[from.at+1]; codes[2] > 15 {
			return false
		}
	}
	from.at += r.axes - 1
	for axis := 0; axis < r.axes; axis++ {
		width := relayWidths[codes[axis]]
		size := (len(slots)*width + 7) / 8
		if from.at+size > from.end {
			return false
		}
		r.readValues(from.blob[from.at:], slots, axis, width, predicted)
		from.at += size
	}
	return true
}

// readValues reads values of one axis. The zeros at the end of a blob let it load 4 bytes anywhere.
func (r *Relay) readValues(data []byte, slots []uint32, axis, width int, predicted bool) {
	at, last, mask := r.at[axis], r.last[axis], uint32(1)<<width-1
	for i, slot := range slots {
		bit := i * width
		value := binary.LittleEndian.Uint32(data[bit>>3:]) >> (bit & 7) & mask
		change := int32(value>>1) ^ -int32(value&1)
		if predicted {
			change += last[slot]
		}
		last[slot] = change
		at[slot] += change
	}
}
