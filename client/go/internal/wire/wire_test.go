// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"math/rand"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "quadrille.example/quadrille/quadrillev1"
)

func withoutLength(t *testing.T, frame []byte) []byte {
	t.Helper()
	data, size := protowire.ConsumeBytes(frame)
	if size != len(frame) {
		t.Fatalf("the length of the frame is wrong: %x", frame)
	}
	return data
}

func TestMovesAreWhatTheLibraryEncodes(t *testing.T) {
	move := &pb.Move{Room: 300, Id: []uint32{1, 1<<32 - 1}, X: []float32{0.5, -1.25}, Y: []float32{1, 2}, Z: []float32{3, 4}}
	expected, _ := proto.Marshal(&pb.ClientFrame{Seq: 7, Message: &pb.ClientFrame_Move{Move: move}})
	if found := withoutLength(t, Append(nil, 7, move, false)); !bytes.Equal(found, expected) {
		t.Errorf("Move is %x; must be %x", found, expected)
	}
	roster := &pb.MoveRoster{Room: 300, Roster: 5, X: move.X, Y: move.Y, Z: move.Z}
	expected, _ = proto.Marshal(&pb.ClientFrame{Seq: 1 << 40, Message: &pb.ClientFrame_MoveRoster{MoveRoster: roster}})
	if found := withoutLength(t, AppendMoveRoster(nil, 1<<40, 5, move)); !bytes.Equal(found, expected) {
		t.Errorf("MoveRoster is %x; must be %x", found, expected)
	}
}

func TestDecodedTickIsThatOfTheLibrary(t *testing.T) {
	tick := &pb.Tick{Room: 1, Tick: 1 << 60, Last: true, BeginA: []uint32{1, 2}, BeginB: []uint32{3, 4}}
	data, _ := proto.Marshal(&pb.ServerFrame{Message: &pb.ServerFrame_Tick{Tick: tick}})
	var decoder Decoder
	for turn := 0; turn < 2; turn++ { // nothing is left of the frame before
		frame, err := decoder.Decode(data)
		if err != nil || !proto.Equal(frame.Message, tick) {
			t.Fatalf("the message is %v, %v; must be %v", frame.Message, err, tick)
		}
	}
}

func TestUnpackedAndSplitColumnsDecode(t *testing.T) {
	column := []byte("\x5d\x01\x00\x00\x00\x5a\x04\x02\x00\x00\x00\x5a\x04\x03\x00\x00\x00") // field 11: one, then packed
	var decoder Decoder
	frame, err := decoder.Decode(append([]byte{0x3a, byte(len(column))}, column...))
	if err != nil || !reflect.DeepEqual(frame.Message.(*pb.Tick).BeginA, []uint32{1, 2, 3}) {
		t.Errorf("the message is %v, %v", frame.Message, err)
	}
}

func TestUnknownFieldsAndMessagesAreSkipped(t *testing.T) {
	pong, _ := proto.Marshal(&pb.ServerFrame{Seq: 3, Message: &pb.ServerFrame_Pong{Pong: &pb.Pong{Data: 9}}})
	var decoder Decoder
	frame, err := decoder.Decode(append(append([]byte("\xf8\x7f\x05"), pong...), "\xfa\x7f\x01x"...))
	if err != nil || frame.Seq != 3 || frame.Message.(*pb.Pong).Data != 9 {
		t.Errorf("the frame is %v, %v", frame, err)
	}
}

func TestBrokenBytesAreMalformed(t *testing.T) {
	whole, _ := proto.Marshal(&pb.ServerFrame{Seq: 3, Message: &pb.ServerFrame_View{View: &pb.View{Room: 1,
		EnterObserver: []uint32{1}, EnterId: []uint32{2}, EnterX: []float32{3}, EnterTag: []uint64{4}}}})
	random := rand.New(rand.NewSource(1))
	var decoder Decoder
	for i := 0; i < 20000; i++ {
		data := append([]byte(nil), whole[:random.Intn(len(whole)+1)]...)
		if len(data) > 0 {
			data[random.Intn(len(data))] = byte(random.Intn(256))
		}
		if _, err := decoder.Decode(data); err != nil && !errors.Is(err, ErrMalformed) {
			t.Fatalf("%x: %v", data, err)
		}
	}
	for size := 3; size < len(whole); size++ {
		if _, err := decoder.Decode(whole[:size]); err == nil {
			t.Errorf("%d of %d bytes are a frame", size, len(whole))
		}
	}
}

func TestStreamInAnyPiecesGivesTheSameFrames(t *testing.T) {
	var frames [][]byte
	var stream []byte
	for i, size := range []int{0, 1, 127, 128, 5000, 200000} {
		frames = append(frames, bytes.Repeat([]byte{byte(i)}, size))
		stream = protowire.AppendBytes(stream, frames[i])
	}
	for _, piece := range []int{1, 3, 128, 4096, len(stream)} {
		var splitter Splitter
		found := 0
		for at := 0; at < len(stream); {
			count := copy(splitter.Space(), stream[at:smaller(at+piece, len(stream))])
			splitter.Filled(count)
			at += count
			for {
				frame, is, err := splitter.Next()
				if err != nil {
					t.Fatal(err)
				}
				if !is {
					break
				}
				if !bytes.Equal(frame, frames[found]) {
					t.Fatalf("frame %d is another one", found)
				}
				found++
			}
		}
		if found != len(frames) {
			t.Errorf("%d frames; must be %d", found, len(frames))
		}
	}
}

func smaller(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func TestFrameAboveTheLimitIsMalformed(t *testing.T) {
	for _, length := range [][]byte{protowire.AppendVarint(nil, FrameBytesMax+1), bytes.Repeat([]byte{0xff}, 6)} {
		var splitter Splitter
		splitter.Filled(copy(splitter.Space(), length))
		if _, _, err := splitter.Next(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%x: %v", length, err)
		}
	}
}
