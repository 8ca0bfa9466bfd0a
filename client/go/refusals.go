// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"time"

	"google.golang.org/protobuf/proto"

	"quadrille.example/quadrille/internal/wire"
	pb "quadrille.example/quadrille/quadrillev1"
)

// commands are the names of requests that have another name in quadrille.proto.
var commands = map[string]string{"open_room": "open", "leave_room": "leave", "close_room": "close",
	"set_description": "describe", "set_view_options": "view_options", "get_snapshot": "snapshot", "get_stats": "stats"}

func commandOf(message proto.Message) string {
	name := wire.Name(message)
	if other := commands[name]; other != "" {
		return other
	}
	return name
}

func (r *Room) accepted(e *entry, m *pb.Accepted) {
	if len(m.RefusedIndex) > 0 {
		r.collectRefused(e, m)
		if m.Text != "" {
			e.text = m.Text
		}
	} else if isAnswered(e.message) {
		r.done(e, m.Tick) // Subscribe and Unsubscribe
	}
	if m.Last && len(e.collected) > 0 {
		r.refuse(e, e.collected[0].Code, e.text, e.collected)
	} else {
		e.accept()
	}
}

// collectRefused collects the refused entries that are the program's fault.
func (r *Room) collectRefused(e *entry, m *pb.Accepted) {
	if e.refused == nil {
		e.refused = map[int]bool{}
	}
	ids := e.ids()
	for i, word := range m.RefusedIndex {
		index := int(word)
		if i >= len(m.RefusedCode) {
			return
		}
		e.refused[index] = true
		entry := RefusedEntry{Index: e.first + index, Code: ErrorCode(m.RefusedCode[i])}
		if index < len(ids) {
			entry.ID = ids[index]
		}
		if i < len(m.RefusedField) {
			entry.Field = int(m.RefusedField[i])
		}
		if !r.passes(e, index, entry) {
			e.collected = append(e.collected, entry)
		}
	}
}

// passes: the refusal follows from a lost connection, because an earlier session of the server still has the id.
func (r *Room) passes(e *entry, index int, refused RefusedEntry) bool {
	spawn, isSpawn := e.message.(*pb.Spawn)
	if isSpawn && refused.Code == CodeIDTaken && (e.restores || e.retried) {
		if spawn.RoomOwned {
			return true // another session has restored it
		}
		if !time.Now().Before(r.giveUpAt) {
			r.kept.Remove([]uint32{refused.ID})
			return false
		}
		r.isMissing = true
		r.kept.Miss(spawn, index)
		return true
	}
	if observe, ok := e.message.(*pb.Observe); ok {
		return index < len(observe.Entity) && r.kept.IsMissing(observe.Entity[index])
	}
	return r.kept.IsMissing(refused.ID)
}

func (r *Room) refuse(e *entry, code ErrorCode, text string, entries []RefusedEntry) {
	refusal := &Refusal{Room: r.name, Command: commandOf(e.message), Code: code, Text: text, Entries: entries}
	if e.request != nil {
		e.request.refusal = refusal
	}
	e.fail(&RefusedError{*refusal})
	_, opens := e.message.(*pb.OpenRoom)
	_, adopts := e.message.(*pb.Adopt)
	if !(opens || adopts) || !e.restores {
		r.session.report(refusal)
	}
}

// refused: the whole request is refused.
func (r *Room) refused(e *entry, m *pb.Error) {
	switch message := e.message.(type) {
	case *pb.Step:
		if r.stepPasses(e, m.Code, m.TickDue) {
			return
		}
	case *pb.GetSnapshot:
		if e.restores {
			e.collect(&pb.SnapshotResult{}, true) // nothing is known of the earlier entities
			return
		}
	case *pb.Move:
		if e.roster != noRoster && m.Code == CodeUnknownRoster {
			e.roster = noRoster
			r.forgetRosters()
			r.sendLast(e)
			return
		}
	case *pb.SetRoster:
		r.drop(e)
		r.forgetRosters() // moves by them come again by ids
		return
	case *pb.SetExceptions:
		if m.Code == CodeUnknownObserver && r.kept.WaitsForAnchor(message.Observer) {
			r.done(e, r.tick)
			return
		}
	}
	if e.answer == nil {
		r.drop(e)
	}
	r.refuse(e, m.Code, m.Text, nil)
}

// stepPasses: the program need not know that its Step was refused.
func (r *Room) stepPasses(e *entry, code ErrorCode, due uint64) bool {
	if code != CodeWrongTick && code != CodeTickOver {
		return false
	}
	if due > 0 && r.tick < due-1 {
		r.tick = due - 1
	}
	if e.retried && due > e.step {
		r.done(e, e.step) // an earlier connection had carried it out
		return true
	}
	if code == CodeWrongTick && !r.lockstep && due > 0 {
		r.stepTick, e.step = due, due // another session has stepped
		r.sendLast(e)
		return true
	}
	return false
}
