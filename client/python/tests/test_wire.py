# SPDX-License-Identifier: Apache-2.0
"""Frames: the package's own paths against the protobuf library."""
import random
import unittest

import numpy as np
import support  # noqa: F401
from quadrille import enums, quadrille_pb2 as pb, wire
from quadrille.rosters import ROSTERS_MAX, Rosters


def without_length(frame: bytes) -> bytes:
    size, at = wire.read_varint(frame, 0)
    assert size == len(frame) - at
    return frame[at:]


class WireTest(unittest.TestCase):
    def test_batch_is_what_protobuf_encodes(self):
        ids, x = np.array([1, 2 ** 32 - 1], "<u4"), np.array([0.5, -1.25], "<f4")
        frame = wire.encode("spawn", {"room": 300, "id": ids, "x": x, "y": x, "shape": np.array([1, 2], np.uint8),
                                      "room_owned": True}, 7, confirm=True)
        expected = pb.ClientFrame(seq=7, confirm=True, spawn=pb.Spawn(
            room=300, id=[1, 2 ** 32 - 1], x=[0.5, -1.25], y=[0.5, -1.25], shape=b"\1\2", room_owned=True))
        self.assertEqual(without_length(frame), expected.SerializeToString())

    def test_tick_of_protobuf_decodes_to_columns(self):
        tick = pb.Tick(room=1, tick=2 ** 60, last=True, begin_a=[1, 2], begin_b=[3, 4])
        data = pb.ServerFrame(tick=tick).SerializeToString()
        seq, kind, fields = wire.decode(data)
        self.assertEqual((seq, kind, fields["tick"], fields["last"]), (0, "tick", 2 ** 60, True))
        self.assertEqual([fields["begin_a"].tolist(), fields["begin_b"].tolist()], [[1, 2], [3, 4]])
        self.assertNotIn("end_a", fields)

    def test_unpacked_and_split_columns_decode(self):
        column = b"\x5d\1\0\0\0" + b"\x5a\4\2\0\0\0" + b"\x5a\4\3\0\0\0"  # field 11: one value, then two packed ones
        _, _, fields = wire.decode(b"\x3a" + bytes([len(column)]) + column)
        self.assertEqual(fields["begin_a"].tolist(), [1, 2, 3])

    def test_unknown_fields_and_messages_are_skipped(self):
        data = b"\xf8\x7f\x05" + pb.ServerFrame(seq=3, pong=pb.Pong(data=9)).SerializeToString() + b"\xfa\x7f\x01x"
        self.assertEqual(wire.decode(data), (3, "pong", {"data": 9}))

    def test_broken_bytes_raise_malformed(self):
        whole = pb.ServerFrame(seq=3, tick=pb.Tick(room=1, begin_a=[1], begin_b=[2])).SerializeToString()
        rng = random.Random(1)
        for _ in range(5000):
            data = bytearray(whole[:rng.randrange(len(whole) + 1)])
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
            try:
                wire.decode(bytes(data))
            except wire.MalformedError:
                pass
        for size in range(3, len(whole)):
            with self.assertRaises(wire.MalformedError):
                wire.decode(whole[:size])

    def test_stream_in_any_pieces_gives_the_same_frames(self):
        frames = [bytes([i % 256]) * size for i, size in enumerate((0, 1, 127, 128, 5000, 20000))]
        stream = b"".join(wire.varint(len(frame)) + frame for frame in frames)
        for piece in (1, 3, 128, 4096, len(stream)):
            splitter, found = wire.Splitter(), []
            for at in range(0, len(stream), piece):
                found += splitter.feed(stream[at:at + piece])
            self.assertEqual(found, frames)

    def test_frame_above_the_limit_is_malformed(self):
        with self.assertRaises(wire.MalformedError):
            wire.Splitter().feed(wire.varint(wire.FRAME_BYTES_MAX + 1))
        with self.assertRaises(wire.MalformedError):
            wire.Splitter().feed(b"\xff" * 6)


class EnumsTest(unittest.TestCase):
    def test_enums_are_those_of_the_protocol(self):
        pairs = [(enums.ErrorCode, pb.ErrorCode), (enums.EndReason, pb.EndReason), (enums.LeaveReason, pb.LeaveReason),
                 (enums.Shape, pb.Shape), (enums.Region, pb.Observe.Region), (enums.Scope, pb.Subscribe.Scope),
                 (enums.Watch, pb.SetViewOptions.Watch), (enums.TickMode, pb.TickMode), (enums.Index, pb.Index)]
        for ours, theirs in pairs:
            prefix = theirs.Name(0).removesuffix("UNSPECIFIED")
            self.assertEqual({prefix + each.name: each.value for each in ours}, dict(theirs.items()))


class RostersTest(unittest.TestCase):
    def test_ids_that_come_again_get_a_roster_and_others_do_not(self):
        rosters, ids, others = Rosters(), np.arange(10, dtype="<u4"), np.arange(5, 15, dtype="<u4")
        self.assertEqual(rosters.find(ids, 1000), (None, False, []))
        self.assertEqual(rosters.find(ids, 1000), (0, True, []))
        self.assertEqual(rosters.find(ids, 1000), (0, False, []))
        self.assertEqual(rosters.find(others, 1000), (None, False, []))
        self.assertEqual(rosters.find(ids[::-1].copy(), 1000), (None, False, []))
        self.assertEqual(rosters.find(ids, 1000), (0, False, []))

    def test_array_that_the_program_changes_is_another_one(self):
        rosters, ids = Rosters(), np.arange(10, dtype="<u4")
        rosters.find(ids, 1000)
        rosters.find(ids, 1000)
        ids[3] = 77
        self.assertEqual(rosters.find(ids, 1000), (None, False, []))

    def test_rosters_stay_within_the_limits(self):
        rosters = Rosters()
        for first in range(0, 1000, 10):
            ids = np.arange(first, first + 10, dtype="<u4")
            rosters.find(ids, 35)
            number, registers, dropped = rosters.find(ids, 35)
            self.assertEqual(len(dropped), int(first >= 30))
            self.assertTrue(registers)
            self.assertLess(number, ROSTERS_MAX)
            self.assertLessEqual(sum(map(len, rosters._rosters.values())), 35)
        self.assertEqual(rosters.find(np.arange(36, dtype="<u4"), 35), (None, False, []))


if __name__ == "__main__":
    unittest.main()
