// SPDX-License-Identifier: Apache-2.0

// Command gateway lets players connect, send lines "X Y" to move, and get "you ID", "spawn ID X Y", "move ID X Y" and
// "remove ID" for what they see. Usage: gateway [HOST:PORT [ROOM [LISTEN_PORT]]]     (127.0.0.1:7400, demo-2, 7500)
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net"
	"os"
	q "quadrille.example/quadrille"
	"sync"
	"time"
)

const viewRange, margin, radius, behind = 8, 1, 0.5, time.Millisecond

var players sync.Map // observer and entity of a player -> its connection

// tell disconnects a player who reads so slowly that the system takes no more bytes.
func tell(player uint32, format string, values ...any) {
	if conn, found := players.Load(player); found {
		conn.(net.Conn).SetWriteDeadline(time.Now().Add(behind))
		if _, err := fmt.Fprintf(conn.(net.Conn), format+"\n", values...); err != nil {
			conn.(net.Conn).Close()
		}
	}
}

func serve(session *q.Session, room *q.Room, conn net.Conn, player uint32) {
	players.Store(player, conn)
	tell(player, "you %d", player)
	ids, sight := []uint32{player}, q.Around(player, player, viewRange, margin)
	sight.RelayRange, sight.RelayEvery = []float32{viewRange, 2 * viewRange}, []uint32{1, 5}
	room.Spawn(q.Circles(ids, []float32{5}, []float32{5}, radius))
	room.Observe(sight)
	for in := bufio.NewScanner(conn); in.Scan() && session.Drain(context.Background()) == nil; {
		var x, y float32
		if _, err := fmt.Sscan(in.Text(), &x, &y); err == nil {
			room.Move(ids, []float32{x}, []float32{y}, nil)
		} else {
			tell(player, "error: send X and Y, as in: 5 5")
		}
	}
	players.Delete(player)
	room.Despawn(player)
	conn.Close()
}

func main() {
	arguments := []string{"127.0.0.1:7400", "demo-2", "7500"}
	copy(arguments, os.Args[1:])
	session := must(q.Connect(context.Background(), arguments[0], q.Options{Name: "gateway"}))
	session.OnRefused(func(refusal *q.Refusal) { log.Print(refusal.Text) })
	room := must(session.Open(context.Background(), arguments[1], nil))
	// Each position comes once for all players, in a byte or two.
	room.SetViewOptions(&q.ViewOptions{RelayOnce: true, RelayPrecision: q.RelayPrecision(9)})
	room.OnEnter(func(player, id uint32) {
		entity, _ := room.View(player).Get(id)
		tell(player, "spawn %d %.3f %.3f", id, entity.X, entity.Y)
	})
	room.OnLeave(func(player, id uint32, _ q.LeaveReason) { tell(player, "remove %d", id) })
	room.OnRelay(func(player, id uint32, x, y, _ float32) { tell(player, "move %d %.3f %.3f", id, x, y) })
	listener := must(net.Listen("tcp", "127.0.0.1:"+arguments[2]))
	fmt.Println("players connect to", listener.Addr())
	for player := uint32(1_000_000); ; player++ {
		go serve(session, room, must(listener.Accept()), player)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
