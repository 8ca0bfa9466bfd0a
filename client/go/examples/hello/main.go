// SPDX-License-Identifier: Apache-2.0

// Command hello lets two boxes meet in a room, and an observer see it. Usage: hello [HOST:PORT]
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"quadrille.example/quadrille"
)

func main() {
	address := "127.0.0.1:7400"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	if err := run(context.Background(), address); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address string) error {
	session, err := quadrille.Connect(ctx, address, quadrille.Options{})
	if err != nil {
		return err
	}
	defer session.Close()
	config := &quadrille.RoomConfig{Bounds: quadrille.Rect(0, 0, 100, 100), TickMode: quadrille.TickModeStep}
	room, err := session.Open(ctx, "hello", config)
	if err != nil {
		return err
	}
	room.OnBegin(func(a, b uint32) { fmt.Println(a, "touches", b) })
	room.Subscribe(quadrille.ScopeAll, false)
	room.Spawn(quadrille.Boxes([]uint32{1, 2}, []float32{10, 30}, []float32{10, 10}, 1))
	room.Observe(quadrille.Around(7, 1, 10, 2)) // observer 7, at entity 1
	for _, x := range []float32{25, 18, 11} {
		room.Move([]uint32{2}, []float32{x}, []float32{10}, nil)
		tick, err := room.Step(ctx)
		if err != nil {
			return err
		}
		fmt.Printf("tick %d: %d pairs, 7 sees %v\n", tick.Number, room.Pairs().Len(), room.View(7).IDs())
	}
	return nil
}
