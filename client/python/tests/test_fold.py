# SPDX-License-Identifier: Apache-2.0
"""Frames that contradict what was folded are refused. The conformance suite tests what right frames fold to."""
import unittest

import numpy as np
import support  # noqa: F401
from quadrille.errors import ContradictionError
from quadrille.fold.pairs import Pairs
from quadrille.fold.tick import Tick
from quadrille.fold.views import Views


def pair_frame(begins=(), ends=(), **fields):
    columns = {}
    for name, rows in (("begin", begins), ("end", ends)):
        if rows:
            columns[name + "_a"], columns[name + "_b"] = (np.array(column, "<u4") for column in zip(*rows))
    return {**columns, "last": True, **fields}


def enters(*rows, **fields):
    observers, ids = (np.array(column, "<u4") for column in zip(*rows))
    at = np.zeros(len(ids), "<f4")
    return {"enter_observer": observers, "enter_id": ids, "enter_x": at, "enter_y": at, "last": True, **fields}


class PairsTest(unittest.TestCase):
    def setUp(self):
        self.pairs = Pairs()
        changes = self.pairs.apply(pair_frame([(1, 2), (3, 4)], reset=True))
        self.assertEqual(changes, (set(), {1 << 32 | 2, 3 << 32 | 4}))

    def test_set_is_read_in_any_order(self):
        self.assertTrue(self.pairs.has(2, 1) and (3, 4) in self.pairs and (1, 3) not in self.pairs)
        self.assertEqual(sorted(self.pairs.to_array().tolist()), [[1, 2], [3, 4]])

    def test_old_set_stays_until_a_reset_is_complete(self):
        self.assertIsNone(self.pairs.apply(pair_frame([(5, 6)], reset=True, last=False)))
        self.assertEqual((sorted(self.pairs), self.pairs.known), ([(1, 2), (3, 4)], False))
        ended, begun = self.pairs.apply(pair_frame([(3, 4)]))
        self.assertEqual((ended, begun), ({1 << 32 | 2}, {5 << 32 | 6}))
        self.assertEqual(sorted(self.pairs), [(3, 4), (5, 6)])

    def test_contradictions_make_the_set_unknown(self):
        for frame in (pair_frame([(1, 2)]), pair_frame(ends=[(7, 8)]), pair_frame([(5, 6), (5, 6)])):
            self.setUp()
            with self.assertRaises(ContradictionError):
                self.pairs.apply(frame)
            self.assertFalse(self.pairs.known)

    def test_events_before_the_first_reset_are_refused(self):
        with self.assertRaises(ContradictionError):
            Pairs().apply(pair_frame(ends=[(1, 2)]))


class ViewsTest(unittest.TestCase):
    def refuse(self, *frames):
        views = Views()
        for frame in frames[:-1]:
            views.apply(frame, False)
        with self.assertRaises(ContradictionError):
            views.apply(frames[-1], False)

    def test_contradictions_are_refused(self):
        slots = {"enter_slot": np.array([1], "<u4")}
        self.refuse(enters((1, 2)), enters((1, 2)))
        self.refuse({"leave_observer": np.array([1], "<u4"), "leave_id": np.array([2], "<u4"), "leave_reason": b"\1"})
        self.refuse(enters((1, 2)), {"relay_observer": np.array([1], "<u4"), "relay_id": np.array([3], "<u4"),
                                     "relay_x": np.zeros(1, "<f4"), "relay_y": np.zeros(1, "<f4")})
        self.refuse(enters((1, 2), **slots), enters((1, 3), **slots))
        self.refuse(enters((1, 2), **slots), enters((1, 3)))
        self.refuse(enters((1, 2), **slots), {"relay": b"\x11\0\1\0\0\0\0\0"})
        self.refuse(enters((1, 2), **slots), {"exact_slot": np.array([5], "<u4"), "exact_x": np.zeros(1, "<f4"),
                                              "exact_y": np.zeros(1, "<f4")})
        self.refuse({"suspended": True}, enters((1, 2)))

    def test_many_entities_grow_the_columns_and_leave_again(self):
        views, ids = Views(), np.arange(1000, dtype="<u4")
        observers = ids % 7
        frame = enters(*zip(observers, ids))
        frame["enter_x"] = ids.astype("<f4")
        views.apply(frame, False)
        self.assertEqual(views.seen(500, views.index[500 % 7][500]).x, 500)
        changes = views.apply({"leave_observer": observers[::2], "leave_id": ids[::2],
                               "leave_reason": np.full(500, 4, np.uint8), "last": True}, False)
        self.assertEqual(len(changes["leaves"][0]), 500)
        self.assertEqual(sum(map(len, views.index.values())), 500)


class TickTest(unittest.TestCase):
    def test_merged_ticks_have_the_changes_of_both(self):
        first, second = Tick(1), Tick(2)
        first.add("begins", np.array([[1, 2]], np.uint32))
        second.add("begins", np.array([[3, 4]], np.uint32))
        second.add("ends", np.array([[1, 2]], np.uint32))
        first.merge(second)
        self.assertEqual((first.number, first.begins.tolist(), first.ends.tolist()), (2, [[1, 2], [3, 4]], [[1, 2]]))
        self.assertEqual(repr(first), "Tick(2, begins=2, ends=1)")
        self.assertFalse(Tick(3))


if __name__ == "__main__":
    unittest.main()
