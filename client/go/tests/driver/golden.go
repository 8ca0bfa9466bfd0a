// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"quadrille.example/quadrille/internal/fold"
	"quadrille.example/quadrille/internal/wire"
	pb "quadrille.example/quadrille/quadrillev1"
)

// golden plays the golden vectors. It encodes and decodes with the code of the SDK's connections.
type golden struct {
	decoder wire.Decoder
	relay   *fold.Relay
}

func (g *golden) carryOut(out io.Writer, command string, words []string) (string, error) {
	switch command {
	case "encode":
		return "", g.encode(out, words)
	case "decode":
		return "", g.decode(out, strings.Join(words, ""))
	}
	return "", g.relayCommand(out, words)
}

// ---- the relay stream ----

func (g *golden) relayCommand(out io.Writer, words []string) error {
	numbers := make([]int, len(words))
	for i, word := range words {
		numbers[i], _ = strconv.Atoi(word)
	}
	switch words[0] {
	case "state":
		g.relay = fold.NewRelay(numbers[2], numbers[1], numbers[3])
	case "start":
		var place [3]float32
		for i, word := range words[2:] {
			bits, err := strconv.ParseUint(word, 16, 32)
			if err != nil {
				return err
			}
			place[i] = math.Float32frombits(uint32(bits))
		}
		return g.relay.Start(uint32(numbers[1]), place)
	case "blob":
		blob, err := hex.DecodeString(strings.Join(words[1:], ""))
		if err != nil {
			return err
		}
		if _, err := g.relay.Read(blob); err != nil {
			return fmt.Errorf("refused")
		}
	case "at":
		fmt.Fprintf(out, "at %s", words[1])
		for _, steps := range g.relay.Steps(uint32(numbers[1])) {
			fmt.Fprintf(out, " %d", steps)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// ---- frames ----

func (g *golden) decode(out io.Writer, text string) error {
	data, err := hex.DecodeString(text)
	if err != nil {
		return err
	}
	frame, err := g.decoder.Decode(data)
	if err != nil {
		return err
	}
	if frame.Seq != 0 {
		fmt.Fprintf(out, "seq=%d\n", frame.Seq)
	}
	if frame.Message != nil {
		name := serverName(frame.Message)
		fmt.Fprintf(out, "%s={}\n", name)
		printMessage(out, frame.Message.ProtoReflect(), name)
	}
	return nil
}

func serverName(message proto.Message) string {
	fields := (&pb.ServerFrame{}).ProtoReflect().Descriptor().Oneofs().ByName("message").Fields()
	for i := 0; i < fields.Len(); i++ {
		if fields.Get(i).Message() == message.ProtoReflect().Descriptor() {
			return string(fields.Get(i).Name())
		}
	}
	return ""
}

func printMessage(out io.Writer, message protoreflect.Message, path string) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		name := path + "." + string(field.Name())
		switch {
		case field.IsList() && field.Message() != nil:
			list := value.List()
			fmt.Fprintf(out, "%s=%s\n", name, strings.TrimSuffix(strings.Repeat("{},", list.Len()), ","))
			for i := 0; i < list.Len(); i++ {
				printMessage(out, list.Get(i).Message(), fmt.Sprintf("%s[%d]", name, i))
			}
		case field.IsList():
			texts := make([]string, value.List().Len())
			for i := range texts {
				texts[i] = textOf(field, value.List().Get(i))
			}
			fmt.Fprintf(out, "%s=%s\n", name, strings.Join(texts, ","))
		case field.Message() != nil:
			fmt.Fprintf(out, "%s={}\n", name)
			printMessage(out, value.Message(), name)
		default:
			fmt.Fprintf(out, "%s=%s\n", name, textOf(field, value))
		}
		return true
	})
}

func textOf(field protoreflect.FieldDescriptor, value protoreflect.Value) string {
	switch field.Kind() {
	case protoreflect.EnumKind:
		return string(field.Enum().Values().ByNumber(value.Enum()).Name())
	case protoreflect.StringKind:
		return hex.EncodeToString([]byte(value.String()))
	case protoreflect.BytesKind:
		return hex.EncodeToString(value.Bytes())
	case protoreflect.FloatKind:
		return strconv.FormatFloat(value.Float(), 'g', -1, 32)
	case protoreflect.DoubleKind:
		return strconv.FormatFloat(value.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(value.Interface())
}

func (g *golden) encode(out io.Writer, words []string) error {
	frame := &pb.ClientFrame{}
	for _, word := range words {
		path, text, _ := strings.Cut(word, "=")
		if err := set(frame.ProtoReflect(), strings.Split(path, "."), text); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
	}
	var data []byte
	var err error
	kind := frame.ProtoReflect().WhichOneof(frame.ProtoReflect().Descriptor().Oneofs().ByName("message"))
	if kind == nil {
		data, err = proto.Marshal(frame)
	} else {
		message := frame.ProtoReflect().Get(kind).Message().Interface()
		data = wire.Append(nil, frame.Seq, message, frame.Confirm)
		_, size := protowire.ConsumeVarint(data)
		data = data[size:]
	}
	fmt.Fprintf(out, "frame %x\n", data)
	return err
}

// set sets the field at a path.
func set(message protoreflect.Message, path []string, text string) error {
	field := message.Descriptor().Fields().ByName(protoreflect.Name(path[0]))
	switch {
	case field == nil:
		return fmt.Errorf("there is no field %s", path[0])
	case len(path) > 1:
		return set(message.Mutable(field).Message(), path[1:], text)
	case field.Message() != nil:
		message.Mutable(field)
		return nil
	case field.IsList():
		for _, each := range strings.Split(text, ",") {
			value, err := parse(field, each)
			if err != nil {
				return err
			}
			message.Mutable(field).List().Append(value)
		}
		return nil
	}
	value, err := parse(field, text)
	if err == nil {
		message.Set(field, value)
	}
	return err
}

func parse(field protoreflect.FieldDescriptor, text string) (protoreflect.Value, error) {
	switch field.Kind() {
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(field.Enum().Values().ByName(protoreflect.Name(text)).Number()), nil
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(text == "true"), nil
	case protoreflect.StringKind:
		data, err := hex.DecodeString(text)
		return protoreflect.ValueOfString(string(data)), err
	case protoreflect.BytesKind:
		data, err := hex.DecodeString(text)
		return protoreflect.ValueOfBytes(data), err
	case protoreflect.FloatKind:
		value, err := strconv.ParseFloat(text, 32)
		return protoreflect.ValueOfFloat32(float32(value)), err
	case protoreflect.DoubleKind:
		value, err := strconv.ParseFloat(text, 64)
		return protoreflect.ValueOfFloat64(value), err
	case protoreflect.Sint32Kind:
		value, err := strconv.ParseInt(text, 10, 32)
		return protoreflect.ValueOfInt32(int32(value)), err
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		value, err := strconv.ParseUint(text, 10, 32)
		return protoreflect.ValueOfUint32(uint32(value)), err
	}
	value, err := strconv.ParseUint(text, 10, 64)
	return protoreflect.ValueOfUint64(value), err
}
