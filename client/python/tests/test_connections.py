# SPDX-License-Identifier: Apache-2.0
"""What a program sees of broken connections and silent servers, through the proxy of the conformance suite."""
import asyncio
import os
import unittest

import support
import quadrille
from quadrille import blocking

support.sys.path.insert(0, os.path.join(support.PACKAGE, "..", "..", "tests", "conformance", "harness"))
from proxy import Proxy  # noqa: E402
from test_session import YARD, test  # noqa: E402

QUICK = {"connect_ms": 200, "ping_ms": 50, "dead_ms": 150, "backoff_ms": 2, "backoff_max_ms": 20}


class ConnectionsTest(support.ServerTest):
    def setUp(self):
        self.proxy = Proxy(self.address)

    def tearDown(self):
        self.proxy.stop()

    @test
    async def test_program_sees_states_and_a_reset_and_the_set_goes_on(self):
        async with await quadrille.connect(self.proxy.address, backoff_ms=2) as session:
            states, events = [], []
            session.on("state", lambda state, reason: states.append(state))
            room = await session.open("cut", **YARD)
            for event in ("reset", "begin", "end"):
                room.on(event, lambda *values, event=event: events.append((event, *values)))
            room.subscribe()
            room.spawn([1, 2, 3], [10, 11, 50], [10, 10, 10], half=1)
            await room.step()
            self.assertEqual(events, [("reset",), ("begin", 1, 2)])
            number = session.number
            self.proxy.cut_after("up", 0)
            room.move([3], [12], [10])
            self.assertEqual((await room.step()).number, 2)
            self.assertEqual(states, ["lost", "connecting", "ready"])
            self.assertEqual((session.number, session.resumes), (number, 1))
            self.assertEqual(events[2], ("reset",))
            self.assertEqual(sorted(room.pairs), [(1, 2), (1, 3), (2, 3)])

    @test
    async def test_silent_server_is_given_up_and_requests_wait(self):
        async with await quadrille.connect(self.proxy.address, **QUICK) as session:
            room = await session.open("silent", **YARD)
            room.spawn([1], [1], [1])
            await room.step()
            self.proxy.hold(True)
            await session.until(lambda: session.state == "lost")
            self.assertIn("silent", session.problem)
            step = asyncio.create_task(room.step())
            await asyncio.sleep(0.3)
            self.assertFalse(step.done())
            self.proxy.hold(False)
            self.assertEqual((await step).number, 2)

    @test
    async def test_backlog_above_its_limit_is_merged_into_the_state(self):
        async with await quadrille.connect(self.proxy.address, token="backlog", backlog_bytes_max=10000,
                                           **QUICK) as session:
            room = await session.open("backlog", **YARD)
            room.spawn(range(100), range(0, 500, 5), 10, half=1)
            await room.step()
            self.proxy.sever(True)
            await session.until(lambda: session.state == "lost")
            for turn in range(50):
                last = room.move(range(100), range(turn, 500 + turn, 5), [10] * 100)
            self.assertLess(len(room.log), 50)
            self.proxy.sever(False)
            await room.step()
            self.assertEqual(await last.applied(), room.tick)
            self.assertEqual((await room.snapshot())["x"].tolist(), [5 * id + 49 for id in range(100)])
            self.assertEqual(session.resumes, 0)

    @test
    async def test_requests_that_wait_for_an_answer_survive_a_cut(self):
        async with await quadrille.connect(self.proxy.address, **QUICK) as session:
            room = await session.open("answers", **YARD)
            await room.spawn([1], [1], [1])
            await room.step()
            for count in range(0, 60, 3):
                self.proxy.cut_after("down" if count % 2 else "up", count)
                found, stats, _ = await asyncio.gather(room.query(nearest=(0, 0)), session.stats(room), session.ping())
                self.assertEqual((found.ids.tolist(), stats.room.entities), ([1], 1))
            self.assertGreater(session.connects, 5)

    def test_blocking_facade_goes_on_after_a_cut(self):
        with blocking.connect(self.proxy.address, **QUICK) as session:
            room = session.open("blocking cut", **YARD)
            room.spawn([1, 2], [10, 11], [10, 10], half=1)
            room.subscribe()
            for tick in range(1, 20):
                self.proxy.cut_after("down", 10 * tick)
                room.move([1], [10 + tick], [10])
                self.assertEqual(room.step(timeout=20).number, tick)
                self.assertEqual(room.pairs.has(1, 2), tick <= 3)


if __name__ == "__main__":
    unittest.main()
