// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/hex"

	quadrille "quadrille.example/quadrille"
)

// request makes the request of a command. It reports whether there is such a command.
func request(room *quadrille.Room, command string, f fields) bool {
	ids := f.words("id")
	switch command {
	case "spawn":
		room.Spawn(&quadrille.Spawn{Id: ids, X: f.floats("x"), Y: f.floats("y"), Z: f.floats("z"),
			HalfX: f.floats("half_x"), HalfY: f.floats("half_y"), HalfZ: f.floats("half_z"), Shape: f.bytes("shape"),
			Category: f.words("category"), Mask: f.words("mask"), RoomOwned: f["room_owned"] == "1",
			Radius: f.floats("radius"), AxisX: f.floats("axis_x"), AxisY: f.floats("axis_y"), AxisZ: f.floats("axis_z")})
	case "move":
		room.Move(ids, f.floats("x"), f.floats("y"), f.floats("z"))
	case "teleport":
		room.Teleport(ids, f.floats("x"), f.floats("y"), f.floats("z"))
	case "reshape":
		room.Reshape(&quadrille.Reshape{Id: ids, HalfX: f.floats("half_x"), HalfY: f.floats("half_y"),
			HalfZ: f.floats("half_z"), Shape: f.bytes("shape"), Category: f.words("category"), Mask: f.words("mask"),
			Radius: f.floats("radius"), AxisX: f.floats("axis_x"), AxisY: f.floats("axis_y"), AxisZ: f.floats("axis_z")})
	case "despawn":
		room.Despawn(ids...)
	case "describe":
		payload, _ := hex.DecodeString(f["payload"])
		room.Describe(&quadrille.Description{Id: ids, Tag: f.longs("tag"), Payload: payload,
			PayloadSize: f.bytes("payload_size"), VisibleRange: f.floats("visible_range"), Team: f.words("team"),
			Hidden: f.bytes("hidden")})
	case "hand_over":
		room.HandOver(ids, f.number("session"))
	default:
		return viewRequest(room, command, ids, f)
	}
	return true
}

func viewRequest(room *quadrille.Room, command string, ids []uint32, f fields) bool {
	switch command {
	case "subscribe":
		room.Subscribe(quadrille.Scope(f.number("scope")), f["stays"] == "1")
	case "unsubscribe":
		room.Unsubscribe()
	case "observe":
		room.Observe(&quadrille.Observe{Id: ids, Region: f.bytes("region"), Anchored: f.bytes("anchored"),
			Entity: f.words("entity"), X: f.floats("x"), Y: f.floats("y"), Z: f.floats("z"), Range: f.floats("range"),
			HalfX: f.floats("half_x"), HalfY: f.floats("half_y"), HalfZ: f.floats("half_z"),
			DirectionX: f.floats("direction_x"), DirectionY: f.floats("direction_y"),
			DirectionZ: f.floats("direction_z"), Angle: f.floats("angle"), LeaveMargin: f.floats("leave_margin"),
			Mask: f.words("mask"), Limit: f.words("limit"), EnterBudget: f.words("enter_budget"), Team: f.words("team"),
			SeesSelf: f.bytes("sees_self"), RelayRange: f.floats("relay_range"), RelayEvery: f.words("relay_every")})
	case "move_observers":
		room.MoveObservers(&quadrille.MoveObservers{Id: ids, X: f.floats("x"), Y: f.floats("y"), Z: f.floats("z"),
			DirectionX: f.floats("direction_x"), DirectionY: f.floats("direction_y"),
			DirectionZ: f.floats("direction_z")})
	case "unobserve":
		room.Unobserve(ids...)
	case "except":
		room.SetExceptions(uint32(f.number("observer")), f.words("show"), f.words("hide"))
	case "view_options":
		options := &quadrille.ViewOptions{BytesMax: uint32(f.number("bytes_max")),
			Watch: quadrille.Watch(f.number("watch")), RelayOnce: f["relay_once"] == "1"}
		if k := f.floats("relay_k"); len(k) > 0 {
			options.RelayPrecision = quadrille.RelayPrecision(int(k[0]))
		}
		room.SetViewOptions(options)
	default:
		return false
	}
	return true
}
