// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"sort"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// inOrder sorts the fields of an encoded message by their numbers, as other libraries write them. The protobuf library
// of Go writes members of oneofs last.
func inOrder(kind protoreflect.MessageDescriptor, data []byte) []byte {
	type field struct {
		number protowire.Number
		bytes  []byte
	}
	var fields []field
	for len(data) > 0 {
		number, _, size := protowire.ConsumeField(data)
		if size < 0 {
			return data // never: the library has written it
		}
		bytes := data[:size]
		if inner := kind.Fields().ByNumber(number); inner != nil && inner.Message() != nil {
			_, _, tag := protowire.ConsumeTag(bytes)
			content, _ := protowire.ConsumeBytes(bytes[tag:])
			ordered := inOrder(inner.Message(), append([]byte(nil), content...))
			copy(bytes[size-len(ordered):], ordered)
		}
		fields = append(fields, field{number, bytes})
		data = data[size:]
	}
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].number < fields[j].number })
	var out []byte
	for _, each := range fields {
		out = append(out, each.bytes...)
	}
	return out
}

// hasOneof: the message or one in it has a oneof.
func hasOneof(kind protoreflect.MessageDescriptor) bool {
	if kind.Oneofs().Len() > 0 {
		return true
	}
	for i := 0; i < kind.Fields().Len(); i++ {
		if inner := kind.Fields().Get(i).Message(); inner != nil && hasOneof(inner) {
			return true
		}
	}
	return false
}
