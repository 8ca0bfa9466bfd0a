// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "quadrille.example/quadrille/quadrillev1"
)

const (
	seqNumber     protowire.Number = 1
	confirmNumber protowire.Number = 31
	moveNumber    protowire.Number = 8
	rosterNumber  protowire.Number = 30
)

// clientField is how ClientFrame has a message.
type clientField struct {
	protoreflect.FieldDescriptor
	hasOneof bool
}

var clientFields = func() map[protoreflect.FullName]clientField {
	found := map[protoreflect.FullName]clientField{}
	fields := (&pb.ClientFrame{}).ProtoReflect().Descriptor().Oneofs().ByName("message").Fields()
	for i := 0; i < fields.Len(); i++ {
		kind := fields.Get(i).Message()
		found[kind.FullName()] = clientField{fields.Get(i), hasOneof(kind)}
	}
	return found
}()

// Name is the name of a request in ClientFrame, such as "set_roster".
func Name(message proto.Message) string {
	return string(clientFields[message.ProtoReflect().Descriptor().FullName()].Name())
}

// Append adds the frame of a message of ClientFrame, behind its length.
func Append(out []byte, seq uint64, message proto.Message, confirm bool) []byte {
	if move, ok := message.(*pb.Move); ok {
		return AppendMove(out, seq, move, confirm)
	}
	field := clientFields[message.ProtoReflect().Descriptor().FullName()]
	number, size := field.Number(), proto.Size(message)
	out = appendEnvelope(out, seq, number, size, confirm)
	start := len(out)
	out, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(out, message)
	if err != nil {
		panic(err) // a string that is not UTF-8, which the callers refuse
	}
	if field.hasOneof {
		out = append(out[:start], inOrder(field.Message(), append([]byte(nil), out[start:]...))...)
	}
	return appendConfirm(out, number, confirm)
}

// appendEnvelope adds everything in front of the message, whose size is known. Fields go by their numbers.
func appendEnvelope(out []byte, seq uint64, number protowire.Number, size int, confirm bool) []byte {
	head := 0
	if seq != 0 {
		head += 1 + protowire.SizeVarint(seq)
	}
	if confirm {
		head += 3
	}
	head += protowire.SizeTag(number) + protowire.SizeBytes(size)
	out = protowire.AppendVarint(out, uint64(head))
	if seq != 0 {
		out = protowire.AppendTag(out, seqNumber, protowire.VarintType)
		out = protowire.AppendVarint(out, seq)
	}
	if confirm && number > confirmNumber {
		out = appendTrue(out)
	}
	out = protowire.AppendTag(out, number, protowire.BytesType)
	return protowire.AppendVarint(out, uint64(size))
}

func appendConfirm(out []byte, number protowire.Number, confirm bool) []byte {
	if confirm && number < confirmNumber {
		return appendTrue(out)
	}
	return out
}

func appendTrue(out []byte) []byte {
	return append(protowire.AppendTag(out, confirmNumber, protowire.VarintType), 1)
}

// AppendMove adds the frame of a Move without looking at each entity.
func AppendMove(out []byte, seq uint64, move *pb.Move, confirm bool) []byte {
	size := sizeNumber(move.Room) + sizeColumn(len(move.Id)) + sizePlaces(move.X, move.Y, move.Z)
	out = appendEnvelope(out, seq, moveNumber, size, confirm)
	out = appendNumber(out, 1, move.Room)
	if len(move.Id) > 0 {
		out = appendHead(out, 2, len(move.Id))
		out = appendWords(out, move.Id)
	}
	out = appendPlaces(out, 3, move.X, move.Y, move.Z)
	return appendConfirm(out, moveNumber, confirm)
}

// AppendMoveRoster adds the frame of the same positions as a MoveRoster.
func AppendMoveRoster(out []byte, seq uint64, roster int, move *pb.Move) []byte {
	size := sizeNumber(move.Room) + sizeNumber(uint64(roster)) + sizePlaces(move.X, move.Y, move.Z)
	out = appendEnvelope(out, seq, rosterNumber, size, false)
	out = appendNumber(out, 1, move.Room)
	out = appendNumber(out, 2, uint64(roster))
	return appendPlaces(out, 4, move.X, move.Y, move.Z)
}

// The field numbers here are all below 16, so a tag has one byte.

func sizeNumber(value uint64) int {
	if value == 0 {
		return 0
	}
	return 1 + protowire.SizeVarint(value)
}

func sizeColumn(count int) int {
	if count == 0 {
		return 0
	}
	return 1 + protowire.SizeBytes(4*count)
}

func sizePlaces(x, y, z []float32) int {
	return sizeColumn(len(x)) + sizeColumn(len(y)) + sizeColumn(len(z))
}

func appendNumber(out []byte, number protowire.Number, value uint64) []byte {
	if value == 0 {
		return out
	}
	return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), value)
}

func appendHead(out []byte, number protowire.Number, count int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.BytesType), uint64(4*count))
}

func appendPlaces(out []byte, number protowire.Number, x, y, z []float32) []byte {
	for i, column := range [][]float32{x, y, z} {
		if len(column) > 0 {
			out = appendHead(out, number+protowire.Number(i), len(column))
			out = appendFloats(out, column)
		}
	}
	return out
}
