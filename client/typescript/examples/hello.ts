// SPDX-License-Identifier: Apache-2.0
//
// Two boxes meet in a room, and an observer sees it. Usage: node dist/examples/hello.js [HOST:PORT]
import { connect } from "quadrille";

const session = await connect(process.argv[2] ?? "127.0.0.1:7400");
const room = await session.open("hello", { bounds: [0, 0, 100, 100], step: true });
room.subscribe();
room.on("begin", (a, b) => console.log(`${a} touches ${b}`));
await room.spawn([{ id: 1, x: 10, y: 10, half: 1 }, { id: 2, x: 30, y: 10, half: 1 }]);
await room.observe({ id: 7, at: 1, range: 10, margin: 2 });
for (const x of [25, 18, 11]) {
  room.move([2], [x], [10]);
  const tick = await room.step();
  console.log(`tick ${tick.number}: ${room.pairs.size} pairs, 7 sees [${[...room.view(7)]}]`);
}
await session.close();
