// SPDX-License-Identifier: Apache-2.0

// Package columns treats the columns of any batch alike: it checks, copies and cuts them.
package columns

import (
	"fmt"
	"reflect"
	"strings"

	"google.golang.org/protobuf/proto"
)

// Tiers of relay and payloads have a length of their own.
var own = map[string]bool{"RelayRange": true, "RelayEvery": true, "Payload": true, "Show": true, "Hide": true}

// IDs are the ids of a batch; nil for other messages.
func IDs(message proto.Message) []uint32 {
	if batch, ok := message.(interface{ GetId() []uint32 }); ok {
		return batch.GetId()
	}
	return nil
}

// SetRoom sets the field room.
func SetRoom(message proto.Message, room uint64) {
	if field := reflect.ValueOf(message).Elem().FieldByName("Room"); field.IsValid() {
		field.SetUint(room)
	}
}

// Own is a copy of a request that shares nothing with it. A column with one value gets that value for each id.
func Own(message proto.Message) (proto.Message, error) {
	count := len(IDs(message))
	return each(message, func(name string, column reflect.Value) (reflect.Value, error) {
		size := column.Len()
		if own[name] || size == count || size == 0 || name == "Id" {
			return cut(column, 0, size), nil
		}
		if size != 1 {
			return column, fmt.Errorf("%s has %d values; must be %d, one per id, or 1 for all", snake(name), size, count)
		}
		spread := reflect.MakeSlice(column.Type(), count, count)
		for done := reflect.Copy(spread, column); done < count; {
			done += reflect.Copy(spread.Slice(done, count), spread.Slice(0, done))
		}
		return spread, nil
	})
}

// Rows is a batch of the entries from begin to end of another one.
func Rows(message proto.Message, begin, end int) proto.Message {
	payloads := reflect.ValueOf(message).Elem().FieldByName("PayloadSize")
	from, to := 0, 0
	if payloads.IsValid() {
		for i, size := range payloads.Bytes() {
			if i < begin {
				from += int(size)
			}
			if i < end {
				to += int(size)
			}
		}
	}
	part, _ := each(message, func(name string, column reflect.Value) (reflect.Value, error) {
		switch {
		case name == "Payload":
			return cut(column, from, to), nil
		case own[name] || column.Len() == 0:
			return column, nil
		}
		return cut(column, begin, end), nil
	})
	return part
}

// RowBytes is what one entry of a batch takes in a frame, without its payload.
func RowBytes(message proto.Message) int {
	bytes := 0
	value := reflect.ValueOf(message).Elem()
	for i := 0; i < value.NumField(); i++ {
		field := value.Type().Field(i)
		if field.IsExported() && field.Type.Kind() == reflect.Slice && !own[field.Name] && value.Field(i).Len() > 0 {
			bytes += int(field.Type.Elem().Size())
		}
	}
	return bytes
}

// each is a message whose columns come from the function, and whose other fields are those of the given one.
func each(message proto.Message, column func(string, reflect.Value) (reflect.Value, error)) (proto.Message, error) {
	from := reflect.ValueOf(message).Elem()
	to := reflect.New(from.Type())
	for i := 0; i < from.NumField(); i++ {
		field := from.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		value := from.Field(i)
		if field.Type.Kind() == reflect.Slice {
			var err error
			if value, err = column(field.Name, value); err != nil {
				return nil, err
			}
		}
		to.Elem().Field(i).Set(value)
	}
	return to.Interface().(proto.Message), nil
}

// cut copies a part of a column.
func cut(column reflect.Value, begin, end int) reflect.Value {
	if begin == end {
		return reflect.Zero(column.Type())
	}
	part := reflect.MakeSlice(column.Type(), end-begin, end-begin)
	reflect.Copy(part, column.Slice(begin, end))
	return part
}

// snake is the name in quadrille.proto of a field in Go.
func snake(name string) string {
	var out strings.Builder
	for i, letter := range name {
		if letter >= 'A' && letter <= 'Z' {
			if i > 0 {
				out.WriteByte('_')
			}
			letter += 'a' - 'A'
		}
		out.WriteRune(letter)
	}
	return out.String()
}
