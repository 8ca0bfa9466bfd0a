# SPDX-License-Identifier: Apache-2.0
"""Two boxes meet in a room, and an observer sees it. Usage: hello.py [HOST:PORT]"""
import asyncio
import sys

import quadrille


async def main(address):
    async with await quadrille.connect(address) as session:
        room = await session.open("hello", bounds=(0, 0, 100, 100), step=True)
        room.subscribe()
        room.on("begin", lambda a, b: print(f"{a} touches {b}"))
        await room.spawn([1, 2], [10, 30], [10, 10], half=1)
        await room.observe(7, at=1, range=10, margin=2)
        for x in (25, 18, 11):
            room.move([2], [x], [10])
            tick = await room.step()
            print(f"tick {tick.number}: {len(room.pairs)} pairs, 7 sees {list(room.view(7))}")


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7400"))
