// SPDX-License-Identifier: Apache-2.0

// Package quadrille is a client of a Quadrille server, which reports every tick, for many rooms at once, which entities
// touch and which entities each observer sees.
//
//	session, err := quadrille.Connect(ctx, "127.0.0.1:7400", quadrille.Options{})
//	room, err := session.Open(ctx, "arena", &quadrille.RoomConfig{
//		Bounds: quadrille.Rect(0, 0, 100, 100), TickMode: quadrille.TickModeStep})
//	room.Subscribe(quadrille.ScopeAll, false)
//	room.Spawn(quadrille.Boxes([]uint32{1, 2}, []float32{10, 30}, []float32{10, 10}, 1))
//	room.Move([]uint32{2}, []float32{11}, []float32{10}, nil)
//	tick, err := room.Step(ctx)
//	fmt.Println(tick.Begins, room.Pairs().Has(1, 2))
//
// All methods may be called by any goroutine. Handlers run one at a time, in the order of the events. A handler may read
// sets and make requests, but must not wait: no call with a context.
package quadrille

// Version of this package.
const Version = "0.1.0"
