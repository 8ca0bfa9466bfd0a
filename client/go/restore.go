// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"

	pb "quadrille.example/quadrille/quadrillev1"
)

const (
	respawnTime  = 50 * time.Millisecond
	respawnGrace = 2 * time.Second
	snapshotMax  = 1 << 20
	holdersMax   = 8
)

// restoring opens a room, and brings it to its kept state in a new session of the server. With a token it first takes
// over the entities that earlier sessions have left there. It goes on across connections that resume, and is canceled
// otherwise.
type restoring struct {
	canceled bool
}

func (r *Room) startRestore() {
	job := &restoring{}
	r.restorer = job
	go func() {
		r.session.lock()
		defer r.session.unlock()
		err := r.restore(job)
		if job.canceled {
			return
		}
		r.restorer = nil
		var refused *RefusedError
		switch {
		case errors.As(err, &refused):
			r.refusal = &refused.Refusal
			r.session.report(r.refusal)
			r.end(refused)
		case err == nil:
			r.isReady = true
			r.holders = []uint64{r.session.number}
			r.replay()
			r.session.notify()
		}
	}()
}

func (r *Room) openRequest() *pb.OpenRoom {
	return &pb.OpenRoom{Name: r.name, Config: r.config}
}

// ask sends one of the requests that restore the room.
func (r *Room) ask(job *restoring, message proto.Message) ([]proto.Message, error) {
	if job.canceled {
		return nil, errRestarted
	}
	frames, err := r.session.call(context.Background(), r, message, job)
	if err == nil && job.canceled {
		err = errRestarted
	}
	return frames, err
}

// sleep waits without the mutex.
func (r *Room) sleep(job *restoring, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	_ = r.session.until(ctx, func() bool { return job.canceled || r.closed != nil })
	if job.canceled || r.closed != nil {
		return errRestarted
	}
	return nil
}

func (r *Room) restore(job *restoring) error {
	opened, err := r.askOpen(job)
	if err != nil {
		return err
	}
	first, fresh := !r.opened, !r.opened || r.epoch != opened.Epoch
	r.enter(opened)
	if !fresh {
		r.stepsOver(opened.Tick)
	}
	r.tick, r.stepTick = opened.Tick, opened.Tick
	if fresh {
		r.holders = nil
	}
	present, err := r.takeOver(job, first)
	if err != nil {
		return err
	}
	if more := len(r.holders) - (holdersMax - 1); more > 0 {
		r.holders = r.holders[more:]
	}
	r.holders = append(r.holders, r.session.number)
	r.isMissing = false
	r.kept.ClearMissing()
	grace := time.Duration(opened.GetConfig().GetGraceMs()) * time.Millisecond
	r.giveUpAt = time.Now().Add(r.session.resumeTime + grace + respawnGrace)
	for _, message := range r.kept.Requests(present, fresh, r.hasZ) {
		r.restoreRequest(message)
	}
	// The answer comes after all refusals.
	if _, err := r.ask(job, r.openRequest()); err != nil {
		return err
	}
	for r.isMissing {
		if err := r.sleep(job, respawnTime); err != nil {
			return err
		}
		if err := r.respawn(job); err != nil {
			return err
		}
	}
	return nil
}

// enter: the server has opened the room.
func (r *Room) enter(opened *pb.RoomOpened) {
	config := opened.GetConfig()
	r.handle, r.opened, r.epoch = opened.Room, true, opened.Epoch
	r.steps = config.GetTickMode() == TickModeStep
	r.lockstep, r.hasZ = config.GetWriters() > 0, config.GetDimensions() == 3
	r.session.byHandle[r.handle] = r
}

func (r *Room) askOpen(job *restoring) (*pb.RoomOpened, error) {
	for {
		answer, err := r.ask(job, r.openRequest())
		if err == nil {
			return answer[0].(*pb.RoomOpened), nil
		}
		var refused *RefusedError
		if !errors.As(err, &refused) {
			return nil, err
		}
		if refused.Code != CodeLimit && !(r.opened && refused.Code == CodeUnknownRoom) {
			return nil, err
		}
		if err := r.sleep(job, r.session.options.BackoffMax/4); err != nil {
			return nil, err
		}
	}
}

// takeOver adopts from earlier sessions. It returns the ids of own entities that are in the room.
func (r *Room) takeOver(job *restoring, first bool) (map[uint32]bool, error) {
	s := r.session
	if s.options.Token == "" {
		return nil, nil
	}
	var holders []uint64
	if first && s.options.Adopt {
		holders = append(holders, 0)
	}
	for _, holder := range r.holders {
		if holder != s.number {
			holders = append(holders, holder)
		}
	}
	if len(holders) == 0 {
		return nil, nil
	}
	for _, holder := range holders {
		if err := r.adopt(job, holder); err != nil {
			return nil, err
		}
	}
	frames, err := r.ask(job, &pb.GetSnapshot{Limit: snapshotMax, Own: true})
	if err != nil {
		return nil, err
	}
	present := map[uint32]bool{}
	for _, frame := range frames {
		for _, id := range frame.(*pb.SnapshotResult).Id {
			present[id] = true
		}
	}
	return present, nil
}

// adopt takes from that session; 0: from all that have ended.
func (r *Room) adopt(job *restoring, holder uint64) error {
	frames, err := r.ask(job, &pb.Adopt{Session: holder})
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		if holder == 0 {
			r.session.report(&refused.Refusal)
		}
		return nil // otherwise the session may be gone for long
	case err != nil:
		return err
	}
	for _, frame := range frames {
		if holder == 0 {
			handed := frame.(*pb.HandedOver)
			r.handedOver(handed)
			r.adopted = append(r.adopted, handed.Id...)
		}
	}
	return nil
}

// respawn spawns entities again whose ids an earlier session of the server still had.
func (r *Room) respawn(job *restoring) error {
	if _, err := r.takeOver(job, false); err != nil {
		return err
	}
	r.isMissing = false
	requests := r.kept.MissingRequests(r.hasZ)
	r.kept.ClearMissing() // unless it is refused again
	for _, message := range requests {
		r.restoreRequest(message)
	}
	_, err := r.ask(job, r.openRequest())
	return err
}
