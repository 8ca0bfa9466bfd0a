# SPDX-License-Identifier: Apache-2.0
"""The API against a real server. The conformance suite tests what is folded, resumed and restored."""
import asyncio
import socket
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import support
import quadrille
from quadrille import blocking
from quadrille.enums import ErrorCode

YARD = {"bounds": (0, 0, 100, 100), "step": True}


def test(method):
    """Runs a coroutine as a test, for at most a minute."""
    def run(self):
        async def limited():
            async with asyncio.timeout(60):
                await method(self)
        asyncio.run(limited())
    return run


class SessionTest(support.ServerTest):
    @test
    async def test_awaited_refusal_has_code_and_entries(self):
        async with await quadrille.connect(self.address) as session:
            room = await session.open("refusals", **YARD)
            reported = []
            session.on("refused", reported.append)
            await room.spawn([1, 2], [1, 2], [1, 2], half=1)
            with self.assertRaises(quadrille.RefusedError) as raised:
                await room.spawn([3, 2], [1, float("nan")], [1, 1], half=1)
            entry = raised.exception.entries[0]
            self.assertEqual((entry.index, entry.id, entry.code), (1, 2, ErrorCode.NOT_FINITE))
            self.assertEqual(entry.reason, "NOT_FINITE")
            self.assertEqual(len(reported), 1)
            self.assertIn("2", reported[0].text)
            with self.assertRaises(quadrille.RefusedError) as raised:
                await session.open("nowhere")
            self.assertEqual(raised.exception.code, ErrorCode.UNKNOWN_ROOM)

    @test
    async def test_columns_are_checked_before_they_are_sent(self):
        async with await quadrille.connect(self.address) as session:
            room = await session.open("columns", **YARD)
            with self.assertRaisesRegex(ValueError, "x has 3 values; must be 2"):
                room.move([1, 2], [1, 2, 3], [1, 2])
            with self.assertRaisesRegex(ValueError, "bounds has 3 values"):
                await session.open("other", bounds=(1, 2, 3))

    @test
    async def test_arrays_may_change_as_soon_as_a_call_returns(self):
        async with await quadrille.connect(self.address) as session:
            room = await session.open("arrays", **YARD)
            ids, x, y = np.arange(8, dtype=np.uint32), np.zeros(8, np.float32), np.zeros(8, np.float32)
            room.spawn(ids, np.arange(8) * 10, y, half=1)
            for turn in range(1, 5):
                x[:] = np.arange(8) * 10 + turn
                room.move(ids, x, y)
                x[:] = -1
                await room.step()
                snapshot = await room.snapshot()
                self.assertEqual(snapshot["x"].tolist(), [10 * i + turn for i in range(8)])
            self.assertEqual(room.kept.columns["x"][:8].tolist(), [10 * i + 4 for i in range(8)])

    @test
    async def test_same_ids_are_sent_once(self):
        async with await quadrille.connect(self.address) as session:
            room = await session.open("rosters", **YARD)
            ids, at = np.arange(10000, dtype=np.uint32), np.zeros(10000, np.float32)
            room.spawn(ids, np.arange(10000), at)
            sizes = []
            for _ in range(4):
                before = (await session.stats()).server.bytes_in
                room.move(ids, at, at)
                sizes.append((await session.stats()).server.bytes_in - before)
            self.assertGreater(sizes[0], 120000)
            self.assertLess(sizes[2], 81000)
            self.assertLess(sizes[3], 81000)

    @test
    async def test_batch_above_the_frame_limit_is_split(self):
        async with await quadrille.connect(self.address) as session:
            room = await session.open("large", **YARD)
            count = session.limits.frame_bytes_max // 12 + 5000
            ids = np.arange(count, dtype=np.uint32)
            await room.spawn(ids, 1e6 + ids * 10.0, np.zeros(count), half=1)
            with self.assertRaises(quadrille.RefusedError) as raised:
                await room.despawn(np.concatenate((ids[1:], [2 ** 32 - 1])))
            self.assertEqual([(entry.index, entry.reason) for entry in raised.exception.entries],
                             [(count - 1, "UNKNOWN_ID")])
            await room.step()
            self.assertEqual((await session.stats(room)).room.entities, 1)

    @test
    async def test_step_can_be_canceled_and_timed_out(self):
        async with await quadrille.connect(self.address) as session:
            room = await session.open("lockstep", writers=2, step_deadline_ms=60000, **YARD)
            async with await quadrille.connect(self.address) as other:
                same = await other.open("lockstep")
                await asyncio.gather(room.step(), same.step())
                with self.assertRaises(TimeoutError):
                    async with asyncio.timeout(0.1):
                        await room.step()  # the step itself is under way
                await same.step()
                self.assertEqual((await asyncio.gather(room.step(), same.step()))[0].number, 3)

    @test
    async def test_handler_that_raises_does_not_break_the_connection(self):
        async with await quadrille.connect(self.address) as session:
            raised = []
            asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context["exception"]))
            room = await session.open("raising", **YARD)
            room.on("begin", lambda a, b: 1 / 0)
            room.subscribe()
            room.spawn([1, 2], [1, 2], [1, 1], half=1)
            self.assertEqual((await room.step()).begins.tolist(), [[1, 2]])
            self.assertEqual([type(error) for error in raised], [ZeroDivisionError])
            self.assertEqual(session.connects, 1)

    @test
    async def test_rosters_beyond_the_server_limit_move_on(self):
        async with await quadrille.connect(self.address) as session:
            session.limits.roster_ids_max = 25
            refused = []
            session.on("refused", refused.append)
            room = await session.open("many rosters", **YARD)
            room.spawn(np.arange(40), np.arange(40) * 2, 0, half=0.5)
            for turn in range(6):
                for first in (0, 10, 20, 30):
                    for _ in range(2):
                        ids = np.arange(first, first + 10)
                        room.move(ids, ids * 2 + turn, np.zeros(10))
                await room.step()
                self.assertEqual((await room.snapshot())["x"].tolist(), [2 * id + turn for id in range(40)])
            self.assertEqual(refused, [])

    @test
    async def test_ticks_are_iterated(self):
        async with await quadrille.connect(self.address) as session:
            room = await session.open("clock", bounds=(0, 0, 100, 100), hz=100)
            await room.subscribe()
            room.spawn([1, 2], [10, 10], [10, 10], half=1)
            async for tick in room.ticks():
                if len(tick.begins):
                    self.assertEqual(tick.begins.tolist(), [[1, 2]])
                    break
            room.move([2], [50], [50])
            self.assertEqual(await room.sync(), room.tick)
            self.assertEqual(len(room.pairs), 0)

    @test
    async def test_calls_after_the_end_raise(self):
        session = await quadrille.connect(self.address)
        room, left = await session.open("ending", **YARD), await session.open("left", **YARD)
        await left.leave()
        with self.assertRaises(quadrille.RoomClosedError):
            left.move([1], [1], [1])
        waiting = asyncio.create_task(room.sync())
        room.spawn([1], [1], [1])
        await asyncio.sleep(0)
        await session.close()
        for call in (room.step(), room.sync(), session.drain(), waiting):
            with self.assertRaises(quadrille.SessionEndedError):
                await call

    @test
    async def test_server_that_is_not_there_times_out_with_the_fix(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        with self.assertRaisesRegex(TimeoutError, f"127.0.0.1:{port}: no session within 0.2 s.*Check the address"):
            await quadrille.connect(f"127.0.0.1:{port}", timeout=0.2)

    @test
    async def test_drain_waits_for_a_server_that_does_not_read(self):
        async with await quadrille.connect(self.address) as session:
            room = await session.open("drain", **YARD)
            self.server.process.send_signal(19)  # SIGSTOP
            try:
                ids = np.arange(100000, dtype=np.uint32)
                with self.assertRaises(TimeoutError):
                    for _ in range(200):  # 240 MB, more than the system's buffers
                        room.move(ids, ids, ids)
                        async with asyncio.timeout(0.2):
                            await session.drain()
                self.assertTrue(session.full)
            finally:
                self.server.process.send_signal(18)  # SIGCONT
            await session.drain()
            await session.ping()

    def test_blocking_facade(self):
        with blocking.connect(self.address) as session:
            room = session.open("blocking", **YARD)
            room.subscribe().result(timeout=10)
            begun = []
            room.on("begin", lambda a, b: begun.append((a, b)))
            room.spawn([1, 2], [10, 11], [10, 10], half=1)
            move = room.move([1], [10.5], [10])
            tick = room.step()
            self.assertEqual(move.applied(timeout=10), tick.number)
            self.assertEqual((tick.begins.tolist(), begun), ([[1, 2]], [(1, 2)]))
            self.assertTrue(room.pairs.has(2, 1))
            self.assertEqual(room.query(nearest=(10, 10), limit=1).ids.tolist(), [1])
            with self.assertRaises(quadrille.RefusedError):
                room.spawn([1], [1], [1]).result()
            room.despawn([1])
            self.assertEqual([tick.number for tick in room.ticks(timeout=0.05)], [])
            self.assertEqual(room.step().end_reasons.tolist(), [quadrille.EndReason.DESPAWNED])

    def test_examples_print_what_the_pages_say(self):
        out = subprocess.run([support.sys.executable, "examples/hello.py", self.address], cwd=support.PACKAGE,
                             env={**support.os.environ, "PYTHONPATH": support.PACKAGE}, capture_output=True, text=True,
                             timeout=60)
        self.assertEqual(out.stderr, "")
        self.assertEqual(out.stdout.splitlines(), ["tick 1: 0 pairs, 7 sees []", "tick 2: 0 pairs, 7 sees [2]",
                                                   "1 touches 2", "tick 3: 1 pairs, 7 sees [2]"])

    @test
    async def test_gateway_replicates_views_to_players(self):
        async with await quadrille.connect(self.address) as session:
            room = await session.open("demo-2", bounds=(0, 0, 100, 100), hz=50)
            await room.spawn([1, 2], [7, 60], [5, 60], half=1)
            gateway = subprocess.Popen([support.sys.executable, "examples/gateway.py", self.address, "demo-2", "0"],
                                       cwd=support.PACKAGE, stdout=subprocess.PIPE, text=True,
                                       env={**support.os.environ, "PYTHONPATH": support.PACKAGE})
            try:
                port = int((await asyncio.to_thread(gateway.stdout.readline)).rpartition(":")[2])
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                lines = [(await reader.readline()).decode().split() for _ in range(2)]
                self.assertEqual(lines, [["you", "1000000"], ["spawn", "1", "7.000", "5.000"]])
                room.move([1], [8], [5.5])
                self.assertEqual((await reader.readline()).split(), [b"move", b"1", b"8.000", b"5.500"])
                writer.write(b"61 61\n")
                lines = sorted([(await reader.readline()).decode().split() for _ in range(2)])
                self.assertEqual(lines, [["remove", "1"], ["spawn", "2", "60.000", "60.000"]])
                writer.close()
            finally:
                gateway.kill()
                gateway.wait()
                gateway.stdout.close()


class TlsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        at = Path(self.folder.name)
        self.ca = str(at / "cert.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", at / "key.pem", "-out", self.ca, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        (at / "key.pem").chmod(0o600)
        (at / "tokens").write_text("the-token-of-the-test writer\n")
        (at / "tokens").chmod(0o600)
        self.server = support.Server("--tls-cert", self.ca, "--tls-key", str(at / "key.pem"), "--token-file",
                                     str(at / "tokens"))

    def tearDown(self):
        status = self.server.stop()
        self.folder.cleanup()
        self.assertEqual(status, 0)

    @test
    async def test_certificate_and_token_are_checked(self):
        context = ssl.create_default_context(cafile=self.ca)
        async with await quadrille.connect(self.server.address, tls=context, token="the-token-of-the-test") as session:
            room = await session.open("yard", **YARD)
            self.assertEqual((await room.step()).number, 1)
        with self.assertRaises(quadrille.RefusedError) as raised:
            await quadrille.connect(self.server.address, tls=context, token="wrong")
        self.assertEqual(raised.exception.code, ErrorCode.UNAUTHENTICATED)
        with self.assertRaisesRegex(TimeoutError, "certificate verify failed"):
            await quadrille.connect(self.server.address, tls=True, timeout=0.5)


if __name__ == "__main__":
    unittest.main()
