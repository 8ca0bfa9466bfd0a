# SPDX-License-Identifier: Apache-2.0
"""A gateway that replicates to each player what the player sees.

usage: gateway.py [HOST:PORT [ROOM [LISTEN_PORT]]]     (127.0.0.1:7400, demo-2, 7500)

A player connects to the port, sends lines "X Y" to move, and gets lines: "you ID", "spawn ID X Y", "move ID X Y" and
"remove ID". Try it with `nc 127.0.0.1 7500` beside client/demo.
"""
import asyncio
import itertools
import sys

import quadrille

RANGE, MARGIN, RADIUS = 8, 1, 0.5
BEHIND_BYTES = 1 << 16  # a player who reads so slowly is disconnected


class Gateway:
    def __init__(self, session, room):
        self.session, self.room = session, room
        self.players = {}  # observer and entity of the player -> its connection
        self.ids = itertools.count(1_000_000)
        room.view_options(relay_once=True, relay_k=9)  # each position once for all players, in a byte or two
        room.on("enter", self.enter)
        room.on("leave", lambda player, id, reason: self.tell(player, f"remove {id}"))
        room.on("relay", lambda player, id, x, y, z: self.tell(player, f"move {id} {x:.3f} {y:.3f}"))

    def enter(self, player, id):
        entity = self.room.view(player)[id]
        self.tell(player, f"spawn {id} {entity.x:.3f} {entity.y:.3f}")

    def tell(self, player, line):
        writer = self.players.get(player)
        if writer is None:
            return
        writer.write(line.encode() + b"\n")
        if writer.transport.get_write_buffer_size() > BEHIND_BYTES:
            writer.transport.abort()

    async def serve(self, reader, writer):
        player = next(self.ids)
        self.players[player] = writer
        self.tell(player, f"you {player}")
        try:
            await self.room.spawn(player, 5, 5, radius=RADIUS)
            await self.room.observe(player, at=player, range=RANGE, margin=MARGIN, relay=[(RANGE, 1), (2 * RANGE, 5)])
            while line := await reader.readline():
                try:
                    x, y = map(float, line.split())
                except ValueError:
                    self.tell(player, "error: send X and Y, as in: 5 5")
                    continue
                self.room.move(player, x, y)
                await self.session.drain()
        except ConnectionError:
            pass
        finally:
            del self.players[player]
            if not self.room.closed:
                self.room.despawn(player)
            writer.close()


async def main(address="127.0.0.1:7400", room="demo-2", port="7500"):
    async with await quadrille.connect(address, name="gateway") as session:
        session.on("refused", lambda refusal: print(refusal.text, file=sys.stderr))
        gateway = Gateway(session, await session.open(room))
        async with await asyncio.start_server(gateway.serve, "127.0.0.1", int(port)) as server:
            print(f"players connect to 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
            await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
