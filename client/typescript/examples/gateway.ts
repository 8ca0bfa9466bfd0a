// SPDX-License-Identifier: Apache-2.0
//
// A gateway that replicates to each player what the player sees.
// Usage: node dist/examples/gateway.js [HOST:PORT [ROOM [LISTEN_PORT]]]     (127.0.0.1:7400, demo-2, 7500)
//
// A player connects to the port, sends lines "X Y" to move, and gets lines: "you ID", "spawn ID X Y", "move ID X Y" and
// "remove ID". Try it with `nc 127.0.0.1 7500` beside client/demo.
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { connect, type Room, type Session } from "quadrille";

const RANGE = 8, MARGIN = 1, RADIUS = 0.5;
const BEHIND_BYTES = 1 << 16; // a player who reads so slowly is disconnected

class Gateway {
  private readonly players = new Map<number, Socket>(); // by observer and entity of the player
  private nextId = 1_000_000;

  constructor(private readonly session: Session, private readonly room: Room) {
    room.viewOptions({ relayOnce: true, relayK: 9 }); // each position once for all players, in a byte or two
    room.on("enter", (player, id) => {
      const { x, y } = room.view(player).get(id)!;
      this.tell(player, `spawn ${id} ${x.toFixed(3)} ${y.toFixed(3)}`);
    });
    room.on("leave", (player, id) => this.tell(player, `remove ${id}`));
    room.on("relay", (player, id, x, y) => this.tell(player, `move ${id} ${x.toFixed(3)} ${y.toFixed(3)}`));
  }

  private tell(player: number, line: string): void {
    const socket = this.players.get(player);
    socket?.write(`${line}\n`);
    if (socket && socket.writableLength > BEHIND_BYTES) socket.destroy();
  }

  async serve(socket: Socket): Promise<void> {
    const player = this.nextId++;
    this.players.set(player, socket);
    this.tell(player, `you ${player}`);
    const lines = createInterface({ input: socket }); // before the first wait, or lines are lost
    socket.on("error", () => lines.close());
    try {
      await this.room.spawn({ id: player, x: 5, y: 5, radius: RADIUS });
      const relay = [{ range: RANGE, every: 1 }, { range: 2 * RANGE, every: 5 }];
      await this.room.observe({ id: player, at: player, range: RANGE, margin: MARGIN }, { relay });
      lines.on("line", (line) => this.move(player, line));
      await new Promise((resolve) => socket.once("close", resolve));
    } finally {
      this.players.delete(player);
      if (!this.room.closed) this.room.despawn(player);
    }
  }

  private move(player: number, line: string): void {
    const [x, y] = line.split(" ").map(Number);
    if (!Number.isFinite(x) || !Number.isFinite(y)) return this.tell(player, "error: send X and Y, as in: 5 5");
    this.room.move(player, x!, y!);
    if (!this.session.full) return;
    const socket = this.players.get(player);
    socket?.pause(); // until the server takes more
    void this.session.drain().then(() => socket?.resume());
  }
}

const [address = "127.0.0.1:7400", name = "demo-2", port = "7500"] = process.argv.slice(2);
const session = await connect(address, { name: "gateway" });
session.on("refused", (refusal) => console.error(refusal.text));
const gateway = new Gateway(session, await session.open(name));
const server = createServer((socket) => void gateway.serve(socket).catch((error) => socket.destroy(error)));
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`players connect to 127.0.0.1:${(server.address() as AddressInfo).port}`);
});
