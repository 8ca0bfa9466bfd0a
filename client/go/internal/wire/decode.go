// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "quadrille.example/quadrille/quadrillev1"
)

// ErrMalformed: the bytes are not a frame of this protocol.
var ErrMalformed = errors.New("the bytes are no frame")

// Frame is one ServerFrame. Message is nil if the envelope is empty, or has a message of a later protocol.
type Frame struct {
	Seq     uint64
	Message proto.Message
}

// Decoder reads ServerFrames. The Tick or View of a frame is valid until the next one, and refers to the frame's bytes.
type Decoder struct {
	tick pb.Tick
	view pb.View
}

var serverTypes = func() map[protowire.Number]protoreflect.MessageType {
	found := map[protowire.Number]protoreflect.MessageType{}
	frame := (&pb.ServerFrame{}).ProtoReflect()
	fields := frame.Descriptor().Oneofs().ByName("message").Fields()
	for i := 0; i < fields.Len(); i++ {
		found[fields.Get(i).Number()] = frame.NewField(fields.Get(i)).Message().Type()
	}
	return found
}()

const (
	tickNumber protowire.Number = 7
	viewNumber protowire.Number = 15
)

// Decode reads a frame without its length.
func (d *Decoder) Decode(data []byte) (Frame, error) {
	var frame Frame
	for len(data) > 0 {
		number, kind, size := protowire.ConsumeTag(data)
		if size < 0 {
			return frame, malformed(protowire.ParseError(size))
		}
		data = data[size:]
		size = protowire.ConsumeFieldValue(number, kind, data)
		if size < 0 {
			return frame, malformed(protowire.ParseError(size))
		}
		if number == seqNumber && kind == protowire.VarintType {
			frame.Seq, _ = protowire.ConsumeVarint(data)
		} else if known := serverTypes[number]; known != nil && kind == protowire.BytesType {
			inner, _ := protowire.ConsumeBytes(data)
			if err := d.message(&frame, number, known, inner); err != nil {
				return frame, malformed(err)
			}
		}
		data = data[size:]
	}
	return frame, nil
}

func malformed(err error) error {
	return fmt.Errorf("%w: %v", ErrMalformed, err)
}

func (d *Decoder) message(frame *Frame, number protowire.Number, kind protoreflect.MessageType, data []byte) error {
	switch number {
	case tickNumber:
		frame.Message = &d.tick
		clearTick(&d.tick)
		return readFields(data, tickTarget{&d.tick})
	case viewNumber:
		frame.Message = &d.view
		clearView(&d.view)
		return readFields(data, viewTarget{&d.view})
	}
	frame.Message = kind.New().Interface()
	return proto.Unmarshal(data, frame.Message)
}

// target has a message's fields by their numbers. A field is at most one of these; the others are nil.
type target interface {
	words(number protowire.Number) *[]uint32
	floats(number protowire.Number) *[]float32
	longs(number protowire.Number) *[]uint64
	bytes(number protowire.Number) *[]byte
	set(number protowire.Number, value uint64)
}

var errColumn = errors.New("a column ends within a value")

func readFields(data []byte, to target) error {
	for len(data) > 0 {
		number, kind, size := protowire.ConsumeTag(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		size = protowire.ConsumeFieldValue(number, kind, data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		var err error
		switch kind {
		case protowire.VarintType:
			value, _ := protowire.ConsumeVarint(data)
			to.set(number, value)
		case protowire.BytesType:
			inner, _ := protowire.ConsumeBytes(data)
			err = readColumn(to, number, inner)
		case protowire.Fixed32Type, protowire.Fixed64Type:
			err = readColumn(to, number, data[:size]) // a value of a column that is not packed
		}
		if err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

func readColumn(to target, number protowire.Number, data []byte) error {
	if words := to.words(number); words != nil {
		if len(data)%4 != 0 {
			return errColumn
		}
		*words = readWords(*words, data)
	} else if floats := to.floats(number); floats != nil {
		if len(data)%4 != 0 {
			return errColumn
		}
		*floats = readFloats(*floats, data)
	} else if longs := to.longs(number); longs != nil {
		if len(data)%8 != 0 {
			return errColumn
		}
		*longs = readLongs(*longs, data)
	} else if bytes := to.bytes(number); bytes != nil {
		*bytes = data
	}
	return nil
}

func clearTick(t *pb.Tick) {
	t.Room, t.Tick, t.Reset_, t.Last, t.Skipped, t.Suspended, t.SuspendedCount = 0, 0, false, false, 0, false, 0
	t.MergedTicks, t.PassedLost, t.SuspendedReason, t.EndReason = 0, false, 0, nil
	for number := protowire.Number(8); number <= 16; number++ {
		if words := (tickTarget{t}).words(number); words != nil {
			*words = (*words)[:0]
		}
	}
}

type tickTarget struct{ *pb.Tick }

func (t tickTarget) words(number protowire.Number) *[]uint32 {
	switch number {
	case 8:
		return &t.EndA
	case 9:
		return &t.EndB
	case 11:
		return &t.BeginA
	case 12:
		return &t.BeginB
	case 13:
		return &t.StayA
	case 14:
		return &t.StayB
	case 15:
		return &t.PassedA
	case 16:
		return &t.PassedB
	}
	return nil
}

func (tickTarget) floats(protowire.Number) *[]float32 { return nil }
func (tickTarget) longs(protowire.Number) *[]uint64   { return nil }

func (t tickTarget) bytes(number protowire.Number) *[]byte {
	if number == 10 {
		return &t.EndReason
	}
	return nil
}

func (t tickTarget) set(number protowire.Number, value uint64) {
	switch number {
	case 1:
		t.Tick.Room = value
	case 2:
		t.Tick.Tick = value
	case 3:
		t.Reset_ = value != 0
	case 4:
		t.Last = value != 0
	case 5:
		t.Skipped = uint32(value)
	case 6:
		t.Suspended = value != 0
	case 7:
		t.SuspendedCount = value
	case 17:
		t.MergedTicks = value
	case 18:
		t.PassedLost = value != 0
	case 19:
		t.SuspendedReason = pb.SuspendReason(value)
	}
}

const viewFieldsMax protowire.Number = 46

func clearView(v *pb.View) {
	v.Room, v.Tick, v.Last, v.Reset_, v.ResetWatchers, v.Suspended = 0, 0, false, false, false, false
	v.MergedTicks, v.SuspendedReason, v.RelayPrecision = 0, 0, nil
	to := viewTarget{v}
	for number := protowire.Number(1); number <= viewFieldsMax; number++ {
		if words := to.words(number); words != nil {
			*words = (*words)[:0]
		} else if floats := to.floats(number); floats != nil {
			*floats = (*floats)[:0]
		} else if longs := to.longs(number); longs != nil {
			*longs = (*longs)[:0]
		} else if bytes := to.bytes(number); bytes != nil {
			*bytes = nil
		}
	}
}

type viewTarget struct{ v *pb.View }

func (t viewTarget) words(number protowire.Number) *[]uint32 {
	switch number {
	case 7:
		return &t.v.LeaveObserver
	case 8:
		return &t.v.LeaveId
	case 10:
		return &t.v.EnterObserver
	case 11:
		return &t.v.EnterId
	case 20:
		return &t.v.EnterCategory
	case 24:
		return &t.v.RelayObserver
	case 25:
		return &t.v.RelayId
	case 29:
		return &t.v.WatcherLeaveEntity
	case 31:
		return &t.v.WatcherLeaveObserver
	case 32:
		return &t.v.WatcherEnterEntity
	case 34:
		return &t.v.WatcherEnterObserver
	case 40:
		return &t.v.EnterSlot
	case 43:
		return &t.v.ExactSlot
	}
	return nil
}

func (t viewTarget) floats(number protowire.Number) *[]float32 {
	switch number {
	case 12:
		return &t.v.EnterX
	case 13:
		return &t.v.EnterY
	case 14:
		return &t.v.EnterZ
	case 15:
		return &t.v.EnterHalfX
	case 16:
		return &t.v.EnterHalfY
	case 17:
		return &t.v.EnterHalfZ
	case 18:
		return &t.v.EnterRadius
	case 26:
		return &t.v.RelayX
	case 27:
		return &t.v.RelayY
	case 28:
		return &t.v.RelayZ
	case 36:
		return &t.v.EnterAxisX
	case 37:
		return &t.v.EnterAxisY
	case 38:
		return &t.v.EnterAxisZ
	case 44:
		return &t.v.ExactX
	case 45:
		return &t.v.ExactY
	case 46:
		return &t.v.ExactZ
	}
	return nil
}

func (t viewTarget) longs(number protowire.Number) *[]uint64 {
	switch number {
	case 21:
		return &t.v.EnterTag
	case 30:
		return &t.v.WatcherLeaveSession
	case 33:
		return &t.v.WatcherEnterSession
	}
	return nil
}

func (t viewTarget) bytes(number protowire.Number) *[]byte {
	switch number {
	case 9:
		return &t.v.LeaveReason
	case 19:
		return &t.v.EnterShape
	case 22:
		return &t.v.EnterPayloadSize
	case 23:
		return &t.v.EnterPayload
	case 42:
		return &t.v.Relay
	}
	return nil
}

func (t viewTarget) set(number protowire.Number, value uint64) {
	switch number {
	case 1:
		t.v.Room = value
	case 2:
		t.v.Tick = value
	case 3:
		t.v.Last = value != 0
	case 4:
		t.v.Reset_ = value != 0
	case 5:
		t.v.ResetWatchers = value != 0
	case 6:
		t.v.Suspended = value != 0
	case 35:
		t.v.MergedTicks = value
	case 39:
		t.v.SuspendedReason = pb.SuspendReason(value)
	case 41:
		k := int32(protowire.DecodeZigZag(value & math.MaxUint32))
		t.v.RelayPrecision = &pb.View_RelayK{RelayK: k}
	}
}
