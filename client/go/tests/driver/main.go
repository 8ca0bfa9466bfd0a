// SPDX-License-Identifier: Apache-2.0

// Command driver is the driver of this SDK for the conformance suite. tests/conformance/README.md has the protocol.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	quadrille "quadrille.example/quadrille"
	pb "quadrille.example/quadrille/quadrillev1"
)

const (
	waitTime     = 20 * time.Second
	lineBytesMax = 1 << 24
)

type driver struct {
	out     *bufio.Writer
	session *quadrille.Session
	quiet   bool // keeps no events
	golden  golden

	mu       sync.Mutex
	events   map[string][]string
	refusals []string
}

func main() {
	d := &driver{out: bufio.NewWriter(os.Stdout), events: map[string][]string{}}
	for _, argument := range os.Args[1:] {
		d.quiet = d.quiet || argument == "--quiet"
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, lineBytesMax)
	for lines.Scan() && lines.Text() != "quit" {
		fmt.Fprintln(d.out, d.answer(lines.Text()))
		d.out.Flush()
	}
	if d.session != nil {
		d.session.Close()
	}
	fmt.Fprintln(d.out, "ok")
	d.out.Flush()
}

func (d *driver) answer(line string) string {
	ctx, cancel := context.WithTimeout(context.Background(), waitTime)
	defer cancel()
	answer, err := d.carryOut(ctx, strings.Split(line, " "))
	var refused *quadrille.RefusedError
	switch {
	case errors.As(err, &refused):
		return "error refused " + refused.Reason()
	case err != nil:
		return "error " + err.Error()
	}
	return "ok" + answer
}

// fields of a command.
type fields map[string]string

func (f fields) number(name string) uint64 {
	value, _ := strconv.ParseUint(f[name], 10, 64)
	return value
}

func (f fields) words(name string) []uint32 {
	var column []uint32
	for _, value := range f.split(name) {
		number, _ := strconv.ParseUint(value, 10, 32)
		column = append(column, uint32(number))
	}
	return column
}

func (f fields) longs(name string) []uint64 {
	var column []uint64
	for _, value := range f.split(name) {
		number, _ := strconv.ParseUint(value, 10, 64)
		column = append(column, number)
	}
	return column
}

func (f fields) bytes(name string) []byte {
	var column []byte
	for _, value := range f.words(name) {
		column = append(column, byte(value))
	}
	return column
}

func (f fields) floats(name string) []float32 {
	var column []float32
	for _, value := range f.split(name) {
		number, _ := strconv.ParseFloat(value, 32)
		column = append(column, float32(number))
	}
	return column
}

func (f fields) split(name string) []string {
	if f[name] == "" {
		return nil
	}
	return strings.Split(f[name], ",")
}

func (f fields) time(name string) time.Duration {
	return time.Duration(f.number(name)) * time.Millisecond
}

func (d *driver) carryOut(ctx context.Context, words []string) (string, error) {
	command, rest := words[0], words[1:]
	switch command {
	case "relay", "decode", "encode":
		return d.golden.carryOut(d.out, command, rest)
	}
	name, f := "", fields{}
	for _, word := range rest {
		if key, value, found := strings.Cut(word, "="); found {
			f[key] = value
		} else if name == "" {
			name = word
		}
	}
	switch command {
	case "connect":
		return "", d.connect(ctx, name, f)
	case "status":
		status := d.session.Status()
		return fmt.Sprintf(" connects=%d resumes=%d session=%d", status.Connects, status.Resumes, status.Session), nil
	case "refusals":
		d.mu.Lock()
		d.print(d.refusals)
		d.refusals = nil
		d.mu.Unlock()
		return "", nil
	case "open":
		return d.open(ctx, name, f)
	}
	room := d.session.Room(name)
	if room == nil {
		return "", fmt.Errorf("the room '%s' is not open", name)
	}
	return d.roomCommand(ctx, room, command, f)
}

func (d *driver) print(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(d.out, line)
	}
}

func (d *driver) connect(ctx context.Context, address string, f fields) error {
	session, err := quadrille.Connect(ctx, address, quadrille.Options{Token: f["token"], Name: "conformance",
		Adopt: f["adopt"] == "1", ConnectTimeout: f.time("connect_ms"), PingAfter: f.time("ping_ms"),
		DeadAfter: f.time("dead_ms"), Backoff: f.time("backoff_ms"), BackoffMax: f.time("backoff_max_ms")})
	if err != nil {
		return err
	}
	d.session = session
	session.OnRefused(d.refused)
	return nil
}

func (d *driver) refused(refusal *quadrille.Refusal) {
	command, room := refusal.Command, refusal.Room
	if command == "set_exceptions" {
		command = "except"
	}
	if room == "" {
		room = "-"
	}
	place := fmt.Sprintf("refused %s %s", room, command)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(refusal.Entries) == 0 {
		d.refusals = append(d.refusals, place+" "+refusal.Reason())
	}
	for _, entry := range refusal.Entries {
		d.refusals = append(d.refusals, fmt.Sprintf("%s %s %d %d", place, entry.Reason(), entry.Index, entry.ID))
	}
}

func (d *driver) open(ctx context.Context, name string, f fields) (string, error) {
	var config *quadrille.RoomConfig
	if len(f) > 0 {
		config = roomConfig(f)
	}
	room, err := d.session.Open(ctx, name, config)
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	d.events[name] = nil
	// What was adopted while the room opened came before the handlers.
	for _, id := range room.Adopted() {
		d.events[name] = append(d.events[name], fmt.Sprintf("gained %d", id))
	}
	d.mu.Unlock()
	if !d.quiet {
		d.listen(room)
	}
	return fmt.Sprintf(" %d", room.Tick()), nil
}

func roomConfig(f fields) *quadrille.RoomConfig {
	config := &quadrille.RoomConfig{Dimensions: uint32(f.number("dimensions")),
		TickMode: quadrille.TickMode(f.number("tick_mode")), TickHz: uint32(f.number("tick_hz")),
		EntitiesMax: uint32(f.number("entities_max")), Index: quadrille.Index(f.number("index")),
		Writers: uint32(f.number("writers")), StepDeadlineMs: uint32(f.number("step_deadline_ms"))}
	if _, present := f["grace_ms"]; present {
		config.Grace = &pb.RoomConfig_GraceMs{GraceMs: uint32(f.number("grace_ms"))}
	}
	if _, present := f["swept"]; present {
		config.Sweep = &pb.RoomConfig_Swept{Swept: f["swept"] == "1"}
	}
	if b := f.floats("bounds"); len(b) == 6 {
		config.Dimensions, config.Bounds = 3, quadrille.Cuboid(b[0], b[1], b[2], b[3], b[4], b[5])
	} else if len(b) == 4 {
		config.Bounds = quadrille.Rect(b[0], b[1], b[2], b[3])
	}
	return config
}

func (d *driver) listen(room *quadrille.Room) {
	name := room.Name()
	add := func(format string, values ...any) {
		d.mu.Lock()
		d.events[name] = append(d.events[name], fmt.Sprintf(format, values...))
		d.mu.Unlock()
	}
	room.OnReset(func() { add("reset") }).
		OnBegin(func(a, b uint32) { add("begin %d %d", a, b) }).
		OnEnd(func(a, b uint32, reason quadrille.EndReason) { add("end %d %d %d", a, b, reason) }).
		OnPassed(func(a, b uint32) { add("passed %d %d", a, b) }).
		OnEnter(func(observer, id uint32) { add("enter %d %d", observer, id) }).
		OnLeave(func(observer, id uint32, reason quadrille.LeaveReason) { add("leave %d %d %d", observer, id, reason) }).
		OnGained(func(ids []uint32) {
			for _, id := range ids {
				add("gained %d", id)
			}
		}).
		OnLost(func(ids []uint32) {
			for _, id := range ids {
				add("lost %d", id)
			}
		})
}

func (d *driver) roomCommand(ctx context.Context, room *quadrille.Room, command string, f fields) (string, error) {
	switch command {
	case "step":
		tick, err := room.Step(ctx)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf(" %d", tick.Number), nil
	case "sync":
		tick, err := room.Sync(ctx)
		return fmt.Sprintf(" %d", tick), err
	case "speed":
		return d.speed(ctx, room, int(f.number("count")), int(f.number("moves")), int(f.number("ticks")))
	case "query":
		return d.query(ctx, room, f)
	case "leave":
		return "", room.Leave(ctx)
	case "close":
		return "", room.Close(ctx)
	case "settled":
		if room.Settled() {
			return " 1", nil
		}
		return " 0", nil
	case "pairs":
		for _, pair := range room.Pairs().All() {
			fmt.Fprintf(d.out, "pair %d %d\n", pair.A, pair.B)
		}
	case "view":
		d.printViews(room)
	case "watchers":
		for _, id := range f.words("id") {
			for _, watcher := range room.Watchers(id) {
				fmt.Fprintf(d.out, "watcher %d %d %d\n", id, watcher.Session, watcher.Observer)
			}
		}
	case "events":
		d.mu.Lock()
		d.print(d.events[room.Name()])
		d.events[room.Name()] = nil
		d.mu.Unlock()
	default:
		if !request(room, command, f) {
			return "", fmt.Errorf("unknown command '%s'", command)
		}
	}
	return "", nil
}

func (d *driver) printViews(room *quadrille.Room) {
	for _, observer := range room.Observers() {
		for _, is := range room.View(observer).All() {
			fmt.Fprintf(d.out, "seen %d %d", observer, is.ID)
			for _, value := range []float32{is.X, is.Y, is.Z, is.HalfX, is.HalfY, is.HalfZ, is.Radius} {
				fmt.Fprintf(d.out, " %s", strconv.FormatFloat(float64(value), 'g', -1, 32))
			}
			payload := fmt.Sprintf("%x", is.Payload)
			if payload == "" {
				payload = "-"
			}
			fmt.Fprintf(d.out, " %d %d %s\n", is.Category, is.Tag, payload)
		}
	}
}

func (d *driver) query(ctx context.Context, room *quadrille.Room, f fields) (string, error) {
	at, limit := append(f.floats("circle"), f.floats("nearest")...), int(f.number("limit"))
	var found *quadrille.QueryResult
	var err error
	if _, isCircle := f["circle"]; isCircle {
		radius := at[len(at)-1]
		at = append(at[:len(at)-1], 0)
		found, err = room.Within(ctx, at[0], at[1], at[2], radius, limit)
	} else {
		at = append(at, 0)
		found, err = room.Nearest(ctx, at[0], at[1], at[2], limit)
	}
	if err != nil {
		return "", err
	}
	for i, id := range found.Id {
		distance := 0.0
		if len(found.Distance) > 0 {
			distance = found.Distance[i]
		}
		fmt.Fprintf(d.out, "found %d %s\n", id, strconv.FormatFloat(distance, 'g', -1, 64))
	}
	return fmt.Sprintf(" %d", found.Tick), nil
}

func (d *driver) speed(ctx context.Context, room *quadrille.Room, count, moves, ticks int) (string, error) {
	ids, x := make([]uint32, count), make([]float32, count)
	for i := range ids {
		ids[i] = uint32(i)
	}
	if count > 0 {
		if err := room.Spawn(&quadrille.Spawn{Id: ids, X: x, Y: x}).Wait(ctx); err != nil {
			return "", err
		}
		for i := 0; i < 2; i++ { // then it is a roster
			room.Move(ids, x, x, nil)
		}
		if _, err := room.Step(ctx); err != nil {
			return "", err
		}
	}
	started, cpu := time.Now(), cpuTime()
	for i := 0; i < ticks; i++ {
		for j := 0; j < moves; j++ {
			room.Move(ids, x, x, nil)
			if err := d.session.Drain(ctx); err != nil {
				return "", err
			}
		}
		if _, err := room.Step(ctx); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf(" %.6f %.6f", time.Since(started).Seconds(), (cpuTime() - cpu).Seconds()), nil
}

// cpuTime of this process.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
