// SPDX-License-Identifier: Apache-2.0

// Package wire writes and reads frames. Columns are copied as they are in memory; other messages go through the protobuf
// library.
package wire

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// isLittle: columns in memory have the byte order of the protocol.
var isLittle = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

// Equal compares two columns.
func Equal(a, b []uint32) bool {
	return len(a) == len(b) && string(rawWords(a)) == string(rawWords(b))
}

func rawWords(column []uint32) []byte {
	if len(column) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&column[0])), 4*len(column))
}

func rawFloats(column []float32) []byte {
	if len(column) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&column[0])), 4*len(column))
}

func appendWords(out []byte, column []uint32) []byte {
	if isLittle {
		return append(out, rawWords(column)...)
	}
	for _, value := range column {
		out = binary.LittleEndian.AppendUint32(out, value)
	}
	return out
}

func appendFloats(out []byte, column []float32) []byte {
	if isLittle {
		return append(out, rawFloats(column)...)
	}
	for _, value := range column {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(value))
	}
	return out
}

// readWords appends packed values to a column.
func readWords(column []uint32, data []byte) []uint32 {
	at, count := len(column), len(data)/4
	if cap(column) < at+count {
		column = append(make([]uint32, 0, at+count), column...)
	}
	column = column[:at+count]
	if isLittle {
		copy(rawWords(column[at:]), data)
		return column
	}
	for i := 0; i < count; i++ {
		column[at+i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return column
}

func readFloats(column []float32, data []byte) []float32 {
	at, count := len(column), len(data)/4
	if cap(column) < at+count {
		column = append(make([]float32, 0, at+count), column...)
	}
	column = column[:at+count]
	if isLittle {
		copy(rawFloats(column[at:]), data)
		return column
	}
	for i := 0; i < count; i++ {
		column[at+i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return column
}

func readLongs(column []uint64, data []byte) []uint64 {
	for ; len(data) > 0; data = data[8:] {
		column = append(column, binary.LittleEndian.Uint64(data))
	}
	return column
}
